package agents

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"nomograph/cypher"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/uid"
	"nomograph/search"
	"nomograph/trace"
)

// Announcement describes the action that an agent is about to take.
type Announcement struct {
	Intent        string           `json:"intent" jsonschema:"what you are about to do; other agents read it" rule:"minLength=1,maxLength=10000"`
	Context       string           `json:"context,omitempty" jsonschema:"background; other agents read it" rule:"maxLength=20000"`
	Category      string           `json:"category,omitempty" jsonschema:"architecture, process, integration, tooling, security, or your own" rule:"maxLength=100"`
	Stakes        string           `json:"stakes,omitempty" rule:"enum=low|medium|high|critical,default=\"medium\""`
	Confidence    *float64         `json:"confidence,omitempty" jsonschema:"0.0 to 1.0" rule:"minimum=0,maximum=1"`
	Facts         graph.Parameters `json:"facts,omitempty" jsonschema:"facts for rules, such as codeReviewCompleted; not sent to other servers"`
	Project       string           `json:"project,omitempty" jsonschema:"owner/repo; not sent to other servers" rule:"maxLength=200"`
	CorrelationID string           `json:"correlation_id,omitempty" jsonschema:"idempotency key: the same key announces once; generated if absent" rule:"maxLength=200"`
	AgentID       string           `json:"agent_id,omitempty" jsonschema:"announcing agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	By            string           `json:"-"`
}

// AnnounceRequest is an announcement to this server.
type AnnounceRequest struct {
	Announcement
	AgentURL string `json:"agent_url,omitempty" jsonschema:"URL of the agent" rule:"maxLength=2000"`
}

// AnnounceResult is the answer to an announcement. The fields for guardrails and precedents are absent if this server
// does not answer automatically; agents vote later.
type AnnounceResult struct {
	Received         bool      `json:"received"`
	CorrelationID    string    `json:"correlation_id"`
	IntentID         string    `json:"intent_id,omitempty" jsonschema:"absent if this server stores no intents"`
	Repeated         bool      `json:"repeated,omitempty" jsonschema:"true if it was announced before; it is stored once"`
	SimilarDecisions []Similar `json:"similar_decisions"`
	GuardrailStatus  *Verdict  `json:"guardrail_status,omitempty"`
	Suggestions      []string  `json:"suggestions"`
	Notes            []string  `json:"notes,omitempty"`
}

// Denied reports whether the guardrails deny the intent.
func (a AnnounceResult) Denied() bool { return a.GuardrailStatus != nil && !a.GuardrailStatus.Allowed }

// Similar is a decision similar to the announced one.
type Similar struct {
	Shared
	Notes string `json:"notes,omitempty" jsonschema:"lessons of its review, and the decisions that supersede it; only for callers with the read permission"`
}

// Announce stores an intent, evaluates it and searches similar decisions, as Settings say. An intent with the same
// agent and correlation id is stored once; repeating it returns the stored answer. It returns a conflict if the
// correlation id belongs to a different intent, and the errors of check.Store.Check, which say allowed: false.
func (s *Store) Announce(ctx context.Context, a AnnounceRequest) (AnnounceResult, error) {
	a.mask()
	if strings.TrimSpace(a.Intent) == "" {
		return AnnounceResult{}, apperr.New(apperr.Validation, "`intent` is empty").
			WithHint("Describe the planned action in a sentence")
	}
	out := AnnounceResult{Received: true, CorrelationID: cmp.Or(a.CorrelationID, uid.Random())}
	if s.Settings.AutoRespond {
		if err := s.respond(ctx, a, &out); err != nil {
			return AnnounceResult{}, err
		}
	}
	if !s.Settings.StoreReceived {
		return out, nil
	}
	stored, err := s.storeIntent(ctx, a, out)
	if err != nil {
		return AnnounceResult{}, err
	}
	out.IntentID, out.Repeated = stored.ID, !stored.New
	return out, nil
}

// Act returns the announced action.
func (a Announcement) Act() Act {
	return Act{Description: a.Intent, Category: a.Category, Stakes: a.Stakes, Confidence: a.Confidence,
		Context: a.Facts, Project: a.Project, AgentID: a.AgentID, By: a.By}
}

func (a *AnnounceRequest) mask() {
	for _, text := range []*string{&a.Intent, &a.Context, &a.Category, &a.Project, &a.AgentURL} {
		*text = redact.Mask(*text)
	}
	a.Stakes, a.CorrelationID = cmp.Or(a.Stakes, "medium"), strings.TrimSpace(a.CorrelationID)
}

// respond checks the guardrails and searches precedents in parallel.
func (s *Store) respond(ctx context.Context, a AnnounceRequest, out *AnnounceResult) error {
	var looking sync.WaitGroup
	looking.Go(func() {
		similar, notes, err := s.similar(ctx, a)
		if err != nil {
			notes = append(notes, "Similar decisions could not be read: "+apperr.From(err).Message)
		}
		out.SimilarDecisions, out.Notes = append(out.SimilarDecisions, similar...), notes
	})
	judgment, err := s.Ask(ctx, Action{Act: a.Act()})
	looking.Wait()
	if err != nil {
		return err
	}
	out.GuardrailStatus = &judgment
	out.Suggestions = append(out.Suggestions, suggestions(a, judgment, out.SimilarDecisions)...)
	return nil
}

// maxSimilar is the maximum number of precedents in an answer.
const maxSimilar = 5

// similar returns decisions like the announced one. A caller who may read decisions gets all that are visible to it,
// with their lessons; others get the decisions that are shared with them.
func (s *Store) similar(ctx context.Context, a AnnounceRequest) ([]Similar, []string, error) {
	text := strings.TrimSpace(a.Intent + "\n" + a.Context)
	q := precedents.Query{Query: render.Cut(text, 20000), Limit: min(maxSimilar, s.limit()), RetrievalMode: "semantic",
		NoLinks: true}
	if !caller.From(ctx).May(caller.Read) {
		q.Nearest = true // only shared titles decide what is relevant
		found, err := s.searchShared(ctx, q)
		var out []Similar
		relevant := search.Relevance(text)
		for _, d := range found.Decisions {
			if relevant(d.Title, "") {
				out = append(out, Similar{Shared: d})
			}
		}
		return out, found.Notes, err
	}
	found, _, err := s.precedents.Find(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	var out []Similar
	for _, d := range found.Decisions {
		scores := found.Scores[d.ID]
		one := Similar{Shared: SharedView(d.Summary, Distance(scores.Semantic, scores.Keyword)),
			Notes: render.FirstLine(cmp.Or(d.Lessons, d.ActualResult))}
		if len(d.SupersededBy) > 0 {
			one.Notes = strings.TrimSuffix("superseded by "+strings.Join(d.SupersededBy, ", ")+": "+one.Notes, ": ")
		}
		if 1-one.Distance >= s.Settings.MinScore {
			out = append(out, one)
		}
	}
	return out, found.Notes, nil
}

type storedIntent struct {
	ID, Hash string
	New      bool
}

// storeIntent stores an intent with this server's vote.
func (s *Store) storeIntent(ctx context.Context, a AnnounceRequest, out AnnounceResult) (storedIntent, error) {
	who := caller.From(ctx)
	name := trace.Actor(a.AgentID, a.By)
	intent := map[string]any{"uid": uid.New(), "schema_version": 1, "correlation_id": out.CorrelationID,
		"intent": a.Intent, "stakes": a.Stakes, "agent_asserted": !who.Authenticated, "hash": a.hash()}
	for key, text := range map[string]string{"context": a.Context, "category": a.Category, "project": a.Project,
		"agent_url": a.AgentURL} {
		if text != "" {
			intent[key] = text
		}
	}
	if a.Confidence != nil {
		intent["confidence"] = *a.Confidence
	}
	if len(a.Facts) > 0 {
		masked, _ := redact.Value(map[string]any(a.Facts))
		text, err := json.Marshal(masked)
		if err != nil {
			return storedIntent{}, apperr.New(apperr.Validation, "facts must be a JSON object").
				WithHint("Use a form such as {\"file\": \"main.go\"}").Because(err)
		}
		intent["facts"] = string(text)
	}
	voices := []any{}
	if j := out.GuardrailStatus; j != nil {
		intent["verdict"], intent["allowed"] = j.VerdictID, j.Allowed
		voices = append(voices, map[string]any{"uid": uid.New(), "schema_version": 1, "agent": s.Settings.Name,
			"agent_key": caller.Key(s.Settings.Name), "allowed": j.Allowed,
			"reasons": graph.List(reasons(*j)), "verdict": j.VerdictID, "auto": true})
	}
	stored, err := graph.Append[storedIntent](ctx, s.graph, cypher.IntentAnnounce,
		graph.Params{"intent": intent, "voices": voices,
			"agent": map[string]any{"key": caller.Key(name), "name": name, "uid": uid.New(), "schema_version": 1}})
	if err != nil {
		return storedIntent{}, apperr.From(err).Deny()
	}
	if stored.Hash != intent["hash"] {
		return storedIntent{}, apperr.Newf(apperr.Conflict,
			"'%s' already announced a different intent with this correlation id", name).
			WithHint("Use a new correlation id for each intent, or leave it out").With("intent_id", stored.ID)
	}
	return stored, nil
}

// reasons returns the violations of guardrails, one line each.
func reasons(j Verdict) []string {
	reasons := j.Violations
	if j.Allowed {
		reasons = j.Warnings
	}
	return lists.Map(reasons, func(o Violation) string { return o.GuardrailID + ": " + o.Message })
}

// hash identifies the content of an announcement. It distinguishes a repetition from another announcement with the same
// correlation id.
func (a AnnounceRequest) hash() string {
	a.AgentID, a.AgentURL, a.By, a.CorrelationID = "", "", "", ""
	encoded, err := json.Marshal(a)
	if err != nil { // cannot happen: strings, numbers and decoded JSON
		panic(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(encoded))
}
