package tools

import (
	"context"

	"nomograph/decisions"
	"nomograph/decisions/attention"
	"nomograph/decisions/attribution"
)

// whoseFlags tell the filters of what is asked about from the program's flags.
var whoseFlags = map[string]string{"agent_id": "by", "project": "of-project"}

var attentionOperations = []Operation{
	define(Operation{
		Name:       "ready",
		Title:      "What is due",
		Toolset:    "decisions",
		Use:        "What waits to be done: reviews that are overdue, decisions nobody came back to, calibration that drifts. Most pressing first.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "decision ready", Flags: whoseFlags},
		REST:       "GET /v1/decisions/ready",
		CSTP:       "cstp.ready",
		Core:       true,
	}, func(ctx context.Context, env *Env, in attention.ReadyQuery) (attention.ReadyList, error) {
		return env.Attention.Ready(ctx, in)
	}),
	define(Operation{
		Name:       "get_today",
		Title:      "Today",
		Toolset:    "insight",
		Use:        "What a day begins with: what is due, what drifts, what was blocked, what was decided and reviewed.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "today", Flags: whoseFlags},
		REST:       "GET /v1/today",
	}, func(ctx context.Context, env *Env, in attention.TodayQuery) (attention.Today, error) {
		return env.Attention.Today(ctx, in)
	}),
	define(Operation{
		Name:       "list_contradictions",
		Title:      "Contradictions",
		Toolset:    "insight",
		Use:        "Decisions that do not go together: linked as contradicting, repeating one that failed, or taking another's place without saying so.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "decision contradictions", Args: []string{"id"}, Names: "decision", Flags: whoseFlags},
		REST:       "GET /v1/decisions/contradictions",
	}, func(ctx context.Context, env *Env, in attention.ContradictionsQuery) (attention.Contradictions, error) {
		return env.Attention.Contradictions(ctx, in)
	}),
	define(Operation{
		Name:       "get_wisdom",
		Title:      "Wisdom",
		Toolset:    "insight",
		Use:        "What reviewed decisions teach, by category: how they turn out, which patterns hold, how they fail, the newest lessons.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "decision wisdom", Flags: map[string]string{"project": "of-project"}},
		REST:       "GET /v1/decisions/wisdom",
		CSTP:       "cstp.getWisdom",
	}, func(ctx context.Context, env *Env, in attention.WisdomQuery) (attention.Wisdom, error) {
		return env.Attention.Wisdom(ctx, in)
	}),
	define(Operation{
		Name:       "get_compacted",
		Title:      "Compacted decisions",
		Toolset:    "insight",
		Use:        "Decisions in the length that their age deserves: full, a summary, a line, or what they teach. Nothing is lost.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "decision compacted"},
		REST:       "GET /v1/decisions/compacted",
		CSTP:       "cstp.getCompacted",
	}, func(ctx context.Context, env *Env, in attention.CompactedQuery) (attention.Compacted, error) {
		return env.Attention.Compacted(ctx, in)
	}),
	define(Operation{
		Name:       "set_preserve",
		Title:      "Preserve a decision",
		Toolset:    "insight",
		Use:        "Have a decision shown in full however old it is, or no longer.",
		Permission: Decide,
		Ours:       "an id and a truth value",
		Scope:      Filtered,
		Hints:      Hints{Idempotent: true},
		CLI:        CommandLine{Command: "decision preserve", Args: []string{"id"}, Names: "decision", Flags: sessionFlags},
		REST:       "PUT /v1/decisions/{id}/preserve",
		CSTP:       "cstp.setPreserve",
	}, func(ctx context.Context, env *Env, in decisions.PreserveRequest) (decisions.Preserved, error) {
		in.By = callerName(ctx)
		return env.Decisions.SetPreserve(ctx, in)
	}),
	define(Operation{
		Name:       "get_salient",
		Title:      "Salient decisions",
		Toolset:    "insight",
		Use:        "The decisions that much depends on, and why: what stands on them, what blocks them, what is related to them.",
		Permission: Read,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "decision salient", Flags: map[string]string{"project": "of-project"}},
		REST:       "GET /v1/decisions/salient",
	}, func(ctx context.Context, env *Env, in attention.SalientQuery) (attention.Salient, error) {
		return env.Attention.Salient(ctx, in)
	}),
	define(Operation{
		Name:       "propose_outcomes",
		Title:      "Outcomes from the git history",
		Toolset:    "insight",
		Use:        "How pending decisions turned out, as merged and reverted pull requests tell. Only with accept are they reviewed so, as far as policies allow.",
		Kind:       Job,
		Permission: Admin,
		Hints:      Hints{Idempotent: true},
		CLI: CommandLine{Command: "decision attribute", Args: []string{"path"},
			Flags: map[string]string{"agent_id": "as", "session_id": "session", "project": "for-project"}},
		REST: "POST /v1/decisions/outcomes",
		CSTP: "cstp.attributeOutcomes",
	}, func(ctx context.Context, env *Env, in attribution.Query) (attribution.Attribution, error) {
		in.By = callerName(ctx)
		return env.Attribution.ProposeOutcomes(ctx, in)
	}),
}
