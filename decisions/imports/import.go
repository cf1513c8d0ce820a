package imports

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"nomograph/decisions/records"
	"nomograph/internal/apperr"
)

// Options say how records become decisions.
type Options struct {
	Project  string   // of records that name none
	Outcomes []string // STATUS=OUTCOME: what statuses say of how it turned out, besides Final, Living, Stagnant and Withdrawn
	Strict   bool     // stop at the first record that cannot be read
	DryRun   bool     // write nothing
}

// Imported says what became of records.
type Imported struct {
	Read      int `json:"read"`
	Created   int `json:"created"`
	Updated   int `json:"updated" jsonschema:"number of updated records; earlier text is in the history"`
	Unchanged int `json:"unchanged"`

	LinksCreated    int              `json:"links_created"`
	UnresolvedCount int              `json:"unresolved_count" jsonschema:"number of links to missing records"`
	UnresolvedLinks []UnresolvedLink `json:"unresolved_links" jsonschema:"the first 20"`
	Cycles          []UnresolvedLink `json:"cycles" jsonschema:"supersede links left out because they would form a cycle"`

	SkippedCount int               `json:"skipped_count"`
	Skipped      []records.Problem `json:"skipped" jsonschema:"first 100 unreadable records, with reasons"`
	Notes        []string          `json:"notes"`
	DryRun       bool              `json:"dry_run,omitempty"`

	broken int // of those skipped, how many should have been records
}

// UnresolvedLink is a link that was not made.
type UnresolvedLink struct {
	From   string `json:"from"`
	Type   string `json:"type"`
	Target string `json:"target"`
}

// Failed tells a program that nothing could be read.
func (i Imported) Failed() bool { return i.Read == 0 }

// Nothing tells that there was no record at all: neither one that could be read nor one that could not.
func (i Imported) Nothing() bool { return i.Read == 0 && i.broken == 0 }

const (
	importBatch   = 500 // records or links written at once
	maxUnresolved = 20  // that are listed
	maxSkipped    = 100
)

// Import brings in records as decisions: the records in batches, each wholly or not at all, then the links between them. A
// record is known by its source and external id: one that is there as it was imported is left alone, one whose source has
// changed is updated with a Revision by "import" that keeps what stood before. So an import that was stopped is finished by
// running it again, and running it twice writes nothing.
//
// Records are history: no rule judges them, and no verdict is written. One without a confidence stays without, outside of
// calibration. A record that cannot be read is skipped and told of; with Strict it is a validation_error instead, and nothing
// of its batch is written. An unreadable file, and a database that does not answer, are errors.
func (s *Store) Import(ctx context.Context, sequence records.Sequence, o Options) (Imported, error) {
	outcomes, err := outcomesOf(o.Outcomes)
	if err != nil {
		return Imported{}, err
	}
	if _, err := s.graph.Connect(ctx); err != nil {
		return Imported{}, err
	}
	i := &importing{Store: s, options: o, outcomes: outcomes, seen: map[recordKey]imported{}, extra: map[string]int{},
		out: Imported{UnresolvedLinks: []UnresolvedLink{}, Cycles: []UnresolvedLink{}, Skipped: []records.Problem{}, Notes: []string{}, DryRun: o.DryRun}}
	if err := i.records(ctx, sequence); err != nil {
		return i.out, err
	}
	if err := i.link(ctx); err != nil {
		return i.out, err
	}
	i.tellExtra()
	return i.out, i.index(ctx)
}

// importing is one import under way.
type importing struct {
	*Store
	options  Options
	outcomes map[string]string
	batch    []records.Entry
	seen     map[recordKey]imported
	links    []toldLink
	extra    map[string]int // fields without a place of their own, and how many records have them
	out      Imported
}

// recordKey is what makes a record the same one.
type recordKey struct{ source, externalID string }

// imported is what links need to know of a record.
type imported struct {
	uid, place string
	at         time.Time
}

