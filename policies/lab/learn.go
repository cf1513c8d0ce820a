package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/internal/statistics"
	"nomograph/policies/condition"
	"nomograph/policies/learning"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// LearnRequest asks what failed acts have in common.
type LearnRequest struct {
	DecisionID string `json:"decision_id,omitempty" jsonschema:"explain this failure: what distinguished it from the most similar successes" rule:"maxLength=64"`
	Filter
}

// Learned is what failed acts have in common and successful ones do not. Findings are hypotheses: they were selected
// because they fit these acts, and only later acts can confirm them.
type Learned struct {
	Window
	Outcomes Outcomes `json:"outcomes" jsonschema:"recorded decisions in the window"`
	learning.Result
	Findings   []Hypothesis          `json:"findings"`
	Difference *learning.Explanation `json:"difference,omitempty" jsonschema:"differences of the failure of decision_id from similar successes"`
	Notes      []string              `json:"notes"`
	Summary    string                `json:"summary" jsonschema:"the same as Markdown"`
}

// Hypothesis is one finding.
type Hypothesis struct {
	When  string `json:"when" jsonschema:"the facts as a CEL condition"`
	Words string `json:"words"`
	learning.Finding
	Rate         *statistics.Share `json:"rate" jsonschema:"failure rate"`
	PartialFails *statistics.Share `json:"partial_fails,omitempty" jsonschema:"the same, with partial counted as failure; absent without partial outcomes"`
	Examples     []Example         `json:"examples" jsonschema:"latest failures, at most five"`
	Propose      string            `json:"propose,omitempty" jsonschema:"command that proposes the rule; absent with a filter that it does not take"`
	Rule         string            `json:"rule" jsonschema:"pack in YAML with the rule in shadow mode, which denies nothing"`
}

// reviewedDecision is a recorded decision with an outcome.
type reviewedDecision struct {
	record
	facts map[string]any
}

// Learn searches the reviewed decisions of a filter for facts that correlate with failure, or explains one failure.
// Facts are those at the time of recording. Nothing is stored. It returns a validation_error for an invalid time,
// not_found if DecisionID is not a failed decision with stored facts, and the errors of reading the graph.
func (s *Store) Learn(ctx context.Context, q LearnRequest) (Learned, error) {
	w, err := q.window(time.Now().UTC())
	if err != nil {
		return Learned{}, err
	}
	out := Learned{Window: w}
	decided, err := s.readDecisions(ctx, q.Filter, w)
	if err != nil {
		return Learned{}, err
	}
	var known, partial []reviewedDecision
	unstored := 0
	for _, d := range decided {
		out.Outcomes.add(d.Outcome)
		switch {
		case d.Outcome != "success" && d.Outcome != "partial" && d.Outcome != "failure":
		case d.facts == nil:
			unstored++
		case d.Outcome == "partial":
			partial = append(partial, d)
		default:
			known = append(known, d)
		}
	}
	cases := lists.Map(known, func(d reviewedDecision) learning.Case {
		return learning.Case{ID: d.Decision, Agent: d.Agent, Month: d.At.Format("2006-01"), Session: d.group(),
			Failed: d.Outcome == "failure", Facts: d.facts}
	})
	if unstored > 0 {
		out.Notes = append(out.Notes, render.Plural(unstored, "reviewed decision")+
			" left out: their facts were not stored (verdicts.inputs), or are invalid")
	}
	if q.DecisionID != "" {
		return s.explain(q.DecisionID, known, cases, out)
	}
	if out.Result, err = learning.Search(ctx, cases, learning.Flips); err != nil {
		return Learned{}, err
	}
	for i, f := range out.Result.Findings {
		h, err := hypothesis(ctx, f, i+1, w.To, known, partial)
		if err != nil {
			return Learned{}, err
		}
		h.Propose = q.propose(i + 1)
		out.Findings = append(out.Findings, h)
	}
	if len(out.Findings) > 0 && out.Findings[0].Propose == "" {
		out.Notes = append(out.Notes,
			"To propose a finding, leave out all filters but the start of the window: the proposal repeats the search")
	}
	out.note()
	out.Summary = out.markdown()
	return out, nil
}

// readDecisions reads the recorded decisions of a filter, each with the verdict of its recording.
func (s *Store) readDecisions(ctx context.Context, f Filter, w Window) ([]reviewedDecision, error) {
	last := map[string]int{}
	var all []reviewedDecision
	err := each(ctx, s.source(f, w), "Reading verdicts", func(records []record) error {
		for _, r := range records {
			if r.Decision == "" || r.Retracted {
				continue
			}
			d := reviewedDecision{record: r, facts: r.facts()}
			d.Inputs, d.Applied, d.AppliedResults = "", nil, nil // parsed above, and large
			if at, ok := last[r.Decision]; ok {
				all[at] = d
				continue
			}
			last[r.Decision] = len(all)
			all = append(all, d)
		}
		return nil
	})
	return all, err
}

