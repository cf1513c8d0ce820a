package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"

	"nomograph/graph/engine/files"
	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
	"nomograph/internal/disk"
	"nomograph/tools"
)

// harmlessAnswer answers an event that concerns no action: the start or end of a session, or a tool that was executed.
// An error makes the answer empty and never stops the client.
func (h *hookRun) harmlessAnswer(ctx context.Context, event string, misconfigured error) hooks.Answer {
	use := h.client.Use(event)
	switch {
	case misconfigured != nil:
	case use == hooks.AfterTool:
		h.recordExecuted(ctx, h.client.Executed(h.input))
	case use == hooks.AtStart:
		if h.config.HookDoes(config.SessionContext) {
			return h.client.Context(event, h.markdown(ctx, json.RawMessage(`{"format":"markdown"}`)))
		}
		return hooks.Answer{}
	case use == hooks.AtStop || use == hooks.AtEnd:
		if path := h.client.Transcript(h.input); path != "" && h.config.HookDoes(config.Transcripts) {
			h.storeTranscriptPath(path)
		}
		if use == hooks.AtStop && h.config.HookDoes(config.ListReviews) {
			return h.client.UserMessage(event, h.reviews(ctx))
		}
		return hooks.Answer{}
	}
	return h.client.Answer(event, hooks.Verdict{Decision: hooks.Allow})
}

// promptContext returns what fits an allowed prompt, "" for other actions and if it cannot be read in half of the
// budget.
func (h *hookRun) promptContext(ctx context.Context, actions []hooks.Action, verdict hooks.Verdict) string {
	prompt := h.client.Prompt(actions)
	if prompt == "" || verdict.ID == "" || verdict.Decision != hooks.Allow || !h.config.HookDoes(config.PromptContext) {
		return ""
	}
	end, _ := ctx.Deadline()
	ctx, cancel := context.WithDeadline(ctx, end.Add(-h.budget/2))
	defer cancel()
	return h.markdown(ctx, hooks.PromptQuery(prompt))
}

// markdown returns the text of get_session_context, "" if it cannot be read.
func (h *hookRun) markdown(ctx context.Context, arguments json.RawMessage) string {
	var made struct{ Markdown string }
	_ = h.ask(ctx, "get_session_context", arguments, &made)
	return made.Markdown
}

// reviews lists the decisions that await a review, each once per session.
func (h *hookRun) reviews(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, h.budget/2)
	defer cancel()
	var list struct{ Actions []hooks.Due }
	if err := h.ask(ctx, "ready", json.RawMessage(hooks.ReviewQuery), &list); err != nil {
		return ""
	}
	text := hooks.Reviews(list.Actions)
	file, err := privateFile("shown", h.client.Name, hooks.SessionIn(h.input))
	if err != nil || text == "" {
		return text
	}
	shown := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	if before, err := disk.Read(file, 100); err == nil && string(before) == shown {
		return ""
	}
	if files.Write(file, []byte(shown)) == nil {
		removeOld(filepath.Dir(file))
	}
	return text
}

// call runs an operation with the settings of the process that got the event.
func (h *hookRun) call(ctx context.Context, name string, arguments json.RawMessage) (any, error) {
	operation, ok := tools.Find(h.operations, name)
	if !ok {
		return nil, apperr.Newf(apperr.Internal, "The operation %s is missing", name).
			WithHint("Install nomograph again: this build is incomplete")
	}
	ctx = h.local(ctx, operation)
	arguments, err := h.withSettings(ctx, operation, arguments)
	if err != nil {
		return nil, err
	}
	out, _, err := h.run(ctx, operation, arguments)
	return out, err
}

// ask runs an operation and reads its answer.
func (h *hookRun) ask(ctx context.Context, name string, arguments json.RawMessage, into any) error {
	out, err := h.call(ctx, name, arguments)
	if err != nil {
		return err
	}
	text, err := json.Marshal(out)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return apperr.Newf(apperr.Unavailable, "The answer of %s cannot be read", name).
			WithHint("Try again; find the cause with `nomograph doctor`").Because(err)
	}
	return nil
}
