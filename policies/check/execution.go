package check

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/timeparse"
	"nomograph/internal/uid"
	"nomograph/policies"
)

// Execution is a tool call that a coding agent executed. It holds no text of the call, only hashes for finding its
// verdict.
type Execution struct {
	Client    string `json:"client" jsonschema:"name of the client, such as claude-code" rule:"minLength=1,maxLength=100"`
	Version   string `json:"version,omitempty" jsonschema:"version of the client" rule:"maxLength=100"`
	Session   string `json:"session,omitempty" jsonschema:"the client's session id" rule:"maxLength=1000"`
	ToolUseID string `json:"tool_use_id,omitempty" jsonschema:"the client's id of the tool call" rule:"maxLength=1000"`
	Event     string `json:"event" jsonschema:"event that should have checked the call, or the tool" rule:"maxLength=200"`
	Kind      string `json:"kind" jsonschema:"kind of the action, such as shell.run" rule:"minLength=1,maxLength=100"`
	Tool      string `json:"tool,omitempty" jsonschema:"the client's name of the tool" rule:"maxLength=200"`
	Content   string `json:"content,omitempty" jsonschema:"hash of the action, to find its verdict without ids" rule:"maxLength=64"`
	At        string `json:"at,omitempty" jsonschema:"start of the call (default now)" rule:"maxLength=40"`
	Outcome   string `json:"outcome,omitempty" jsonschema:"result of the call" rule:"enum=success|failure|unknown"`
	Source    string `json:"source,omitempty" jsonschema:"origin of this information" rule:"enum=post_hook|transcript,default=\"post_hook\""`
	Reason    string `json:"reason,omitempty" jsonschema:"reason for a missing verdict, if known" rule:"enum=no_hook|hook_failed|timed_out|not_covered|not_evaluated|not_recorded"`
	Project   string `json:"project,omitempty" jsonschema:"project of the call (default: that of the request)" rule:"maxLength=200"`
}

// Values of the fields of Execution.
const (
	ByPostHook   = "post_hook"
	ByTranscript = "transcript"

	Succeeded      = "success"
	FailedCall     = "failure"
	UnknownOutcome = "unknown"

	HookFailed   = "hook_failed"   // other calls of the session were checked, but not this one
	TimedOut     = "timed_out"     // the check took too long, and the call may pass unchecked
	NotCovered   = "not_covered"   // the client calls no hook for this tool
	NotEvaluated = "not_evaluated" // the client says that it evaluated no policy
	NotRecorded  = "not_recorded"  // a hook could not store the call, so only its number is known
)

// Executions are executed tool calls to record.
type Executions struct {
	Executions []Execution `json:"executions" rule:"minItems=1,maxItems=1000"`
	Project    string      `json:"project,omitempty" jsonschema:"project of the calls" rule:"maxLength=200"`
	By         string      `json:"-"`
}

// ExecutionsRecorded counts what was recorded.
type ExecutionsRecorded struct {
	Received int `json:"received"`
	Recorded int `json:"recorded" jsonschema:"number of calls that were not known before"`
	Matched  int `json:"with_verdict" jsonschema:"number of calls with a verdict"`
	// New are the calls that were not known before, with their uids.
	New map[string]Execution `json:"-"`
}

const (
	executionWindow = time.Minute // maximum time between a verdict and a call that match only by content
	// the same for a verdict that matched another call: clients reuse an answer for equal calls for 5 s
	sharedVerdict  = 10 * time.Second
	repeatedWithin = 5 * time.Second // equal calls without an id count once
	maxClientText  = 100
)

