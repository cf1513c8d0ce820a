package tools

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"nomograph/hooks"
	"nomograph/memory/transcripts"
	"nomograph/policies/check"
	"nomograph/trace"
)

const (
	executionBatch = 500    // calls per transaction
	maxOpenCalls   = 10_000 // tool calls without a result yet
)

// executions collects the executed tool calls of transcripts and records them in batches. Calls without a result and
// refused calls were not executed.
type executions struct {
	app     *App
	ctx     context.Context
	open    map[string]check.Execution // calls without a result yet, by session and id
	batch   []check.Execution
	by      string
	counted check.ExecutionsRecorded
	err     error
}

func (x *executions) called(project string, c *transcripts.Conversation, call transcripts.Call) {
	key := call.Session + "\x00" + call.ID
	if call.Tool != "" {
		e, ok := hooks.ExecutedIn(hooks.Call{Client: c.Source, Version: call.Version, Session: call.Session,
			ID: call.ID, Tool: call.Tool, Input: call.Input, At: call.At})
		if ok && len(x.open) < maxOpenCalls {
			e.Project = project
			x.open[key] = e
		}
		return
	}
	e, ok := x.open[key]
	delete(x.open, key)
	if !ok || call.Denied || (call.Failed || call.Unclear) && hooks.Refused(call.Result) {
		return
	}
	switch {
	case call.Failed:
		e.Outcome = check.FailedCall
	case !call.Unclear:
		e.Outcome = check.Succeeded
	}
	if x.batch = append(x.batch, e); len(x.batch) >= executionBatch {
		x.flush()
	}
}

// flush records the batch. After an error nothing more is recorded.
func (x *executions) flush() {
	if len(x.batch) > 0 && x.err == nil {
		var got check.ExecutionsRecorded
		got, x.err = x.app.Checks.RecordExecutions(x.ctx, check.Executions{Executions: x.batch, By: x.by})
		x.counted.Received, x.counted.Recorded, x.counted.Matched = x.counted.Received+got.Received,
			x.counted.Recorded+got.Recorded, x.counted.Matched+got.Matched
	}
	x.batch = nil
}

// traceExecutions appends an event for each tool call to the session of the caller, without waiting.
func (a *App) traceExecutions(ctx context.Context, calls map[string]check.Execution) {
	if !a.traces || len(calls) == 0 {
		return
	}
	events := make([]trace.Event, 0, len(calls))
	for _, uid := range slices.Sorted(maps.Keys(calls)) {
		call := calls[uid]
		if call.Source == check.ByTranscript || call.Reason == check.NotRecorded {
			continue
		}
		payload := map[string]any{"execution": uid, "client": call.Client, "kind": call.Kind,
			"outcome": cmp.Or(call.Outcome, check.UnknownOutcome)}
		for name, text := range map[string]string{"tool": call.Tool, "client_version": call.Version,
			"client_session": call.Session, "tool_use_id": call.ToolUseID, "reason": call.Reason} {
			if text != "" {
				payload[name] = text
			}
		}
		events = append(events, trace.Event{Type: "tool.executed", Payload: payload})
	}
	if len(events) > 0 {
		a.Trace.AppendAsync(ctx, trace.SessionSelector{Agent: callerName(ctx),
			Workspace: a.Decisions.Settings.Workspace}, events...)
	}
}