// maxFactLength is the maximum length of a text that counts as a fact. Longer texts are rarely shared by acts.
const maxFactLength = 100

// facts returns the facts of a stored action by path, or nil if they are missing or invalid. Masked values are left
// out.
func (r *record) facts() map[string]any {
	_, action, _, ok, err := r.past().Action()
	if err != nil || !ok {
		return nil
	}
	masked := map[string]bool{}
	for _, path := range r.Masked {
		text, _ := path.(string)
		text, _, _ = strings.Cut(text, "[") // an item of a list
		masked[text] = true
	}
	facts := map[string]any{}
	add := func(path string, value any) {
		if masked[path] {
			return
		}
		switch v := value.(type) {
		case string:
			if v != "" && len(v) <= maxFactLength {
				facts[path] = v
			}
		case []string:
			if len(v) > 0 {
				facts[path] = v
			}
		case bool, float64:
			facts[path] = v
		}
	}
	add("action.category", action.Category)
	add("action.name", action.Name)
	add("action.pattern", action.Pattern)
	add("action.stakes", action.Stakes.String())
	add("action.tags", action.Tags)
	add("project", r.Project)
	if action.Confidence != nil {
		add("action.confidence", *action.Confidence)
	}
	var walk func(path string, value any, depth int)
	walk = func(path string, value any, depth int) {
		switch v := value.(type) {
		case map[string]any:
			for name, inner := range v {
				if depth < 3 && condition.Selectable(name) {
					walk(path+"."+name, inner, depth+1)
				}
			}
		case []any:
			var texts []string
			for _, item := range v {
				if text, ok := item.(string); ok && len(text) <= maxFactLength {
					texts = append(texts, text)
				}
			}
			add(path, texts)
		case int64:
			add(path, float64(v))
		default:
			add(path, v)
		}
	}
	walk("action.params", action.Params, 0)
	walk("action.context", action.Context, 0)
	return facts
}

func hypothesis(ctx context.Context, f learning.Finding, number int, until time.Time,
	known, partial []reviewedDecision) (Hypothesis, error) {
	h := Hypothesis{When: learning.Expression(f.Conditions), Finding: f}
	h.Words = strings.Join(lists.Map(f.Conditions, learning.Condition.String), " and ")
	var trials []statistics.Case
	var failed []reviewedDecision
	for _, i := range f.Cases {
		d := known[i]
		trials = append(trials, statistics.Case{Group: d.group(), Hit: d.Outcome == "failure"})
		if d.Outcome == "failure" {
			failed = append(failed, d)
		}
	}
	h.Rate = statistics.ShareOf(trials)
	before := len(trials)
	for _, d := range partial {
		if learning.Matches(f.Conditions, d.facts) {
			trials = append(trials, statistics.Case{Group: d.group(), Hit: true})
		}
	}
	if len(trials) > before {
		h.PartialFails = statistics.ShareOf(trials)
	}
	newest := func(a, b reviewedDecision) int { return b.At.Compare(a.At) }
	slices.SortFunc(failed, newest)
	for _, d := range failed[:min(5, len(failed))] {
		example := d.example()
		example.Description, example.Outcome, example.Overridden = render.Title(d.Description), d.Outcome,
			d.OverriddenBy
		h.Examples = append(h.Examples, example)
	}
	var passed []reviewedDecision // the latest success that does not violate the rule
	for _, d := range known {
		if d.Outcome == "success" && !learning.Matches(f.Conditions, d.facts) &&
			(len(passed) == 0 || d.At.After(passed[0].At)) {
			passed = []reviewedDecision{d}
		}
	}
	var err error
	h.Rule, err = rulePack(ctx, h, number, until, failed, passed)
	return h, err
}

// recordingFact is a fact that only recordings have, so test cases do not have it.
const recordingFact = "action.pattern"

// testCase converts a decision to a test case with its stored facts and the rules that object in shadow mode.
func (d reviewedDecision) testCase(kind string, shadow ...string) pack.GeneratedCase {
	out := pack.GeneratedCase{Name: pack.Words(kind + " decision " + d.Decision),
		Action: map[string]any{"description": cmp.Or(render.Title(d.Description), "(no description)")}}
	out.Expect.Shadow = shadow
	for path, value := range d.facts {
		if path == recordingFact { // checks do not have this fact
			continue
		}
		at := out.Action
		keys := strings.Split(strings.TrimPrefix(path, "action."), ".")
		for _, key := range keys[:len(keys)-1] {
			inner, ok := at[key].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[key] = inner
			}
			at = inner
		}
		at[keys[len(keys)-1]] = value
	}
	return out
}

