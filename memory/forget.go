package memory

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/progress"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/search"
	"nomograph/trace"
)

// ForgetRequest selects the chunks to forget. A chunk must match all given conditions.
type ForgetRequest struct {
	Project   string   `json:"project,omitempty" jsonschema:"project, or a unique suffix of its name" rule:"maxLength=200"`
	SessionID string   `json:"session_id,omitempty" jsonschema:"session id or uid" rule:"maxLength=400"`
	After     string   `json:"after,omitempty" jsonschema:"start time" rule:"maxLength=60"`
	Before    string   `json:"before,omitempty" jsonschema:"end time" rule:"maxLength=60"`
	Query     string   `json:"query,omitempty" jsonschema:"words that chunks must contain, ignoring case" rule:"maxLength=2000"`
	Similar   *float64 `json:"similar,omitempty" jsonschema:"minimum cosine similarity to query; searches by meaning instead of words" rule:"minimum=0.3,maximum=1"`
	IDs       []string `json:"ids,omitempty" jsonschema:"uids of chunks" rule:"maxItems=1000"`
	DryRun    *bool    `json:"dry_run,omitempty" jsonschema:"list only, delete nothing" rule:"default=true"`
	Confirm   *int64   `json:"confirm,omitempty" jsonschema:"number of chunks that the dry run found; required to forget more than ten" rule:"minimum=0"`
	Reason    string   `json:"reason,omitempty" jsonschema:"reason, stored" rule:"maxLength=2000"`
	By        string   `json:"-"`
}

// ForgottenChunk is a chunk that was forgotten, or would be in a dry run.
type ForgottenChunk struct {
	UID       string    `json:"uid"`
	SessionID string    `json:"session_id"`
	Project   string    `json:"project"`
	At        time.Time `json:"at"`
	Tokens    int64     `json:"tokens"`
	Begins    string    `json:"excerpt,omitempty" jsonschema:"beginning of the text; only in a dry run"`
}

// ForgetResult is the result of Forget.
type ForgetResult struct {
	DryRun   bool             `json:"dry_run"`
	Chunks   int64            `json:"chunks"`
	Tokens   int64            `json:"tokens"`
	Events   int64            `json:"events" jsonschema:"number of session events whose payload was deleted; their hashes stay, so chains still verify"`
	Sessions int              `json:"sessions" jsonschema:"number of sessions"`
	First    []ForgottenChunk `json:"first" jsonschema:"the first 50"`
	Notes    []string         `json:"notes"`
}

const (
	forgetBatch      = 200 // chunks per transaction
	maxSimilarChunks = 500 // maximum number of chunks found by similarity
	maxChunksShown   = 50
	maxUnconfirmed   = 10
)

// forgettable is a chunk that matches a request.
type forgettable struct {
	ForgottenChunk       `mapstructure:",squash"`
	Session, Owner, Kind string
	Text                 string // set only if the query must match words
	First, Last          *int64 // numbers of the first and last event
}

// Forget deletes the text and vectors of chunks, and the payloads of the events that they were made from. A tombstone
// with the hash of each chunk remains, so that the next import does not restore it. An event in the session records the
// deletion. Decisions remain, because they are the record. It returns a validation_error if the request selects
// nothing, not_found and a conflict for names, and a conflict if the number of chunks differs from Confirm or exceeds
// ten without it.
func (s *Store) Forget(ctx context.Context, r ForgetRequest) (ForgetResult, error) {
	out := ForgetResult{DryRun: r.DryRun == nil || *r.DryRun}
	params, notes, err := s.forgetParams(ctx, r)
	if err != nil {
		return out, err
	}
	if err := s.CatchUp(ctx); err != nil { // marked sessions would restore forgotten chunks
		return out, err
	}
	out.Notes = append(out.Notes, notes...)
	found, tokens, err := s.matchingChunks(ctx, params, &out)
	if err != nil {
		return out, err
	}
	count := int64(len(found))
	switch {
	case count == 0:
		out.Notes = append(out.Notes, "Nothing in memory matches")
		return out, nil
	case out.DryRun:
		out.Chunks, out.Tokens = count, tokens
		note := "Nothing was forgotten yet: repeat this without a dry run"
		if count > maxUnconfirmed {
			note += fmt.Sprintf(" and confirm %d", count)
		}
		out.Notes = append(out.Notes, note)
		return out, nil
	case r.Confirm == nil && count > maxUnconfirmed || r.Confirm != nil && *r.Confirm != count:
		return out, apperr.Newf(apperr.Conflict, "Nothing was deleted: deleting %s of %s needs confirmation",
			render.Plural(count, "chunk"), render.Plural(out.Sessions, "session")).
			WithHint("Review the list of `dry_run`, then pass %d as `confirm`", count).With("confirm", count)
	}
	for i := range out.First {
		out.First[i].Begins = ""
	}
	for batch := range slices.Chunk(found, forgetBatch) {
		if err := s.erase(ctx, r, batch, &out); err != nil {
			return out, err
		}
		progress.Report(ctx, progress.Step{Message: "Forgetting chunks", Done: out.Chunks, Total: count})
	}
	return out, nil
}