// RecordExecutions stores executed tool calls in one transaction, and links each to its verdict. A call that is known
// from a hook and from a transcript counts once. Callers who may not administer are linked to verdicts of their own
// actions only. Calls older than the retention of verdicts are left out. It returns a validation_error for an invalid
// time.
func (s *Store) RecordExecutions(ctx context.Context, in Executions) (ExecutionsRecorded, error) {
	out := ExecutionsRecorded{Received: len(in.Executions)}
	rows := make([]any, 0, len(in.Executions))
	of := map[string]Execution{}
	now := time.Now().UTC()
	for _, e := range in.Executions {
		at := now
		if e.At != "" {
			var err error
			if at, err = timeparse.Parse("at", e.At); err != nil {
				return out, err
			}
		}
		if retention := s.Settings.AllowedRetention; retention > 0 && now.Sub(at) > retention {
			continue
		}
		if at.After(now) {
			at = now
		}
		row := s.executionRow(e, at, in)
		rows, of[row["uid"].(string)] = append(rows, row), e
	}
	if len(rows) == 0 {
		return out, nil
	}
	var by any // an agent must not make calls of others look executed despite a denial
	if who := caller.From(ctx); !who.May(caller.Admin) {
		by = caller.Key(in.By)
	}
	got, err := graph.Append[struct {
		Recorded []string
		Matched  int
	}](ctx, s.graph, cypher.ExecutionsRecord, graph.Params{"executions": rows, "window": executionWindow.Milliseconds(),
		"shared": sharedVerdict.Milliseconds(), "by": by})
	out.Recorded, out.Matched, out.New = len(got.Recorded), got.Matched, map[string]Execution{}
	for _, uid := range got.Recorded {
		out.New[uid] = of[uid]
	}
	return out, err
}

func (s *Store) executionRow(e Execution, at time.Time, in Executions) map[string]any {
	text := func(value string) any { return graph.NullIfEmpty(redact.Mask(value)) }
	call := hashOf(e.Client, e.Session, e.ToolUseID)
	row := map[string]any{"uid": uid.New(), "client": redact.Mask(e.Client), "version": text(e.Version),
		"event": redact.Mask(e.Event), "kind": e.Kind, "tool": text(e.Tool), "at": graph.UTC(at),
		"outcome": cmp.Or(e.Outcome, UnknownOutcome), "source": cmp.Or(e.Source, ByPostHook),
		"reason": graph.NullIfEmpty(e.Reason), "content": graph.NullIfEmpty(e.Content),
		"tool_call": graph.NullIfEmpty(call), "client_session": graph.NullIfEmpty(hashOf(e.Client, e.Session)),
		"project": graph.NullIfEmpty(redact.Mask(cmp.Or(e.Project, in.Project, s.Settings.Project))),
		"agent":   text(in.By)}
	row["call"] = cmp.Or(call,
		hashOf(e.Client, e.Session, e.Content, e.Tool, at.Truncate(repeatedWithin).Format(time.RFC3339)))
	return row
}

// toolCallOf returns the properties of a verdict by which the executed tool call is matched: hashes of the client's
// ids. They are stored even if the action is not.
func toolCallOf(facts graph.Parameters) map[string]any {
	fact := func(field string) string { return graph.Text(facts, field) }
	properties := map[string]any{}
	client := fact("client")
	if client == "" || len(client) > maxClientText {
		return properties
	}
	properties["client"] = redact.Mask(client)
	for key, value := range map[string]string{"tool_call": hashOf(client, fact("client_session"),
		fact("tool_use_id")), "client_session": hashOf(client, fact("client_session")),
		"content": fact("content_key")} {
		if value != "" && len(value) <= 2*shortHash {
			properties[key] = value
		}
	}
	return properties
}

// hashOf is equal for the check and the execution of a tool call; "" without the last part, such as the client's id of
// the call.
func hashOf(parts ...string) string {
	if parts[len(parts)-1] == "" {
		return ""
	}
	text, _ := json.Marshal(parts) // a list of strings always encodes
	return policies.Hash(string(text))[:shortHash]
}

// CoverageQuery selects executed tool calls.
type CoverageQuery struct {
	Client  string `json:"client,omitempty" jsonschema:"filter by client" rule:"maxLength=100"`
	Project string `json:"project,omitempty" jsonschema:"filter by project" rule:"maxLength=200"`
	timeparse.Range
}

// Coverage says how many executed tool calls were checked.
type Coverage struct {
	Since    time.Time     `json:"since"`
	Until    time.Time     `json:"until"`
	Executed int           `json:"executed" jsonschema:"number of executed tool calls"`
	Checked  int           `json:"with_verdict" jsonschema:"number of these calls with a verdict"`
	Gaps     int           `json:"without_verdict"`
	Despite  int           `json:"despite_denial" jsonschema:"number of these calls with a denying verdict: a person allowed the call in the client, or the client ignored the hook"`
	Days     []CoverageDay `json:"days" jsonschema:"newest first, in UTC"`
	GapList  []CoverageGap `json:"gaps" jsonschema:"calls without a verdict, most frequent first; at most 100 groups"`
	// UnknownPrograms are not filtered by client.
	UnknownPrograms []UnknownProgram `json:"unknown_programs" jsonschema:"programs in checked commands that nothing describes, most frequent first; at most 20"`
}

