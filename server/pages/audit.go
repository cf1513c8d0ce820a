package pages

import (
	"bytes"
	"encoding/csv"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/policies"
	"nomograph/policies/history"
)

// auditOf returns the arguments that the URL selects.
func auditOf(v *Visit) history.AuditQuery {
	return history.AuditQuery{Kind: v.Query("kind"), By: v.Query("by"),
		Range: timeparse.Range{DateAfter: v.Query("date_after"), DateBefore: v.Query("date_before")},
		Page:  policies.Page{Limit: 50, Cursor: v.Query("cursor")}}
}

func showAudit(v *Visit) (any, error) {
	return Call[history.AuditList](v, "list_changes", auditOf(v))
}

const (
	auditPage  = 500
	auditPages = 20 // an export has at most 10,000 entries
)

// auditExport returns the selected entries as CSV or JSON.
func auditExport(v *Visit) (Answer, error) {
	q, entries := auditOf(v), []history.AuditEntry{}
	q.Cursor, q.Limit = "", auditPage
	for range auditPages {
		list, err := Call[history.AuditList](v, "list_changes", q)
		if err != nil {
			return Answer{}, err
		}
		entries = append(entries, list.Entries...)
		if q.Cursor = list.NextCursor; q.Cursor == "" {
			break
		}
	}
	if q.Cursor != "" {
		return Answer{}, apperr.Newf(apperr.Validation, "More than %d entries match, and a file holds no more",
			auditPage*auditPages).WithHint("Set Since and Until, and download several files")
	}
	switch v.Query("format") {
	case "json":
		text, err := render.JSON(entries)
		if err != nil {
			return Answer{}, err
		}
		return File("audit.json", "application/json", string(text))
	case "csv":
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		_ = w.Write([]string{"at", "kind", "name", "action", "by", "reason", "object_id"})
		for _, e := range entries {
			cells := []string{shownTime(e.At), e.Kind, e.Name, e.Action, e.By, e.Why, e.Object}
			for i := range cells {
				cells[i] = render.Cell(cells[i])
			}
			_ = w.Write(cells)
		}
		w.Flush()
		return File("audit.csv", "text/csv; charset=utf-8", b.String())
	}
	return Answer{}, apperr.Newf(apperr.Validation, "Unknown list format %q", v.Query("format")).
		WithHint("Use csv or json")
}
