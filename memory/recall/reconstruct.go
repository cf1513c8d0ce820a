package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/internal/tokencount"
	"nomograph/memory"
)

// ReconstructQuery selects the content of a session or time range.
type ReconstructQuery struct {
	Project   string `json:"project" jsonschema:"project; see list-projects" rule:"minLength=1,maxLength=200"`
	SessionID string `json:"session_id,omitempty" jsonschema:"session to reconstruct: its id, or the beginning or end of the id" rule:"maxLength=200"`
	Times
	PreviousSession  bool   `json:"previous_session,omitempty" jsonschema:"the session before the current one"`
	CurrentSessionID string `json:"current_session_id,omitempty" jsonschema:"id of the current session; required with previous_session" rule:"maxLength=200"`
	KeepNewest       *bool  `json:"keep_newest,omitempty" jsonschema:"keep the newest chunks when not all fit" rule:"default=true"`
	Agent            string `json:"agent,omitempty" jsonschema:"filter by agent" rule:"maxLength=200"`
	MaxTokens        int    `json:"max_tokens,omitempty" jsonschema:"maximum number of tokens of the answer" rule:"minimum=100,maximum=100000"`
}

// Part is a chunk in a reconstruction.
type Part struct {
	SessionID string             `json:"session_id,omitempty"`
	At        time.Time          `json:"at"`
	EndsAt    time.Time          `json:"ends_at"`
	Now       []OutdatedDecision `json:"now,omitempty" jsonschema:"mentioned decisions that failed or were superseded later"`
	Outdated  []string           `json:"outdated,omitempty" jsonschema:"described denials whose rule, mode or threshold has changed since, or that a person overturned"`
	Text      string             `json:"text" recorded:"lines"`
}

// Reconstruction lists chunks in chronological order.
type Reconstruction struct {
	Project string `json:"project"`
	Count   int    `json:"count" jsonschema:"number of chunks"`
	Earlier bool   `json:"earlier,omitempty" jsonschema:"true if earlier chunks did not fit"`
	Later   bool   `json:"later,omitempty" jsonschema:"true if later chunks did not fit"`
	Chunks  []Part `json:"chunks"`
}

// String returns the text in the format of the source document, whose headings have no years.
func (r Reconstruction) String() string { return r.text(formatTimes) }

// TextWithYears returns the text with years in its headings.
func (r Reconstruction) TextWithYears() string { return r.text(timesWithYear) }

func (r Reconstruction) text(times func(from, to time.Time, zone *time.Location) string) string {
	if r.Count == 0 {
		return noSessions(r.Project)
	}
	parts := []string{quotedNotice}
	if r.Earlier {
		parts = append(parts, "[earlier chunks left out: no room]")
	}
	for i, p := range r.Chunks {
		if i == 0 || p.SessionID != r.Chunks[i-1].SessionID {
			last := i
			for last+1 < len(r.Chunks) && r.Chunks[last+1].SessionID == p.SessionID {
				last++
			}
			name := "No session"
			if p.SessionID != "" {
				name = "Session " + shortID(p.SessionID)
			}
			parts = append(parts, fmt.Sprintf("=== %s (%s) ===", name, times(p.At, r.Chunks[last].EndsAt, time.Local)))
		}
		parts = append(parts, p.part())
	}
	if r.Later {
		parts = append(parts, "[later chunks left out: no room]")
	}
	return strings.Join(parts, "\n\n")
}

func (p Part) part() string {
	return strings.Join(append(nowLines(p.Now, p.Outdated), render.Quote(strings.TrimSpace(p.Text))), "\n")
}

const (
	minRead       = 40 // minimum number of chunks to read
	defaultChunk  = 20 // tokens; hardly any chunk has fewer
	maxRebuilt    = 5000
	headingTokens = 32 // tokens of a session heading
)

// Reconstruct returns the content of a session or time range, or the latest content if neither is given. It returns a
// validation_error for a reversed range and for previous_session without current_session_id. It returns not_found for
// an unknown session, and a conflict for an ambiguous one.
func (s *Store) Reconstruct(ctx context.Context, q ReconstructQuery) (Reconstruction, error) {
	out := Reconstruction{Project: q.Project}
	maximum, err := s.tokenBudget(q.MaxTokens, false)
	if err != nil {
		return out, err
	}
	from, to, err := s.bounds(q.Times)
	if err != nil {
		return out, err
	}
	switch {
	case q.PreviousSession && strings.TrimSpace(q.CurrentSessionID) == "":
		return out, apperr.New(apperr.Validation, "`previous_session` requires `current_session_id`").
			WithHint("Pass the current session, or leave `previous_session` out to get the newest session")
	case q.PreviousSession && q.SessionID != "":
		return out, apperr.New(apperr.Validation, "`previous_session` cannot be combined with `session_id`").
			WithHint("Pass one of them")
	}
	project, err := memory.FindProject(ctx, s.graph, q.Project)
	if err != nil || project.Name == "" {
		return out, err
	}
	out.Project = project.Name
	of := span{project: project.Name, agent: q.Agent, from: from, to: to, newest: q.KeepNewest == nil || *q.KeepNewest}
	switch {
	case q.PreviousSession:
		if of.session, err = s.sessionBefore(ctx, project.Name, q.CurrentSessionID); err != nil || of.session == "" {
			return out, err
		}
	case q.SessionID != "":
		found, err := s.session(ctx, project.Name, q.SessionID)
		if err != nil {
			return out, err
		}
		if found.UID == "" {
			return out, apperr.Newf(apperr.NotFound, "Session '%s' not found in the memory of '%s'", q.SessionID,
				project.Name).WithHint("List sessions with `list-sessions`")
		}
		of.session = found.UID
	}
	of.limit = min(max(minRead, maximum/defaultChunk), maxRebuilt) + 1
	rows, err := s.readSpan(ctx, of)
	if err != nil {
		return out, err
	}
	if err := s.markDenials(ctx, pointers(rows, func(r *row) *row { return r })); err != nil {
		return out, err
	}
	counter := s.counters.Get().(*tokencount.Counter)
	defer s.counters.Put(counter)
	return out.withRows(rows, of, maximum, counter), nil
}