// matchingChunks returns the matching chunks without their texts and the number of their tokens, and fills in the list
// in out.
func (s *Store) matchingChunks(ctx context.Context, params graph.Params, out *ForgetResult) (found []forgettable,
	tokens int64, err error) {
	words, _ := params["words"].([]string)
	patterns := wordPatterns(words)
	sessions := map[string]bool{}
	for after := ""; ; {
		params["after_uid"], params["limit"] = after, forgetBatch
		rows, err := graph.All[forgettable](ctx, s.graph, cypher.ChunksForgettable, params)
		if err != nil {
			return nil, 0, err
		}
		for _, row := range rows {
			after = row.UID
			text := strings.ToLower(row.Text)
			if slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return !p.MatchString(text) }) {
				continue
			}
			sessions[row.Session] = true
			if len(out.First) < maxChunksShown {
				shown := row.ForgottenChunk
				shown.At, shown.Begins = shown.At.UTC(), render.Cut(shown.Begins, 120)
				out.First = append(out.First, shown)
			}
			row.Text, row.Begins = "", ""
			found, tokens = append(found, row), tokens+row.Tokens
		}
		progress.Report(ctx, progress.Step{Message: "Finding chunks", Done: int64(len(found))})
		if len(rows) < forgetBatch {
			out.Sessions = len(sessions)
			return found, tokens, nil
		}
	}
}

// wordPatterns returns patterns that match whole words, ignoring case.
func wordPatterns(words []string) (all []*regexp.Regexp) {
	for _, word := range words {
		pattern := regexp.QuoteMeta(word)
		if first, _ := utf8.DecodeRuneInString(word); isWordRune(first) {
			pattern = `(?:^|[^\pL\pM\pN_])` + pattern
		}
		if last, _ := utf8.DecodeLastRuneInString(word); isWordRune(last) {
			pattern += `(?:$|[^\pL\pM\pN_])`
		}
		all = append(all, regexp.MustCompile(pattern)) // a quoted word is always a pattern
	}
	return all
}

func isWordRune(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.N) }

// forgetParams returns the query parameters for a request, and notes about them.
func (s *Store) forgetParams(ctx context.Context, r ForgetRequest) (p graph.Params, notes []string, err error) {
	if r.Project == "" && r.SessionID == "" && r.After == "" && r.Before == "" && r.Query == "" && len(r.IDs) == 0 {
		return nil, nil, apperr.New(apperr.Validation, "Nothing selects what to delete").
			WithHint("Pass `project`, `session_id`, `after`, `before`, `query` or `ids`")
	}
	p = graph.Params{"project": nil, "session": nil, "from": nil, "to": nil, "uids": nil, "words": nil}
	for name, text := range map[string]string{"after": r.After, "before": r.Before} {
		if text == "" {
			continue
		}
		at, err := timeparse.Parse(name, text)
		if err != nil {
			return nil, nil, err
		}
		p[map[string]string{"after": "from", "before": "to"}[name]] = graph.UTC(at)
	}
	if r.Project != "" {
		if p["project"], err = s.projectToForget(ctx, r); err != nil {
			return nil, nil, err
		}
	}
	if r.SessionID != "" {
		found, err := graph.One[struct{ UID string }](ctx, s.graph, cypher.SessionByRef,
			graph.Params{"session": r.SessionID})
		if err != nil {
			return nil, nil, err
		}
		if found.UID == "" {
			return nil, nil, apperr.Newf(apperr.NotFound, "Session '%s' not found", r.SessionID).
				WithHint("List the sessions of a project with `list-sessions`")
		}
		p["session"] = found.UID
	}
	if len(r.IDs) > 0 {
		p["uids"] = r.IDs
	}
	switch {
	case r.Similar != nil && r.Query == "":
		return nil, nil, apperr.New(apperr.Validation, "`similar` needs a `query`").
			WithHint("Describe in `query` what the chunks should be similar to")
	case r.Similar != nil:
		p["uids"], notes, err = s.similar(ctx, r)
	case r.Query != "" && !strings.ContainsFunc(r.Query, isWordRune):
		return nil, nil, apperr.New(apperr.Validation, "`query` has no letter or digit").
			WithHint("Use words that the chunks contain")
	case r.Query != "":
		p["words"] = strings.Fields(strings.ToLower(r.Query))
	}
	return p, notes, err
}

