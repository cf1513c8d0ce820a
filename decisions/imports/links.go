package imports

import (
	"cmp"
	"context"
	_ "embed" // links.txt
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/decisions/records"
	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/internal/redact"
)

// statedLink is a link as stated by a record.
type statedLink struct {
	from records.Link
	uid  string // uid of the record that states the link
	key  recordKey
}

// collectLinks collects a record's links until all records are read. A mention of a linked record is ignored.
func (i *importing) collectLinks(e records.Entry, uid string) {
	typed := map[string]bool{}
	for _, l := range e.Links {
		typed[l.Target] = typed[l.Target] || l.Type != records.Mention
	}
	for _, l := range e.Links {
		if l.Type != records.Mention || !typed[l.Target] {
			i.links = append(i.links, statedLink{l, uid, recordKey{e.Source, e.ExternalID}})
		}
	}
}

// linkMeaning says which link a record's type of link becomes. The original type is stored as the link's context if it
// is more specific.
type linkMeaning struct {
	relationship, context string
	turned                bool // the direction is reversed
}

//go:embed links.txt
var linkTypes string

// linkMeanings are the meanings of the types in links.txt.
var linkMeanings = sync.OnceValue(func() map[string]linkMeaning {
	meanings := map[string]linkMeaning{}
	for line := range strings.Lines(linkTypes) {
		if fields := strings.Fields(line); fields[0] != "#" {
			meanings[fields[0]] = linkMeaning{fields[1], strings.Join(fields[3:], " "), fields[2] == "<"}
		}
	}
	return meanings
})

func meaningOf(kind string) linkMeaning {
	if m, ok := linkMeanings()[kind]; ok {
		return m
	}
	return linkMeaning{"RELATES_TO", redact.Mask(strings.ReplaceAll(kind, "_", " ")), false}
}

// linkEnds is a link between two decisions.
type linkEnds struct{ from, to, relationship string }

type link struct {
	linkEnds
	context      string
	weight       float64
	fromAt, toAt time.Time
	stated       UnresolvedLink // as stated by the record
}

func (l link) parameters() any {
	return map[string]any{"from": l.from, "to": l.to, "type": l.relationship, "weight": l.weight,
		"context": graph.NullIfEmpty(l.context)}
}

// link creates the links whose ends both exist.
func (i *importing) link(ctx context.Context) error {
	found, err := i.targets(ctx)
	if err != nil {
		return err
	}
	targets := map[linkEnds]link{}
	for _, l := range i.links {
		m := meaningOf(l.from.Type)
		stated := UnresolvedLink{l.key.externalID, l.from.Type, l.from.Target}
		target, ok := found.find(l)
		if !ok {
			if i.out.UnresolvedCount++; len(i.out.UnresolvedLinks) < maxUnresolved {
				i.out.UnresolvedLinks = append(i.out.UnresolvedLinks, stated)
			}
			continue
		}
		edge := link{linkEnds{l.uid, target.uid, m.relationship}, m.context, l.from.Weight, i.seen[l.key].at, target.at,
			stated}
		if m.turned {
			edge.from, edge.to, edge.fromAt, edge.toAt = edge.to, edge.from, edge.toAt, edge.fromAt
		}
		if before, twice := targets[edge.linkEnds]; edge.from != edge.to &&
			(!twice || before.context == records.Mention) {
			targets[edge.linkEnds] = edge
		}
	}
	var plain, superseding []link
	for _, l := range targets {
		if l.relationship == "SUPERSEDES" {
			superseding = append(superseding, l)
		} else {
			plain = append(plain, l)
		}
	}
	slices.SortFunc(plain, func(a, b link) int {
		return cmp.Or(strings.Compare(a.from, b.from), strings.Compare(a.to, b.to),
			strings.Compare(a.relationship, b.relationship))
	})
	done := 0
	for batch := range slices.Chunk(plain, importBatch) {
		if err := i.writeLinks(batch, func(p graph.Params) (linksWritten, error) {
			return graph.Append[linksWritten](ctx, i.graph, cypher.ImportLinks, p)
		}); err != nil {
			return err
		}
		done += len(batch)
		progress.Report(ctx, progress.Step{Message: "Importing links", Done: int64(done), Total: int64(len(targets))})
	}
	return i.supersede(ctx, superseding)
}

type linksWritten struct{ Created int64 }

func (i *importing) writeLinks(links []link, write func(graph.Params) (linksWritten, error)) error {
	if i.options.DryRun {
		i.out.LinksCreated += len(links)
		return nil
	}
	parameters := lists.Map(links, func(l link) any { return l.parameters() })
	w, err := write(graph.Params{"links": parameters})
	i.out.LinksCreated += int(w.Created)
	return err
}

// linkTargets are possible targets: records of this import, and of the graph.
type linkTargets struct {
	here  map[string][]recordKey // by external id
	seen  map[recordKey]imported
	there map[string][]linkTarget
}

type linkTarget struct {
	Target, UID, Source string
	At                  time.Time
	Own                 bool
}

// targets reads possible targets from the graph.
func (i *importing) targets(ctx context.Context) (linkTargets, error) {
	t := linkTargets{here: map[string][]recordKey{}, seen: i.seen, there: map[string][]linkTarget{}}
	for key := range i.seen {
		t.here[key.externalID] = append(t.here[key.externalID], key)
	}
	missing := map[string]bool{}
	for _, l := range i.links {
		if _, found := t.find(l); !found {
			missing[l.from.Target] = true
		}
	}
	for batch := range slices.Chunk(slices.Sorted(maps.Keys(missing)), importBatch) {
		rows, err := graph.All[linkTarget](ctx, i.graph, cypher.ImportTargets, graph.Params{"targets": batch})
		if err != nil {
			return t, err
		}
		for _, row := range rows {
			t.there[row.Target] = append(t.there[row.Target], row)
		}
	}
	return t, nil
}

// find finds the target of a link: first a record of the same source in this import, then the only record with that id
// in this import. Then it looks for the same two in the graph.
func (t linkTargets) find(l statedLink) (imported, bool) {
	if same, ok := t.seen[recordKey{l.key.source, l.from.Target}]; ok {
		return same, true
	}
	if keys := t.here[l.from.Target]; len(keys) == 1 {
		return t.seen[keys[0]], true
	}
	rows := t.there[l.from.Target]
	if n := slices.IndexFunc(rows, func(r linkTarget) bool { return r.Source == l.key.source && !r.Own }); n >= 0 {
		rows = rows[n : n+1]
	}
	if len(rows) != 1 {
		return imported{}, false
	}
	return imported{uid: rows[0].UID, at: rows[0].At}, true
}
