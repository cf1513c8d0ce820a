package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/internal/tokencount"
	"nomograph/internal/uid"
	"nomograph/memory/claims"
	"nomograph/memory/turns"
)

// Notes is the source of the sessions that hold facts. Each agent has one such session of kind Imported in each
// project.
const Notes = "notes"

// RememberRequest is a note or fact to store.
type RememberRequest struct {
	Text       string   `json:"text" jsonschema:"note or fact, as one statement that can be understood without this session" rule:"minLength=1,maxLength=8000"`
	Subject    string   `json:"subject,omitempty" jsonschema:"subject, such as cache expiry; supersedes earlier facts of the same subject in this project" rule:"maxLength=200"`
	ValidFrom  string   `json:"valid_from,omitempty" jsonschema:"start of validity: a time, a day, or an age such as 1h or 2w (default now)" rule:"maxLength=40"`
	ValidUntil string   `json:"valid_until,omitempty" jsonschema:"end of validity (default until superseded)" rule:"maxLength=40"`
	Supersedes []string `json:"supersedes,omitempty" jsonschema:"ids of facts that the new fact replaces" rule:"maxItems=50"`
	Visibility string   `json:"visibility,omitempty" rule:"enum=private|project|shared,default=\"private\""`
	Project    string   `json:"project,omitempty" jsonschema:"project (default the current project)" rule:"maxLength=200"`
	AgentID    string   `json:"agent_id,omitempty" jsonschema:"remembering agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	By         string   `json:"-"`
}

// Fact is a note or fact in a result.
type Fact struct {
	ID           string    `json:"id"`
	Text         string    `json:"text" recorded:"lines"`
	ValidFrom    time.Time `json:"valid_from"`
	ValidUntil   time.Time `json:"valid_until,omitzero"`
	SupersededAt time.Time `json:"superseded_at,omitzero"`
}

// RememberResult is the stored fact and the facts that it supersedes.
type RememberResult struct {
	ID           string    `json:"id"`
	Project      string    `json:"project"`
	Agent        string    `json:"agent"`
	ValidFrom    time.Time `json:"valid_from"`
	ValidUntil   time.Time `json:"valid_until,omitzero"`
	SupersededBy string    `json:"superseded_by,omitempty" jsonschema:"id of a fact that is valid from a later time"`
	Known        bool      `json:"known,omitempty" jsonschema:"true if the same fact was stored before and is still valid; nothing new was stored"`
	Superseded   []Fact    `json:"superseded" jsonschema:"facts that it replaces"`
}

// fact is a validated request.
type fact struct {
	Chunk
	key         string // key of the fact's project and agent
	subject     string // normalized subject
	claims      []claims.Claim
	ids         []string
	from, until time.Time
}

// existingFact is a fact that the new one may supersede.
type existingFact struct {
	UID, Text, Agent, Hash, Subject string
	At, ValidFrom                   time.Time
	ValidUntil, SupersededAt        time.Time // zero for none
	explicit                        bool      // named in the request
}

// Remember stores a note or fact with its period of validity. It supersedes the named facts, those with the same
// subject, and those that make the same single statement with a different value, all in its project. For the latter
// two, the fact whose validity starts later supersedes the other. It returns a validation_error for an invalid period,
// not_found for an id that is not a fact of the project, and a conflict for an ambiguous id.
func (s *Store) Remember(ctx context.Context, r RememberRequest) (RememberResult, error) {
	f, err := s.fact(r)
	if err != nil {
		return RememberResult{}, err
	}
	made, err := s.search.Prepare(ctx, []string{f.Text})
	if err != nil {
		return RememberResult{}, err
	}
	f.Vectors = made[0]
	var stored RememberResult
	for try := 0; try < 3; try++ { // a concurrent request may have created the session
		err = s.graph.Write(ctx, func(tx *graph.Tx) (err error) {
			stored, err = s.storeFact(ctx, tx, f)
			return err
		})
		if !graph.IsUniqueViolation(err) {
			break
		}
	}
	if err != nil {
		return RememberResult{}, err
	}
	s.search.Wake() // to compute missing vectors
	return stored, nil
}

// fact validates a request.
func (s *Store) fact(r RememberRequest) (fact, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	f := fact{from: now}
	var err error
	if r.ValidFrom != "" {
		if f.from, err = timeparse.Parse("valid_from", r.ValidFrom); err != nil {
			return f, err
		}
	}
	if r.ValidUntil != "" {
		if f.until, err = timeparse.Parse("valid_until", r.ValidUntil); err != nil {
			return f, err
		}
		if !f.from.Before(f.until) {
			return f, apperr.Newf(apperr.Validation, "`valid_until` %s is not after `valid_from` %s",
				f.until.Format(time.RFC3339), f.from.Format(time.RFC3339)).
				WithHint("Use a later `valid_until` or an earlier `valid_from`")
		}
	}
	text := strings.TrimSpace(strings.ToValidUTF8(redact.Mask(r.Text), "\uFFFD"))
	if text == "" {
		return f, apperr.New(apperr.Validation, "`text` is empty").WithHint("State in a sentence what to remember")
	}
	tokens := tokencount.Tokens(text) // the store's counter is not safe for concurrent use; the worker uses it
	if tokens > turns.MaxTokens {
		return f, apperr.Newf(apperr.Validation, "`text` has %d tokens; a fact has at most %d", tokens,
			turns.MaxTokens).WithHint("Remember one statement at a time")
	}
	for _, id := range r.Supersedes {
		if id = strings.ToLower(strings.TrimSpace(id)); len(id) < minIDLength {
			return f, apperr.Newf(apperr.Validation, "`supersedes` has '%s', which is too short for an id", id).
				WithHint("Use an id from `remember`, `recall` or `explain`")
		}
		f.ids = append(f.ids, id)
	}
	subject := render.OneLine(strings.TrimSpace(redact.Mask(r.Subject)))
	agent := redact.Mask(cmp.Or(strings.TrimSpace(r.AgentID), r.By))
	f.Chunk = Chunk{UID: uid.New(), Kind: FactKind, Project: r.Project, Agent: agent, At: now, EndsAt: now,
		Tokens: int64(tokens), Text: text, Hash: HashOf(text), Title: subject, Terms: subject,
		Visibility: cmp.Or(r.Visibility, Private)}
	f.subject, f.claims = strings.Join(strings.Fields(strings.ToLower(subject)), " "), claims.In(text)
	f.key = caller.Key(r.Project) + "\n" + caller.Key(agent)
	keys := []string{}
	for _, c := range f.claims {
		keys = append(keys, strings.Join(c.Key, " "))
	}
	f.Extra = map[string]any{"valid_from": graph.UTC(f.from), "claims": keys}
	if !f.until.IsZero() {
		f.Extra["valid_until"] = graph.UTC(f.until)
	}
	if subject != "" {
		f.Extra["subject"], f.Extra["subject_key"] = subject, f.subject
	}
	return f, nil
}

const minIDLength = 8 // length of the id suffixes that results show

// storeFact writes a fact in a transaction.
func (s *Store) storeFact(ctx context.Context, tx *graph.Tx, f fact) (RememberResult, error) {
	names, err := graph.All[struct{ Key, Name string }](ctx, tx, cypher.ProjectNames,
		graph.Params{"keys": []string{caller.Key(f.Project)}})
	if err != nil {
		return RememberResult{}, err
	}
	if len(names) > 0 {
		f.Project = names[0].Name
	}
	opened, err := graph.One[struct{ UID string }](ctx, tx, cypher.ConversationsOpen,
		graph.Params{"conversations": []any{map[string]any{"source": Notes, "external_id": f.key, "uid": uid.New(),
			"id": Notes + ":" + strings.ReplaceAll(f.key, "\n", ":"), "agent": caller.Key(f.Agent), "workspace": nil,
			"parent": nil, "at": graph.UTC(f.At)}}})
	if err != nil {
		return RememberResult{}, err
	}
	older, newer, same, err := s.existingFacts(ctx, tx, f)
	if err != nil {
		return RememberResult{}, err
	}
	stored := RememberResult{Project: f.Project, Agent: f.Agent, ValidFrom: f.from.UTC(), ValidUntil: f.until.UTC()}
	if same != nil && len(older) == 0 {
		stored.ID, stored.Known, stored.ValidFrom = same.UID, true, same.ValidFrom.UTC()
		return stored, nil
	}
	places, err := graph.One[struct{ Next int64 }](ctx, tx, cypher.FactsNext, graph.Params{"session": opened.UID})
	if err != nil {
		return RememberResult{}, err
	}
	if _, err := s.ReplaceChunks(ctx, tx, []SessionChunks{{Session: opened.UID, Project: f.Project, Agent: f.Agent,
		Visibility: f.Visibility, From: places.Next, Chunks: []Chunk{f.Chunk},
		Set: map[string]any{"closed": places.Next + 1, "title": "Notes"}}}); err != nil {
		return RememberResult{}, err
	}
	stored.ID = f.UID
	rows := []any{}
	for _, o := range older {
		rows = append(rows, map[string]any{"newer": stored.ID, "older": o.UID, "at": graph.UTC(f.from)})
		stored.Superseded = append(stored.Superseded,
			Fact{ID: o.UID, Text: o.Text, ValidFrom: o.ValidFrom, ValidUntil: o.ValidUntil, SupersededAt: f.from.UTC()})
	}
	if newer != nil {
		stored.SupersededBy = newer.UID
		rows = append(rows, map[string]any{"newer": newer.UID, "older": stored.ID, "at": graph.UTC(newer.ValidFrom)})
	}
	if len(rows) == 0 {
		return stored, nil
	}
	return stored, tx.Run(ctx, cypher.FactsSupersede, graph.Params{"facts": rows})
}

// existingFacts returns the facts that a new one supersedes, the fact that supersedes it, and a valid fact with the
// same text.
func (s *Store) existingFacts(ctx context.Context, tx *graph.Tx, f fact) (older []existingFact, newer,
	same *existingFact, err error) {
	ids := append([]string{}, f.ids...)
	rows, err := graph.All[existingFact](ctx, tx, cypher.FactsSupersedable,
		graph.Params{"project": f.Project, "prefix": caller.Key(f.Project) + "\n",
			"subject": graph.NullIfEmpty(f.subject),
			"claims":  f.Extra["claims"], "ids": ids, "hash": f.Hash})
	if err != nil {
		return nil, nil, nil, err
	}
	for _, id := range ids {
		var matching []string
		for i := range rows {
			if strings.HasSuffix(rows[i].UID, id) {
				rows[i].explicit = true
				matching = append(matching, rows[i].UID)
			}
		}
		switch {
		case len(matching) == 0:
			return nil, nil, nil, apperr.Newf(apperr.NotFound, "Fact '%s' not found in the memory of '%s'", id,
				f.Project).WithHint("Find the ids of facts with `recall`; other chunks have none")
		case len(matching) > 1:
			return nil, nil, nil, apperr.Newf(apperr.Conflict, "Several facts match '%s'", id).
				WithHint("Use more of the id: %s", strings.Join(matching, ", ")).With("facts", matching)
		}
	}
	for i, row := range rows {
		switch {
		case row.explicit:
			older = append(older, row)
		case !row.SupersededAt.IsZero():
		case row.Hash == f.Hash && f.until.IsZero() && row.ValidUntil.IsZero():
			same = &rows[i]
		case row.Agent != f.Agent && f.Visibility == Private: // a private fact does not supersede facts of other agents, who cannot see it
		case (f.subject == "" || row.Subject != f.subject) && !replacesValue(f.claims, row.Text):
		case row.ValidFrom.After(f.from):
			newer = cmp.Or(newer, &rows[i])
		default:
			older = append(older, row)
		}
	}
	return older, newer, same, nil
}

// replacesValue reports whether a text makes the same single statement with a different value. Texts with several
// statements are never replaced, because only a part of them would be outdated.
func replacesValue(all []claims.Claim, text string) bool {
	had := claims.In(text)
	return len(all) == 1 && len(had) == 1 && slices.Equal(all[0].Key, had[0].Key) && all[0].Replaces(had[0])
}