// projectToForget returns the name of the project of a request.
func (s *Store) projectToForget(ctx context.Context, r ForgetRequest) (string, error) {
	found, err := FindProject(ctx, s.graph, r.Project)
	switch {
	case err != nil:
		return "", err
	case found.Name == "":
		return "", apperr.Newf(apperr.NotFound, "Project '%s' not found in memory", r.Project).
			WithHint("List projects with `list-projects`")
	case r.DryRun != nil && !*r.DryRun && caller.Key(found.Name) != caller.Key(r.Project):
		return "", apperr.Newf(apperr.Validation, "'%s' is not a full project name", r.Project).
			WithHint("Pass the full name to delete: %s", found.Name)
	}
	return found.Name, nil
}

// similar returns the uids of the chunks whose similarity to the query is high enough.
func (s *Store) similar(ctx context.Context, r ForgetRequest) (uids, notes []string, err error) {
	found, err := s.search.Search(ctx, search.Question{Text: r.Query, Mode: search.Semantic, Limit: maxSimilarChunks})
	if err == nil && found.Mode != search.Semantic {
		err = apperr.New(apperr.Unavailable, "The vectors of memory are unavailable, so `similar` finds nothing").
			WithHint("Leave `similar` out to match the words of `query`")
	}
	if err != nil {
		return nil, nil, err
	}
	uids = []string{}
	for _, hit := range found.Hits {
		if hit.Score >= *r.Similar && (len(r.IDs) == 0 || slices.Contains(r.IDs, hit.UID)) {
			uids = append(uids, hit.UID)
		}
	}
	if len(found.Hits) == maxSimilarChunks && found.Hits[maxSimilarChunks-1].Score >= *r.Similar {
		notes = append(notes, fmt.Sprintf("Only the %d most similar chunks were compared: run it again for the others",
			maxSimilarChunks))
	}
	return uids, notes, nil
}

// declareForgotten records in the hash chains which events lose their payloads: an event without a payload that no
// later event explains breaks the chain. It returns the ranges of these events.
func (s *Store) declareForgotten(ctx context.Context, rows []forgettable, by, reason string) ([]any, error) {
	ranges, owners := map[string][][2]int64{}, map[string]trace.SessionSelector{}
	for _, row := range rows {
		if row.Kind == Events && row.First != nil && row.Last != nil {
			ranges[row.Session] = append(ranges[row.Session], [2]int64{*row.First, *row.Last})
			owners[row.Session] = trace.SessionSelector{Agent: row.Owner, SessionID: row.SessionID}
		}
	}
	events := []any{}
	for _, session := range slices.Sorted(maps.Keys(ranges)) {
		if _, err := s.trace.Append(ctx, owners[session],
			trace.ForgottenEvent(ranges[session], by, reason)); err != nil {
			return nil, err
		}
		for _, r := range ranges[session] {
			events = append(events, map[string]any{"session": session, "first": r[0], "last": r[1]})
		}
	}
	return events, nil
}

// erase forgets a batch of chunks.
func (s *Store) erase(ctx context.Context, r ForgetRequest, rows []forgettable, out *ForgetResult) error {
	by := trace.Actor("", r.By)
	events, err := s.declareForgotten(ctx, rows, by, r.Reason)
	if err != nil {
		return err
	}
	sessions, uids := map[string]bool{}, make([]string, len(rows))
	for i, row := range rows {
		uids[i], sessions[row.Session] = row.UID, true
	}
	var gone, blank, tokens int64
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		gone, blank, tokens = 0, 0, 0
		if err := tx.Run(ctx, cypher.SessionsLock, graph.Params{"uids": slices.Sorted(maps.Keys(sessions))}); err != nil {
			return err
		}
		erased, err := graph.All[struct {
			Project, Session string
			Tokens           int64
		}](ctx, tx, cypher.ChunksForget, graph.Params{"uids": uids, "by": by,
			"reason": graph.NullIfEmpty(redact.Mask(r.Reason))})
		if err != nil {
			return err
		}
		g := chunkUpdate{projects: map[string]*tally{}}
		less := map[string]*tally{}
		for _, row := range erased {
			g.count(row.Project, -1, -row.Tokens)
			if less[row.Session] == nil {
				less[row.Session] = &tally{}
			}
			less[row.Session].add(1, row.Tokens)
			gone, tokens = gone+1, tokens+row.Tokens
		}
		changed := []any{}
		for _, uid := range slices.Sorted(maps.Keys(less)) {
			row := less[uid].row()
			row["uid"] = uid
			changed = append(changed, row)
		}
		if err := tx.Run(ctx, cypher.SessionsSubtract, graph.Params{"sessions": changed}); err != nil {
			return err
		}
		count, err := graph.One[struct{ Events int64 }](ctx, tx, cypher.EventsForget,
			graph.Params{"ranges": events, "by": by})
		if err != nil {
			return err
		}
		blank = count.Events
		if err := g.updateProjects(ctx, tx); err != nil {
			return err
		}
		return tx.Run(ctx, cypher.ProjectsSpan, graph.Params{"keys": slices.Sorted(maps.Keys(g.projects))})
	})
	out.Chunks, out.Tokens, out.Events = out.Chunks+gone, out.Tokens+tokens, out.Events+blank
	return err
}