// propose returns the command that proposes a finding. It repeats the search with the start of the window as its only
// filter.
func (q LearnRequest) propose(number int) string {
	others := q.Filter
	others.DateAfter = ""
	if others != (Filter{}) {
		return ""
	}
	command := fmt.Sprintf("nomograph policy propose --from-finding %d", number)
	if q.DateAfter != "" {
		command += " --since " + shellWord(q.DateAfter)
	}
	return command
}

// shellWord quotes a text as one word of a shell.
func shellWord(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/=+") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// rulePack returns the finding as a pack with a rule in shadow mode. The acts of the finding violate the rule, which
// denies nothing, so later acts show whether the finding holds.
func rulePack(ctx context.Context, h Hypothesis, number int, until time.Time,
	failed, passed []reviewedDecision) (string, error) {
	name := fmt.Sprintf("learned-%d", number)
	learned := pack.Generated{Pack: pack.Words(name),
		Description: "A hypothesis from reviewed decisions. In shadow mode it denies nothing.",
		Policies: []pack.GeneratedPolicy{{Name: pack.Words(name), Active: true, Severity: rule.Warn, Mode: rule.Shadow,
			Description: pack.Words(fmt.Sprintf("Acts where %s failed %d of %d times, others %s.", h.Words, h.Failures,
				h.Acts, percent(h.Elsewhere))),
			AppliesWhen: pack.Words(h.When), Requires: "false",
			Message: pack.Words(fmt.Sprintf("Acts like this failed %d of %d times", h.Failures, h.Acts)),
			// The text has no ids of decisions, because every reader of rules sees it and some may not see the
			// decisions.
			Rationale: pack.Words(fmt.Sprintf("A hypothesis from the reviews until %s. Its proposal links to failed decisions.",
				until.Format(time.DateOnly)))}}}
	if strings.Contains(h.When, recordingFact) {
		failed, passed = nil, nil
	}
	for _, d := range failed[:min(2, len(failed))] {
		learned.Tests = append(learned.Tests, d.testCase("failed", name))
	}
	for _, d := range passed {
		learned.Tests = append(learned.Tests, d.testCase("successful"))
	}
	text, err := learned.Text(ctx)
	if err != nil {
		return "", apperr.New(apperr.Internal, "A finding could not be written as a rule").
			WithHint("Report it, with the finding").Because(err)
	}
	return text, nil
}

// minIDLength is the minimum length of a prefix of a decision's id.
const minIDLength = 4

// explain compares a failure with the most similar successes.
func (s *Store) explain(id string, known []reviewedDecision, cases []learning.Case, out Learned) (Learned, error) {
	at := -1
	for i, d := range known {
		if d.Outcome != "failure" || len(lower(id)) < minIDLength || !strings.HasPrefix(d.Decision, lower(id)) {
			continue
		}
		if at >= 0 {
			return Learned{}, apperr.Newf(apperr.Conflict, "Several failed decisions match '%s'", id).
				WithHint("Use all 8 characters of the id")
		}
		at = i
	}
	if at < 0 {
		return Learned{}, apperr.Newf(apperr.NotFound, "No failed decision %s with stored facts is in the window", id).
			WithHint("Use the id of a decision that was reviewed as failure, and leave out filters")
	}
	difference := learning.Explain(cases, at)
	out.Difference = &difference
	out.Acts, out.Failures = len(cases), len(lists.Filter(cases, func(c learning.Case) bool { return c.Failed }))
	out.Notes = append(out.Notes,
		"A difference is no cause: one failure cannot show more than what was unusual about it")
	out.Summary = out.explanation(known[at])
	return out, nil
}

// note adds the limitations of the answer.
func (l *Learned) note() {
	if l.Failures == 0 {
		l.Notes = append(l.Notes, "No reviewed decision failed, so there is nothing to learn from")
	}
	if l.Failures > 0 && l.Combined == 1 {
		l.Notes = append(l.Notes,
			"With fewer than 100 failures only single facts are examined: combinations could not be told from chance")
	}
	if l.Tested < l.Acts {
		l.Notes = append(l.Notes,
			render.Plural(l.Acts-l.Tested, "act")+" of agents with a single session compare with nothing")
	}
	if len(l.Findings) > 0 {
		l.Notes = append(l.Notes,
			"Findings are hypotheses: apply a rule in shadow mode, and judge it by acts after that")
	}
	l.Notes = append(l.Notes,
		"People review what they notice: facts that make a failure noticed can look like facts that make it")
}
