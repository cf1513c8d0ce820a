package records

import (
	"cmp"
	"slices"
	"strings"

	"nomograph/decisions"
	"nomograph/decisions/calibration"
)

// identity sets the id and the source of a record.
func (f *fields) identity() {
	f.entry.ExternalID = f.text("external_id", "id", "decision_id")
	if source := f.text("source"); source != "" {
		f.entry.Source = source
	}
	if f.entry.ExternalID == "" {
		f.fail("it has no id")
	}
}

// takeTexts takes the texts. A title, a summary or a description has precedence over the decision.
func (f *fields) takeTexts() {
	e := f.entry
	e.Title, e.Decision = f.text("title"), f.text("decision")
	for _, name := range []string{"summary", "description"} {
		switch text := f.text(name); {
		case text == "" || text == e.Title || text == e.Decision:
		case e.Title == "" && e.Decision == "":
			e.Title = text
		default:
			e.Decision = strings.TrimSpace(text + "\n\n" + e.Decision)
		}
	}
	e.section("", f.text("context"))
	if abstract := f.text("abstract"); e.Context == "" {
		e.section("", abstract)
	} else {
		e.section("Abstract", abstract)
	}
	e.section("Consequences", f.text("consequences"))
	if rationale := f.text("rationale"); rationale != "" {
		e.Reasons = append(e.Reasons, decisions.Reason{Type: "analysis", Text: rationale})
	}
	e.Status, e.Project, e.Feature, e.Pattern = f.text("status"), f.text("project"), f.text("feature"),
		f.text("pattern")
	e.File, e.Commit = f.text("file"), f.text("commit")
}

func (f *fields) lists() {
	e := f.entry
	for _, category := range append(f.texts("category"), f.texts("type")...) {
		e.categorize(category)
	}
	e.Tags = append(e.Tags, f.texts("tags")...)
	e.Authors = f.texts("authors", "author", "recorded_by", "agent_id", "agent")
	e.KPIIndicators = f.texts("kpi_indicators")
}

func (f *fields) measures() {
	e := f.entry
	e.Confidence, e.Stakes, e.MentalState = f.numberUpToOne("confidence"), f.oneOf(decisions.StakesValues, "stakes"),
		f.oneOf(states, "mental_state")
	e.PR, e.Line = f.positiveInteger("pr", "pull_request"), f.positiveInteger("line")
	e.Date = f.time("date", "created_at", "timestamp")
}

// takeNested takes structured fields.
func (f *fields) takeNested() {
	e := f.entry
	for _, item := range f.objects("reasons") {
		r := fields{entry: e, values: item}
		reason := decisions.Reason{Type: r.oneOf(calibration.ReasonTypes, "type"), Text: r.text("text"),
			Strength: r.numberUpToOne("strength")}
		if r.problem != "" {
			f.fail("reasons: %s", r.problem)
		}
		f.storeRest("reasons", item)
		if reason.Text != "" {
			reason.Type = cmp.Or(reason.Type, "analysis")
			e.Reasons = append(e.Reasons, reason)
		}
	}
	for _, item := range f.objects("bridge") {
		b := fields{entry: e, values: item}
		e.Bridge = &decisions.Bridge{Structure: b.text("structure"), Function: b.text("function"),
			Tolerance: b.texts("tolerance"), Enforcement: b.texts("enforcement"), Prevention: b.texts("prevention")}
		f.storeRest("bridge", item)
		if b.problem != "" {
			f.fail("bridge: %s", b.problem)
		}
	}
	for _, item := range f.objects("deliberation") {
		e.Deliberation = item
	}
}

// storeRest stores the remaining fields of an object in Extra.
func (f *fields) storeRest(name string, item map[string]any) {
	if !empty(item) {
		list, _ := f.entry.Extra[name].([]any)
		f.entry.storeExtra(name, append(list, item))
	}
}

// objects takes a list of objects, or one object, with names in snake_case. A string counts as an object with only a
// text.
func (f *fields) objects(names ...string) []map[string]any {
	value := f.take(names...)
	list, ok := value.([]any)
	if !ok && value != nil {
		list = []any{value}
	}
	objects := make([]map[string]any, 0, len(list))
	for _, item := range list {
		switch v := item.(type) {
		case map[string]any:
			object := make(map[string]any, len(v))
			for name, value := range v {
				object[snake(name)] = value
			}
			objects = append(objects, object)
		case string:
			objects = append(objects, map[string]any{"text": v})
		default:
			f.fail("%s is not a list of objects", names[0])
		}
	}
	return objects
}

// review takes the outcome. Texts without an outcome go to Extra.
func (f *fields) review() {
	outcome := f.oneOf(decisions.OutcomeValues, "outcome")
	r := decisions.Review{Outcome: outcome, ActualResult: f.text("actual_result"), Lessons: f.text("lessons"),
		Notes: f.text("review_notes", "notes"), At: f.time("reviewed_at")}
	if outcome != "" {
		f.entry.Review = &r
		return
	}
	for name, text := range map[string]string{"actual_result": r.ActualResult, "lessons": r.Lessons,
		"review_notes": r.Notes} {
		if text != "" {
			f.entry.storeExtra(name, text)
		}
	}
}

// links takes links {type, target}, and related_to: ids, or {id, distance}.
func (f *fields) links() {
	for _, item := range f.objects("links") {
		l := fields{entry: f.entry, values: item}
		kind, target, weight := l.text("type", "edge_type"), l.text("target", "target_id", "id", "text"),
			l.numberUpToOne("weight")
		if kind == "" || target == "" || l.problem != "" {
			f.fail("links: each needs a type and a target")
			continue
		}
		f.link(kind, target, weight)
	}
	for _, item := range f.objects("related_to", "related", "related_decisions") {
		r := fields{entry: f.entry, values: item}
		id, distance := r.text("id", "decision_id", "text"), r.numberUpToOne("distance")
		if distance != nil {
			*distance = 1 - *distance
		}
		for target := range strings.FieldsFuncSeq(id, func(r rune) bool { return r == ',' || r == ' ' }) {
			f.link("relates_to", target, distance)
		}
	}
}

const weakestWeight = 0.01

func (f *fields) link(kind, target string, weight *float64) {
	l := Link{Type: snake(kind), Target: target, Weight: 1}
	if weight != nil {
		l.Weight = max(*weight, weakestWeight)
	}
	if target != f.entry.ExternalID && !slices.Contains(f.entry.Links, l) {
		f.entry.Links = append(f.entry.Links, l)
	}
}
