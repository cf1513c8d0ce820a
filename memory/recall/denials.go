package recall

import (
	"context"
	"encoding/json"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/memory"
)

func pointers[T any](list []T, of func(*T) *row) []*row {
	rows := make([]*row, len(list))
	for i := range list {
		rows[i] = of(&list[i])
	}
	return rows
}

// markDenials says for each chunk which of its denials no longer hold.
func (s *Store) markDenials(ctx context.Context, rows []*row) error {
	byUID, uids := map[string]*row{}, []string{}
	for _, r := range rows {
		if r.Kind == memory.Events && strings.Contains(strings.ToLower(r.Text), "denied") {
			byUID[r.UID], uids = r, append(uids, r.UID)
		}
	}
	if len(uids) == 0 {
		return nil
	}
	checks, err := graph.All[struct {
		UID      string
		Payloads []any
	}](ctx, s.graph, cypher.ChecksOfChunks, graph.Params{"uids": uids})
	if err != nil {
		return err
	}
	verdicts, all := map[string][]string{}, []string{} // by chunk
	for _, check := range checks {
		for _, payload := range graph.Texts(check.Payloads) {
			var p struct {
				ID string `json:"verdict_id"`
			}
			if json.Unmarshal([]byte(payload), &p) == nil &&
				p.ID != "" { // else it was not written by Nomograph, or is forgotten
				verdicts[check.UID], all = append(verdicts[check.UID], p.ID), append(all, p.ID)
			}
		}
	}
	outdated, err := s.checks.Outdated(ctx, all)
	if err != nil {
		return err
	}
	for uid, r := range byUID {
		for _, id := range verdicts[uid] {
			if why := outdated[id]; why != "" {
				r.outdated = append(r.outdated, "denial "+shortID(id)+" is outdated: "+why)
			}
		}
	}
	return nil
}