// withRows adds as many rows as fit, starting at the requested end.
func (r Reconstruction) withRows(rows []row, of span, maximum int, counter *tokencount.Counter) Reconstruction {
	if len(rows) == 0 {
		return r
	}
	more := len(rows) == of.limit
	left, structured := maximum-12-counter.Tokens(quotedNotice),
		maximum-counter.Tokens(answerJSON(r))-10 // tokens left for text, and for JSON
	last := ""
	for i := range rows {
		at := i
		if of.newest {
			at = len(rows) - 1 - i
		}
		c := rows[at]
		p := Part{SessionID: c.SessionID, At: c.At.UTC(), EndsAt: c.EndsAt.UTC(), Now: c.outdatedDecisions(),
			Outdated: c.outdated, Text: render.Clean(c.Text)}
		cost, inJSON := counter.Tokens(p.part())+2, counter.Tokens(asJSON(p))+1
		if p.SessionID != last || i == 0 {
			cost, last = cost+headingTokens, p.SessionID
		}
		if cost > left || inJSON > structured {
			if left > maximum/3 || len(r.Chunks) == 0 { // cut a long chunk, since the remaining budget would be wasted
				if short, fits := p.cut(left-headingTokens, structured, of.newest, counter); fits {
					r.Chunks = append(r.Chunks, short)
				}
			}
			more = true
			break
		}
		r.Chunks, left, structured = append(r.Chunks, p), left-cost, structured-inJSON
	}
	if of.newest {
		slices.Reverse(r.Chunks)
	}
	r.Count, r.Earlier, r.Later = len(r.Chunks), more && of.newest, more && !of.newest
	for r.Count > 1 && max(counter.Tokens(r.String()), counter.Tokens(answerJSON(r))) > maximum {
		if of.newest {
			r.Chunks, r.Earlier = r.Chunks[1:], true
		} else {
			r.Chunks, r.Later = r.Chunks[:r.Count-1], true
		}
		r.Count--
	}
	return r
}

// cut shortens the text of a part to its end or its beginning.
func (p Part) cut(limit, structured int, end bool, counter *tokencount.Counter) (short Part, fits bool) {
	runes := []rune(p.Text)
	for n := min(len(runes), 6*max(limit, 0)); n > 20; n = n * 3 / 4 {
		if p.Text = string(runes[:n]) + " " + cutMark; end {
			p.Text = cutMark + " " + string(runes[len(runes)-n:])
		}
		if counter.Tokens(p.part())+2 <= limit && counter.Tokens(asJSON(p))+1 <= structured {
			return p, true
		}
	}
	return p, false
}

// storedSession is a session in memory.
type storedSession struct {
	UID, ID string
	Exact   bool
	From    time.Time
}

// session returns the session of a project that an id matches. It returns a conflict for an ambiguous id.
func (s *Store) session(ctx context.Context, project, id string) (storedSession, error) {
	all, err := graph.All[storedSession](ctx, s.graph, cypher.SessionsByRef,
		graph.Params{"project": project, "session": strings.TrimSpace(id)})
	if err != nil || len(all) == 0 {
		return storedSession{}, err
	}
	if all[0].Exact || len(all) == 1 {
		return all[0], nil
	}
	ids := lists.Map(all, func(one storedSession) string { return one.ID })
	return storedSession{}, apperr.Newf(apperr.Conflict, "Several sessions match '%s'", id).
		WithHint("Use more of the id: %s", strings.Join(ids, ", ")).With("sessions", ids)
}

// sessionBefore returns the uid of the session before the current one, or "" if there is none. The current session may
// be missing from memory.
func (s *Store) sessionBefore(ctx context.Context, project, current string) (string, error) {
	is, err := s.session(ctx, project, current)
	if err != nil {
		return "", err
	}
	before := s.now().Add(24 * time.Hour)
	if is.UID != "" {
		before = is.From
	}
	found, err := graph.One[storedSession](ctx, s.graph, cypher.SessionBefore,
		graph.Params{"project": project, "current": is.UID, "before": graph.UTC(before)})
	return found.UID, err
}
