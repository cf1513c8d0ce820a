package imports

import (
	"context"
	"maps"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/progress"
)

// flush writes the batch in one transaction. If an id was taken or the same records were imported meanwhile, it starts
// over.
func (i *importing) flush(ctx context.Context) error {
	if len(i.batch) == 0 {
		return nil
	}
	const tries = 5
	for try := 1; ; try++ {
		err := i.writeBatch(ctx)
		if err == nil {
			break
		}
		if !graph.IsUniqueViolation(err) || try == tries {
			return err
		}
	}
	i.batch = i.batch[:0]
	progress.Report(ctx, progress.Step{Message: "Importing records", Done: int64(i.out.Read)})
	return nil
}

func (i *importing) writeBatch(ctx context.Context) error {
	known, taken, err := i.readKnown(ctx)
	if err != nil {
		return err
	}
	var fresh, changed []row
	uids := map[recordKey]string{}
	for _, e := range i.batch {
		key := recordKey{e.Source, e.ExternalID}
		hash := hashOf(e)
		before, ok := known[key]
		uids[key] = before.uid
		switch {
		case !ok:
			r := i.row(e, hash)
			r.decision.ID = i.free(key, taken)
			r.properties["id"] = r.decision.ID
			uids[key] = r.decision.UID
			fresh = append(fresh, r)
		case before.hash != hash:
			r := i.row(e, hash)
			r.decision.UID = before.uid
			changed = append(changed, r)
		}
	}
	if !i.options.DryRun && len(fresh)+len(changed) > 0 {
		if err := i.graph.Write(ctx, func(tx *graph.Tx) error {
			if err := i.create(ctx, tx, fresh); err != nil {
				return err
			}
			return i.update(ctx, tx, changed)
		}); err != nil {
			return err
		}
		i.decisions.WakeWorkers() // vectors and counters are updated in parallel with the next batch
	}
	i.out.Created, i.out.Updated, i.out.Unchanged = i.out.Created+len(fresh), i.out.Updated+len(changed),
		i.out.Unchanged+len(i.batch)-len(fresh)-len(changed)
	for _, e := range i.batch {
		key := recordKey{e.Source, e.ExternalID}
		seen := i.seen[key]
		seen.uid = uids[key]
		i.seen[key] = seen
		i.collectLinks(e, seen.uid)
	}
	return nil
}

type knownRecord struct{ uid, hash string }

// readKnown reads which records of the batch exist, and which ids are in use.
func (i *importing) readKnown(ctx context.Context) (map[recordKey]knownRecord, map[string]bool, error) {
	keys, ids := make([]any, len(i.batch)), []string{}
	for n, e := range i.batch {
		keys[n] = map[string]any{"source": e.Source, "external_id": e.ExternalID}
		ids = append(ids, candidates(recordKey{e.Source, e.ExternalID})...)
	}
	read, err := graph.One[struct{ Known, Taken []any }](ctx, i.graph, cypher.ImportKnown,
		graph.Params{"keys": keys, "ids": ids})
	if err != nil {
		return nil, nil, err
	}
	known, taken := map[recordKey]knownRecord{}, map[string]bool{}
	for _, item := range read.Known {
		k, _ := item.(map[string]any)
		known[recordKey{graph.Text(k, "source"), graph.Text(k, "external_id")}] = knownRecord{graph.Text(k, "uid"),
			graph.Text(k, "hash")}
	}
	for _, id := range read.Taken {
		taken[id.(string)] = true
	}
	return known, taken, nil
}

// free returns an unused id and reserves it.
func (i *importing) free(key recordKey, taken map[string]bool) string {
	for _, id := range candidates(key) {
		if !taken[id] {
			taken[id] = true
			return id
		}
	}
	return i.decisions.NewID()
}

func (i *importing) create(ctx context.Context, tx *graph.Tx, fresh []row) error {
	if len(fresh) == 0 {
		return nil
	}
	rows := make([]any, len(fresh))
	for n, r := range fresh {
		p := maps.Clone(r.properties) // the transaction may run again
		review, stated := r.review(), ""
		if review != nil {
			p["status"], p["outcome"], stated = "reviewed", review.Outcome, review.Words()
		}
		decisions.SearchText(p, r.decision.Reasons, stated, time.Now())
		rows[n] = i.parameters(r, p, review)
	}
	return tx.Run(ctx, cypher.ImportCreate, i.params(fresh, rows))
}

// params returns the rows with the nodes that they refer to, without duplicates and sorted by key.
func (i *importing) params(of []row, rows []any) graph.Params {
	var agents, projects, tags, patterns []string
	for _, r := range of {
		agents, projects = append(agents, r.decision.Agent), append(projects, r.decision.Project)
		tags, patterns = append(tags, r.decision.Tags...), append(patterns, r.decision.Pattern)
	}
	return graph.Params{"rows": rows, "agents": i.decisions.Named(agents...),
		"projects": i.decisions.Named(projects...),
		"tags":     i.decisions.Named(tags...), "patterns": i.decisions.Named(patterns...)}
}
