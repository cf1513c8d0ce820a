package imports

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/records"
	"nomograph/graph"
	"nomograph/internal/redact"
)

// row is a record to be written.
type row struct {
	entry      records.Entry
	hash       string
	decision   *decisions.Draft
	properties map[string]any // times as time.Time
}

// hashOf hashes the stored parts of a record.
func hashOf(e records.Entry) string {
	text, _ := json.Marshal(e) // cannot fail: strings, numbers, and decoded JSON or YAML
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// candidates returns ids for a record, best first: its id at the source, if it has our format, and parts of the SHA-256
// of source and external id, which are the same on every machine.
func candidates(key recordKey) []string {
	sum := sha256.Sum256([]byte(key.source + "\x00" + key.externalID))
	digits := hex.EncodeToString(sum[:])
	ids := []string{digits[:decisions.IDLength], digits[decisions.IDLength : 2*decisions.IDLength]}
	if _, err := hex.DecodeString(key.externalID); err == nil && len(key.externalID) == decisions.IDLength &&
		strings.ToLower(key.externalID) == key.externalID {
		ids = append([]string{key.externalID}, ids...)
	}
	return ids
}

// row converts a record to a decision with secrets masked.
func (i *importing) row(e records.Entry, hash string) row {
	authors, agent := decisions.UniqueTexts(redact.MaskAll(e.Authors)), ""
	if len(authors) > 0 {
		agent = authors[0]
	}
	stated := decisions.Record{Decision: strings.TrimSpace(e.Title + "\n\n" + e.Decision), Category: e.Category,
		Stakes:      e.Stakes,
		ExtraFields: e.ExtraFields}
	stated.Visibility = "project"
	d := decisions.NewDraft(i.decisions.NewUID(), agent, stated)
	p := d.Properties(time.Now())
	delete(p, "quality_score") // the quality of imports is not computed
	delete(p, "agent_asserted")
	maps.DeleteFunc(p, func(_ string, value any) bool { return value == "" })
	if delete(p, "confidence"); e.Confidence != nil {
		p["confidence"] = *e.Confidence
	}
	maps.Copy(p, map[string]any{"source": e.Source, "external_id": e.ExternalID, "import_hash": hash})
	if e.Status != "" {
		p["source_status"] = redact.Mask(e.Status)
	}
	if len(authors) > 0 {
		p["agent_asserted"] = true
	}
	if len(authors) > 1 {
		p["authors"] = authors
	}
	if !e.Date.IsZero() {
		p["created_at"] = e.Date
	}
	for name, value := range map[string]map[string]any{"imported_deliberation": e.Deliberation,
		"imported_extra": e.Extra} {
		if len(value) > 0 {
			clean, _ := redact.Value(value)
			text, _ := json.Marshal(clean)
			p[name] = string(text)
		}
	}
	return row{entry: e, hash: hash, decision: d, properties: p}
}

// review returns the review that the record states, nil if none.
func (r row) review() *decisions.Review {
	if r.entry.Review == nil {
		return nil
	}
	v := *r.entry.Review
	v.Number, v.By, v.Source = 1, importer, decisions.FromImport
	v.ActualResult, v.Lessons, v.Notes = redact.Mask(v.ActualResult), redact.Mask(v.Lessons), redact.Mask(v.Notes)
	return &v
}

// importer is the author of changes by an import.
const importer = "import"

// parameters returns a row for the statements that create and update. Names are given by key.
func (i *importing) parameters(r row, properties map[string]any, review *decisions.Review) map[string]any {
	reviews := []any{}
	if review != nil {
		p, _ := review.Properties(i.decisions.NewUID()) // only KPIs can fail to encode
		if !review.At.IsZero() {
			p["at"] = graph.UTC(review.At)
		}
		reviews = append(reviews, p)
	}
	for name, value := range properties {
		if at, ok := value.(time.Time); ok {
			properties[name] = graph.UTC(at)
		}
	}
	return map[string]any{"properties": properties, "reasons": i.decisions.ReasonNodes(r.decision.Reasons),
		"reviews": reviews, "agents": keysOf(r.decision.Agent),
		"projects": keysOf(r.decision.Project), "tags": keysOf(r.decision.Tags...),
		"patterns": keysOf(r.decision.Pattern)}
}

func keysOf(names ...string) []string {
	keys := []string{}
	for _, name := range decisions.UniqueTexts(names) {
		keys = append(keys, decisions.NameKey(name))
	}
	return keys
}
