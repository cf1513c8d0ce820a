package preparation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/decisions"
	"nomograph/internal/apperr"
	"nomograph/internal/normalize"
	"nomograph/internal/progress"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/policies/check"
)

// PreAction checks an action, searches precedents, summarizes the outcomes of its category and of confirmed patterns,
// and records the decision if it is allowed and recording is requested. A recorded decision was checked as such, with
// action.phase "record"; recording needs a confidence and a known category, otherwise the action is only checked. It
// returns the errors of Check and Record, which say allowed: false. Precedents, calibration or patterns that cannot be
// read are missing from the answer, with a note; the check does not depend on them.
func (s *Store) PreAction(ctx context.Context, p PreActionRequest) (PreActionResult, error) {
	started := time.Now()
	if strings.TrimSpace(p.Action.Description) == "" {
		return PreActionResult{}, apperr.New(apperr.Validation, "action.description is empty").
			WithHint("Describe the planned action in a sentence")
	}
	// An unknown spelling of a category would skip the rules for recording.
	if known := normalize.Name(p.Action.Category); slices.Contains(decisions.CategoryValues, known) {
		p.Action.Category = known
	}
	if _, err := s.graph.Connect(ctx); err != nil {
		return PreActionResult{}, err
	}
	a := &preparing{Store: s, asks: p}
	if err := a.answer(ctx); err != nil {
		return PreActionResult{}, err
	}
	a.out.QueryTimeMS = progress.Milliseconds(started)
	return a.out, nil
}

// preparing is the state of one pre_action.
type preparing struct {
	*Store
	asks     PreActionRequest
	out      PreActionResult
	query    map[string]any // record of the search for the session
	searched map[string]any // record of the search for the decision
	notes    []string       // notes about everything except the verdict
}

func (a *preparing) answer(ctx context.Context) error {
	var around sync.WaitGroup
	around.Go(func() { a.readPrecedents(ctx) })
	defer around.Wait()
	d, why, err := a.draft()
	if err != nil {
		return err
	}
	if d == nil {
		return a.checkOnly(ctx, func() { a.out.NotRecorded = why }, &around)
	}
	if a.asks.RequestKey != "" {
		before, there, err := a.decisions.Repeated(ctx, d)
		if err != nil {
			return err
		}
		if there { // a repeated request is checked by the current rules
			return a.checkOnly(ctx, func() { a.setRecorded(before) }, &around)
		}
	}
	evaluated, err := a.decisions.Evaluate(ctx, d, a.check())
	if err != nil {
		return err
	}
	around.Wait()
	maps.Copy(a.searched, a.query)
	stored, err := a.decisions.StoreDraft(ctx, d, &evaluated)
	if err != nil {
		return err
	}
	if stored.Repeated { // recorded by a concurrent request, so this verdict is not stored
		return a.checkOnly(ctx, func() { a.setRecorded(stored) }, &around)
	}
	a.show(evaluated.Verdict)
	if a.setRecorded(stored); !stored.Success {
		a.out.NotRecorded = "A rule blocks it: do what would make it pass, or force it with a reason"
		a.recordEvents(ctx, evaluated.Verdict)
	}
	return nil
}

// checkOnly checks the action, and waits for precedents, patterns and calibration.
func (a *preparing) checkOnly(ctx context.Context, say func(), around *sync.WaitGroup) error {
	verdict, err := a.checks.Check(ctx, a.check())
	if err != nil {
		return err
	}
	around.Wait()
	say()
	a.show(verdict)
	a.recordEvents(ctx, verdict)
	return nil
}

// recordEvents records the query and the check in the session, for the deliberation of a later decision.
func (a *preparing) recordEvents(ctx context.Context, v check.Verdict) {
	if a.query != nil {
		if !a.checks.MayRecordInputs() {
			delete(a.query, "query") // the check's description has the same text
		}
		a.decisions.Note(ctx, a.caller(), "query", a.query)
	}
	event := a.checks.Event(a.check(), v)
	a.decisions.Note(ctx, a.caller(), event.Type, event.Payload)
}

// draft returns the decision to be recorded, or why nothing is recorded.
func (a *preparing) draft() (*decisions.Draft, string, error) {
	p := a.asks
	switch {
	case p.Options != nil && p.Options.AutoRecord != nil && !*p.Options.AutoRecord:
		return nil, "options.auto_record is false", nil
	case p.Action.Confidence == nil:
		return nil, "Recording needs action.confidence", nil
	case !slices.Contains(decisions.CategoryValues, p.Action.Category):
		why := "Recording needs action.category: " + strings.Join(decisions.CategoryValues, ", ")
		if p.Action.Category != "" {
			why = fmt.Sprintf("Recording needs one of the categories %s; '%s' is not one of them, but rules can read it (action.category)", strings.Join(decisions.CategoryValues, ", "), render.Cut(p.Action.Category, 40))
		}
		return nil, why, nil
	}
	d, err := a.decisions.Draft(decisions.Record{Decision: p.Action.Description, Confidence: *p.Action.Confidence,
		Category: p.Action.Category, Stakes: p.Action.Stakes, ExtraFields: p.ExtraFields})
	if err != nil {
		return nil, "", err
	}
	// The search for precedents is part of the deliberation; its results are filled in later.
	a.searched = map[string]any{"query": render.Cut(redact.Mask(p.Action.Description), 1000)}
	d.AddEvent("query", a.searched)
	return d, "", nil
}

func (a *preparing) check() check.ActionCheck {
	p := a.asks
	return check.ActionCheck{Description: p.Action.Description, Category: p.Action.Category, Stakes: p.Action.Stakes,
		Confidence: p.Action.Confidence,
		Context:    p.Action.Context, Name: p.Action.Name, Params: p.Action.Params, Tags: p.Tags, Reasons: p.Reasons,
		Pattern: p.Pattern, Project: p.Project, Model: p.Model, AgentID: p.AgentID,
		SessionID: p.SessionID, By: p.By}
}

func (a *preparing) caller() decisions.Caller {
	return decisions.Caller{AgentID: a.asks.AgentID,
		Session: decisions.Session{SessionID: a.asks.SessionID, By: a.asks.By}}
}

func (a *preparing) show(v check.Verdict) {
	a.out.Allowed, a.out.VerdictID, a.out.Evaluated = v.Allowed, v.VerdictID, v.Evaluated
	a.out.Guardrails = slices.Concat(v.Violations, v.Warnings)
	for _, o := range v.Violations {
		a.out.BlockReasons = append(a.out.BlockReasons, fmt.Sprintf("%s: %s", o.GuardrailID, o.Message))
	}
	a.addNotes(v.Notes)
	a.addNotes(a.notes)
}

// addNotes adds new notes.
func (a *preparing) addNotes(notes []string) {
	a.out.Notes = decisions.UniqueTexts(append(a.out.Notes, notes...))
}

func (a *preparing) setRecorded(r decisions.Recorded) {
	o := &a.out
	o.Forced, o.Quality = r.Forced, r.Quality
	a.addNotes(r.Notes)
	if !r.Success {
		return
	}
	o.Recorded, o.DecisionID, o.URI, o.Timestamp, o.Repeated = true, &r.ID, r.URI, r.Timestamp, r.Repeated
	o.DeliberationInputs, o.RelatedCount, o.GraphEdgesCreated = r.DeliberationInputs, r.RelatedCount,
		r.GraphEdgesCreated
}
