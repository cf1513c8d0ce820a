package imports

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/lists"
)

type lockedDecision struct {
	UID      string
	Decision map[string]any
	Reasons  []any
	Reviews  []map[string]any
}

func (i *importing) update(ctx context.Context, tx *graph.Tx, changed []row) error {
	if len(changed) == 0 {
		return nil
	}
	byUID, uids := map[string]row{}, []string{}
	for _, r := range changed {
		byUID[r.decision.UID] = r
		uids = append(uids, r.decision.UID)
	}
	slices.Sort(uids)
	locked, err := graph.All[lockedDecision](ctx, tx, cypher.ImportLock, graph.Params{"uids": uids})
	if err != nil {
		return err
	}
	rows := make([]any, len(locked))
	for n, before := range locked {
		if rows[n], err = i.changedRow(byUID[before.UID], before); err != nil {
			return err
		}
	}
	return tx.Run(ctx, cypher.ImportUpdate, i.params(changed, rows))
}

//go:embed local.txt
var localNames string

// localProperties are properties that the source does not control.
var localProperties = strings.Fields(localNames)

// changedRow returns an update: the source's value for every property that it controls, and a Revision of the changes.
// A review that is not from the source remains current.
func (i *importing) changedRow(r row, before lockedDecision) (map[string]any, error) {
	p := map[string]any{}
	for name := range before.Decision {
		if !slices.Contains(localProperties, name) && (name != "created_at" || !r.entry.Date.IsZero()) {
			p[name] = nil // no longer stated by the source
		}
	}
	for name, value := range r.properties {
		if !slices.Contains([]string{"uid", "id", "status", "revision", "visibility"}, name) {
			p[name] = value
		}
	}
	changes, err := changesOf(before, p, r.decision.Reasons)
	if err != nil {
		return nil, err
	}
	revisions := []any{}
	if len(changes) > 0 {
		number, _ := before.Decision["revision"].(int64)
		text, err := json.Marshal(changes)
		if err != nil {
			return nil, err
		}
		p["revision"] = number + 1
		revisions = append(revisions, map[string]any{"uid": i.decisions.NewUID(), "schema_version": 1,
			"number": number + 1, "by": importer,
			"why": "the source has changed", "changes": string(text)})
	}
	var current decisions.Review
	if len(before.Reviews) > 0 {
		current = decisions.ReviewOf(before.Reviews[0])
	}
	review := r.review()
	if review != nil && current.Number > 0 {
		if review.Number = current.Number + 1; current.By != importer || current.Same(*review) {
			review = nil
		}
	}
	updated := maps.Clone(before.Decision)
	maps.Copy(updated, p)
	if review != nil {
		p["status"], p["outcome"] = "reviewed", review.Outcome
		updated["status"], updated["outcome"], current = "reviewed", review.Outcome, *review
	}
	decisions.SearchText(updated, r.decision.Reasons, current.Words(), time.Now())
	p["terms"], p["facets"] = updated["terms"], updated["facets"]
	row := i.parameters(r, p, review)
	row["uid"], row["revisions"] = before.UID, revisions
	return row, nil
}

// changesOf compares the stored values with those of the source, as JSON.
func changesOf(before lockedDecision, now map[string]any, reasons []decisions.Reason) (map[string]decisions.Change,
	error) {
	from, to := map[string]any{}, map[string]any{}
	for name, value := range now {
		if !slices.Contains(localProperties, name) {
			from[name], to[name] = graph.JSON(before.Decision[name]), graph.JSON(value)
		}
	}
	from["reasons"] = before.Reasons
	list := lists.Map(reasons, func(r decisions.Reason) any {
		return map[string]any{"type": r.Type, "text": r.Text, "strength": r.EffectiveStrength()}
	})
	to["reasons"] = list
	changes := map[string]decisions.Change{}
	for name := range to {
		a, invalid := json.Marshal(from[name])
		b, err := json.Marshal(to[name])
		if err := cmp.Or(invalid, err); err != nil {
			return nil, err
		}
		if string(a) != string(b) {
			changes[name] = decisions.Change{From: from[name], To: to[name]}
		}
	}
	return changes, nil
}