func (i *importing) records(ctx context.Context, sequence records.Sequence) error {
	for e, err := range sequence {
		var problem *records.Problem
		switch {
		case errors.As(err, &problem):
		case err != nil:
			return apperr.New(apperr.Validation, "The records cannot be read").WithHint("Look whether the file is there and may be read").Because(err)
		default:
			problem = i.take(e)
		}
		if problem != nil {
			if i.options.Strict && !problem.NoRecord {
				return apperr.Newf(apperr.Validation, "%s", problem).WithHint("Mend it and run the import again, or leave out `strict` to skip it").
					With("place", problem.Place).With("written", i.out.Created+i.out.Updated)
			}
			if !problem.NoRecord {
				i.out.broken++
			}
			if i.out.SkippedCount++; len(i.out.Skipped) < maxSkipped {
				i.out.Skipped = append(i.out.Skipped, *problem)
			}
		}
		if len(i.batch) == importBatch {
			if err := i.flush(ctx); err != nil {
				return err
			}
		}
	}
	return i.flush(ctx)
}

// take puts a record into the batch, or says why it cannot be one.
func (i *importing) take(e records.Entry) *records.Problem {
	key := recordKey{e.Source, e.ExternalID}
	if first, ok := i.seen[key]; ok {
		return &records.Problem{Place: e.Place, Why: "the same id as at " + first.place}
	}
	if e.Project == "" {
		e.Project = i.options.Project
	}
	if outcome := i.outcomes[statusKey(e.Status)]; outcome != "" && e.Review == nil {
		e.Review = &records.Review{Outcome: outcome, Notes: "The status in the source is " + e.Status, At: e.Date}
	}
	for name := range e.Extra {
		i.extra[name]++
	}
	i.out.Read++
	i.seen[key] = imported{place: e.Place, at: e.Date}
	i.batch = append(i.batch, e)
	return nil
}

// statusOutcomes are the statuses that say how it turned out, whoever uses them.
var statusOutcomes = map[string]string{"final": "success", "living": "success", "stagnant": "abandoned", "withdrawn": "abandoned"}

func statusKey(status string) string { return strings.ToLower(strings.TrimSpace(status)) }

func outcomesOf(given []string) (map[string]string, error) {
	outcomes := map[string]string{}
	for status, outcome := range statusOutcomes {
		outcomes[status] = outcome
	}
	for _, pair := range given {
		status, outcome, both := strings.Cut(pair, "=")
		outcome = statusKey(outcome)
		if !both || !slices.Contains(append([]string{"open"}, records.Outcomes...), outcome) {
			return nil, apperr.Newf(apperr.Validation, "'%s' in outcomes is not STATUS=OUTCOME", pair).
				WithHint("Outcomes are %s, and open for none: Implemented=success", strings.Join(records.Outcomes, ", "))
		}
		if outcomes[statusKey(status)] = outcome; outcome == "open" {
			delete(outcomes, statusKey(status))
		}
	}
	return outcomes, nil
}

// tellExtra says which fields have no place of their own.
func (i *importing) tellExtra() {
	names := make([]string, 0, len(i.extra))
	for name := range i.extra {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(i.extra[b]-i.extra[a], strings.Compare(a, b)) })
	if len(names) > 0 {
		more := ""
		if len(names) > maxUnresolved {
			names, more = names[:maxUnresolved], " and others"
		}
		i.out.Notes = append(i.out.Notes, "Fields without a place of their own are kept as JSON in imported_extra: "+strings.Join(names, ", ")+more)
	}
}

// index makes the vectors of what was written. Where they cannot be made now, the marks stay, and a note says so.
func (i *importing) index(ctx context.Context) error {
	if i.options.DryRun || i.out.Created+i.out.Updated == 0 {
		return nil
	}
	note, err := i.search.CatchUp(ctx)
	if note != "" {
		i.out.Notes = append(i.out.Notes, note)
	}
	return err
}
