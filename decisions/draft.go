package decisions

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/trace"
)

// Draft is a decision that is about to be recorded, with defaults filled in and secrets masked.
type Draft struct {
	Record
	UID   string
	ID    string // set when stored
	Agent string // deciding agent; empty if unknown

	stated        Record        // the caller's input
	statedEvents  []trace.Event // deliberation stated by the caller
	known         pendingEvents // deliberation recorded in the session
	bridgeMethod  string
	quality       Quality
	reviewDays    *int64
	authenticated bool            // the agent is authenticated
	duplicates    func() []string // returns notes about decisions like this one
}

// NewDraft builds a draft: secrets masked, duplicate tags removed, both sides of the bridge derived. The input stays
// unchanged.
func NewDraft(uid, agent string, stated Record) *Draft {
	d := &Draft{Record: stated, UID: uid, Agent: agent}
	d.mask()
	d.Tags = UniqueTexts(d.Tags)
	d.bridge()
	return d
}

// deliberated returns all events of the deliberation: those of the session, then the stated ones.
func (d *Draft) deliberated() []trace.Event {
	events := make([]trace.Event, 0, len(d.known.events)+len(d.statedEvents))
	for _, e := range d.known.events {
		events = append(events, trace.Event{Type: e.Type, Payload: e.Payload})
	}
	return append(events, d.statedEvents...)
}

// AddEvent adds an event to the deliberation, before the events that the caller states. The payload can be changed
// until it is stored.
func (d *Draft) AddEvent(kind string, payload map[string]any) {
	d.statedEvents = append([]trace.Event{{Type: kind, Payload: payload}}, d.statedEvents...)
}

// Draft validates what the schema cannot and fills in defaults. It returns a validation_error.
func (s *Store) Draft(r Record) (*Draft, error) {
	if strings.TrimSpace(r.Decision) == "" {
		return nil, apperr.New(apperr.Validation, "`decision` is empty").WithHint("State the choice in a sentence")
	}
	settled := r
	settled.Stakes, settled.Visibility, settled.Project = cmp.Or(r.Stakes, "medium"), cmp.Or(r.Visibility, "private"),
		cmp.Or(r.Project, s.Settings.Project)
	d := NewDraft(s.NewUID(), trace.Actor(r.AgentID, r.By), settled)
	d.stated, d.statedEvents = r, r.Deliberation.events()
	if err := checkItems(append(slices.Clone(d.Tags), d.SharedWith...), d.KPIIndicators, r.Bridge); err != nil {
		return nil, err
	}
	days, err := daysOf(r.ReviewIn)
	d.reviewDays = days
	return d, err
}

// Evaluate evaluates the rules for a draft. In parallel, it reads the pending events of the session and searches for
// duplicates. Rules also see the name, params and context of about.
func (s *Store) Evaluate(ctx context.Context, d *Draft, about check.ActionCheck) (check.Evaluation, error) {
	d.authenticated, d.duplicates = caller.From(ctx).Authenticated, s.findDuplicates(ctx, d)
	pending := sync.OnceValues(func() (pendingEvents, error) {
		return s.pending(ctx, Caller{d.Agent, Session{SessionID: d.SessionID}})
	})
	go func() { _, _ = pending() }() // the rules wait for it
	action := d.check(func() (_ *check.Recording, err error) {
		if d.known, err = pending(); err != nil {
			return nil, err
		}
		d.quality = qualityOf(d)
		return d.asRecording(), nil
	})
	action.Name, action.Params, action.Context = about.Name, about.Params, about.Context
	return s.checks.Evaluate(ctx, action)
}

// check returns the policy check of the draft.
func (d *Draft) check(recording func() (*check.Recording, error)) check.ActionCheck {
	return check.ActionCheck{Description: d.Decision, Category: d.Category, Stakes: d.Stakes, Confidence: &d.Confidence,
		Tags:    d.Tags,
		Project: d.Project, Model: d.Model, AgentID: d.Agent, SessionID: d.SessionID, Recording: recording}
}

func (d *Draft) asRecording() *check.Recording {
	return &check.Recording{Pattern: d.Pattern, QualityScore: d.quality.Score, Reasons: check.ReasonFacts(d.Reasons),
		DeliberationCount: len(d.known.events) + len(d.statedEvents)}
}

// Properties returns the stored properties, except those that the statement adds.
func (d *Draft) Properties(now time.Time) map[string]any {
	p := map[string]any{"uid": d.UID, "id": d.ID, "schema_version": 1, "decision": d.Decision,
		"confidence": d.Confidence, "category": d.Category,
		"stakes": d.Stakes, "status": "pending", "agent": d.Agent, "agent_asserted": !d.authenticated,
		"visibility": d.Visibility, "quality_score": d.quality.Score,
		"revision": 0, "bridge_method": d.bridgeMethod}
	for name, text := range map[string]string{"context": d.Context, "project": d.Project, "feature": d.Feature,
		"file": d.File, "commit": d.Commit, "pattern": d.Pattern, "mental_state": d.MentalState} {
		p[name] = graph.NullIfEmpty(text)
	}
	if d.RequestKey != "" {
		p["request_key"], p["request_hash"] = d.requestKey(), d.requestHash()
	}
	for name, list := range map[string][]string{"tags": d.Tags, "kpi_indicators": d.KPIIndicators,
		"shared_with": d.SharedWith} {
		if len(list) > 0 {
			p[name] = graph.List(list)
		}
	}
	maps.Copy(p, d.Bridge.properties())
	for name, number := range map[string]int64{"pr": d.PR, "line": d.Line} {
		if number > 0 {
			p[name] = number
		}
	}
	maps.DeleteFunc(p, func(_ string, value any) bool { return value == nil })
	SearchText(p, d.Reasons, "", now)
	return p
}

// daysOf parses 7d, 2w or 1m (30 days); nil for an empty text.
func daysOf(period string) (*int64, error) {
	if period == "" {
		return nil, nil
	}
	unit := map[byte]int64{'d': 1, 'w': 7, 'm': 30}[period[len(period)-1]]
	n, err := strconv.ParseInt(period[:len(period)-1], 10, 64)
	if unit == 0 || err != nil || n < 1 || n > 3650 {
		return nil, apperr.Newf(apperr.Validation, "Invalid `review_in` '%s'", period).
			WithHint("Use a number of days, weeks or months, such as 7d, 2w or 1m")
	}
	return new(n * unit), nil
}