// UnknownProgram is a program that no table and no SYS_Program node describes, so that rules see less of what it does.
type UnknownProgram struct {
	Program  string    `json:"program"`
	Verdicts int       `json:"verdicts"`
	LastAt   time.Time `json:"last_at"`
}

// unknownPrograms is a param of commands, and a property of verdicts.
const unknownPrograms = "unknown_programs"

// unknownPrograms returns the unknown programs of a command. A token that was pasted as a command is none.
func (c ActionCheck) unknownPrograms() (names []string) {
	list, _ := c.Params[unknownPrograms].([]any)
	for _, program := range list {
		if name, ok := program.(string); ok && redact.Mask(name) == name {
			names = append(names, name)
		}
	}
	return names
}

// UnknownPrograms returns the unknown programs in the commands of verdicts in a time range, of an agent and a project;
// "" means any.
func (s *Store) UnknownPrograms(ctx context.Context, since, until time.Time, agent, project string) ([]UnknownProgram,
	error) {
	return graph.All[UnknownProgram](ctx, s.graph, cypher.UnknownPrograms,
		graph.Params{"after": graph.UTC(since), "before": graph.UTC(until),
			"agent": graph.NullIfEmpty(agent), "project": graph.NullIfEmpty(project), "limit": maxUnknown})
}

// CoverageDay is the coverage of a day.
type CoverageDay struct {
	Day            string `json:"day"`
	Executed       int    `json:"executed"`
	WithVerdict    int    `json:"with_verdict"`
	WithoutVerdict int    `json:"without_verdict"`
	DespiteDenial  int    `json:"despite_denial"`
}

// CoverageGap is a group of executed tool calls without a verdict.
type CoverageGap struct {
	Client  string    `json:"client"`
	Version string    `json:"version,omitempty"`
	Event   string    `json:"event" jsonschema:"event that reported the call, or the tool in a transcript"`
	Kind    string    `json:"kind"`
	Source  string    `json:"source"`
	Reason  string    `json:"reason" jsonschema:"no_hook, hook_failed, timed_out, not_covered, not_evaluated or not_recorded"`
	Calls   int       `json:"calls"`
	LastAt  time.Time `json:"last_at"`
}

const (
	coverageDefault = 7 * 24 * time.Hour
	maxGaps         = 100
	maxUnknown      = 20
)

// Coverage counts executed tool calls of the last 7 days, or of a time range, by day, and groups those without a
// verdict. It returns a validation_error for an invalid time.
func (s *Store) Coverage(ctx context.Context, q CoverageQuery) (Coverage, error) {
	now := time.Now()
	since, until, err := q.Times(now.Add(-coverageDefault), now)
	if err != nil {
		return Coverage{}, err
	}
	out := Coverage{Since: since, Until: until}
	params := graph.Params{"after": graph.UTC(out.Since), "before": graph.UTC(out.Until.Add(time.Second)),
		"client": graph.NullIfEmpty(q.Client), "project": graph.NullIfEmpty(q.Project), "limit": maxGaps}
	if out.Days, err = graph.All[CoverageDay](ctx, s.graph, cypher.ExecutionsDays, params); err != nil {
		return out, err
	}
	if out.GapList, err = graph.All[CoverageGap](ctx, s.graph, cypher.ExecutionsGaps, params); err != nil {
		return out, err
	}
	if out.UnknownPrograms, err = s.UnknownPrograms(ctx, out.Since, out.Until.Add(time.Second), "",
		q.Project); err != nil {
		return out, err
	}
	for _, day := range out.Days {
		out.Executed, out.Checked, out.Gaps, out.Despite = out.Executed+day.Executed, out.Checked+day.WithVerdict,
			out.Gaps+day.WithoutVerdict, out.Despite+day.DespiteDenial
	}
	return out, nil
}

// Share returns the share of executed tool calls with a verdict, and false without any call.
func (c Coverage) Share() (share float64, ok bool) {
	if c.Executed == 0 {
		return 0, false
	}
	return float64(c.Checked) / float64(c.Executed), true
}
