package imports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
)

// supersede creates links that must not form cycles: links from newer to older records first, so that a cycle loses its
// link from an older to a newer record. The result is the same in every run.
func (i *importing) supersede(ctx context.Context, links []link) error {
	odd := func(l link) int {
		if l.fromAt.Before(l.toAt) {
			return 1
		}
		return 0
	}
	slices.SortFunc(links, func(a, b link) int {
		return cmp.Or(odd(a)-odd(b), b.fromAt.Compare(a.fromAt), strings.Compare(a.stated.From, b.stated.From),
			strings.Compare(a.stated.Target, b.stated.Target))
	})
	for batch := range slices.Chunk(links, importBatch) {
		created, cycles := i.out.LinksCreated, len(i.out.Cycles)
		work := func(q graph.Querier, tx *graph.Tx) error {
			i.out.LinksCreated, i.out.Cycles = created, i.out.Cycles[:cycles] // the transaction may run again
			remaining, err := i.acyclic(ctx, q, batch)
			if err != nil {
				return err
			}
			return i.writeLinks(remaining, func(p graph.Params) (linksWritten, error) {
				return graph.One[linksWritten](ctx, tx, cypher.ImportLinks, p)
			})
		}
		var err error
		if i.options.DryRun {
			err = work(i.graph, nil)
		} else {
			err = i.graph.Write(ctx, func(tx *graph.Tx) error {
				if err := tx.Run(ctx, cypher.SupersedesLock, nil); err != nil {
					return err
				}
				if err := tx.Run(ctx, cypher.ImportLock, graph.Params{"uids": endsOf(batch)}); err != nil {
					return err
				}
				return work(tx, tx)
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endsOf returns the uids of both ends, sorted.
func endsOf(links []link) []string {
	uids := map[string]bool{}
	for _, l := range links {
		uids[l.from], uids[l.to] = true, true
	}
	return slices.Sorted(maps.Keys(uids))
}

// acyclic skips the links that would close a cycle with the graph and with earlier links.
func (i *importing) acyclic(ctx context.Context, q graph.Querier, links []link) ([]link, error) {
	steps, err := graph.All[struct{ From, To string }](ctx, q, cypher.ImportSupersedes,
		graph.Params{"uids": endsOf(links)})
	if err != nil {
		return nil, err
	}
	after := map[string][]string{}
	for _, s := range steps {
		after[s.From] = append(after[s.From], s.To)
	}
	var remaining []link
	for _, l := range links {
		if reaches(after, l.to, l.from) {
			i.out.Cycles = append(i.out.Cycles, l.stated)
			continue
		}
		after[l.from] = append(after[l.from], l.to)
		remaining = append(remaining, l)
	}
	return remaining, nil
}

func reaches(after map[string][]string, from, to string) bool {
	visited, open := map[string]bool{from: true}, []string{from}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at == to {
			return true
		}
		for _, next := range after[at] {
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	return false
}
