package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/redact"
)

// reading adds the records of a bundle, kind by kind: each kind refers to the next.
type reading struct {
	*Store
	bundle         *Bundle
	wide           bool // not only what one session refers to
	project, since any
	uids, ids      []string // of the sessions
}

// add adds a record.
func (r *reading) add(kind string, record any) error {
	s := &r.bundle.Sections[slices.Index(kinds, kind)]
	if s.Count >= maxRecords {
		return tooMuch()
	}
	return s.add(record)
}

// addEach adds the record of each row.
func addEach[T any](ctx context.Context, r *reading, kind string, s cypher.Statement, p graph.Params,
	record func(T) any) error {
	rows, err := graph.All[T](ctx, r.graph, s, p)
	for _, row := range rows {
		if err == nil {
			err = r.add(kind, record(row))
		}
	}
	return err
}

// wanted returns what the records so far refer to, and the bundle does not have yet.
func (r *reading) wanted(kind string) []string {
	list := []string{}
	for _, target := range check(*r.bundle).absent() {
		if id, ok := strings.CutPrefix(target, kind+" "); ok {
			list = append(list, id)
		}
	}
	return list
}

func (r *reading) sessions(ctx context.Context, one string) error {
	rows := []struct{ UID string }{{one}}
	if one == "" {
		var err error
		if rows, err = graph.All[struct{ UID string }](ctx, r.graph, cypher.AuditSessions,
			graph.Params{"project": r.project, "since": r.since, "limit": maxRecords + 1}); err != nil {
			return err
		}
	}
	events := 0
	for _, row := range rows {
		record, err := r.trace.Record(ctx, row.UID)
		if err != nil {
			return err
		}
		if events += len(record.Chain); events > maxRecords {
			return tooMuch()
		}
		r.uids, r.ids = append(r.uids, record.UID), append(r.ids, record.SessionID)
		r.bundle.Heads = append(r.bundle.Heads, Head{record.UID, record.Events, record.Head})
		if one != "" {
			r.bundle.Scope.Session = record.SessionID
		}
		if err := r.add("session", record); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) decisions(ctx context.Context) error {
	rows, err := graph.All[struct {
		Decision  map[string]any
		Reasons   []any
		Reviews   []map[string]any
		Revisions int64
		Events    []any
	}](ctx, r.graph, cypher.AuditDecisions, graph.Params{"uids": r.wanted("decision"), "sessions": r.uids,
		"wide":    r.wide,
		"project": r.project, "since": r.since, "limit": maxRecords + 1})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := r.add("decision", masked(row.Decision, map[string]any{"reasons": row.Reasons, "events": row.Events,
			"revisions": row.Revisions})); err != nil {
			return err
		}
		for _, review := range row.Reviews {
			if err := r.add("review", masked(review, map[string]any{"decision": row.Decision["uid"]})); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reading) verdicts(ctx context.Context) error {
	decisions := []string{}
	for _, d := range check(*r.bundle).contents.Decisions {
		decisions = append(decisions, d.UID)
	}
	type row struct {
		Verdict                      map[string]any
		Versions, Decisions, Appeals []any
		Executions                   []map[string]any
	}
	return addEach(ctx, r, "verdict", cypher.AuditVerdicts, graph.Params{"uids": r.wanted("verdict"),
		"decisions": decisions, "ids": r.ids, "wide": r.wide, "project": r.project, "since": r.since,
		"limit": maxRecords + 1}, func(row row) any {
		return masked(row.Verdict, map[string]any{"versions": row.Versions, "decisions": row.Decisions,
			"appeals": row.Appeals, "executions": row.Executions})
	})
}

func (r *reading) approvals(ctx context.Context) error {
	verdicts := []string{}
	for _, v := range check(*r.bundle).contents.Verdicts {
		verdicts = append(verdicts, v.UID)
	}
	return addEach(ctx, r, "approval", cypher.AuditApprovals, graph.Params{"uids": r.wanted("approval"),
		"verdicts": verdicts, "ids": r.ids, "limit": maxRecords + 1},
		func(row struct{ Approval map[string]any }) any { return masked(row.Approval) })
}

func (r *reading) revisions(ctx context.Context) error {
	return addEach(ctx, r, "revision", cypher.AuditRevisions, graph.Params{"hashes": r.wanted("revision")},
		func(row Revision) any {
			row.FirstAt = row.FirstAt.UTC()
			row.Partial = row.computed() != row.Hash // nodes with equal contents count once in the graph
			return row
		})
}

func (r *reading) versions(ctx context.Context) error {
	return addEach(ctx, r, "version", cypher.AuditVersions, graph.Params{"hashes": r.wanted("version")},
		func(row Version) any {
			row.FirstAt = row.FirstAt.UTC()
			return row
		})
}

// masked returns properties as JSON without secrets. Texts that are JSON themselves become values: masking them as
// texts could break their form.
func masked(parts ...map[string]any) any {
	whole := map[string]any{}
	for _, part := range parts {
		values, _ := graph.JSON(part).(map[string]any)
		maps.Copy(whole, values)
	}
	for _, name := range []string{"results", "inputs", "params"} {
		decoder := json.NewDecoder(bytes.NewReader([]byte(graph.Text(whole, name))))
		decoder.UseNumber()
		var value any
		if decoder.Decode(&value) == nil {
			whole[name] = value
		} else if whole[name] == "" {
			delete(whole, name)
		}
	}
	shown, _ := redact.Value(whole)
	return shown
}
