package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"nomograph/decisions"
)

// outcomeForm is the form for a review without an outcome.
type outcomeForm struct {
	Outcome      string `json:"outcome" jsonschema:"outcome" rule:"enum=success|partial|failure|abandoned"`
	ActualResult string `json:"actual_result,omitempty" jsonschema:"what happened" rule:"maxLength=20000"`
	Lessons      string `json:"lessons,omitempty" jsonschema:"what to learn from it" rule:"maxLength=20000"`
}

// reviewOutcome asks for a missing outcome. It resolves the decision first, so that nobody is asked about an unknown
// one.
func reviewOutcome(ctx context.Context, app *App, in decisions.Outcome) (decisions.Reviewed, error) {
	if in.Outcome != "" {
		return app.Decisions.Review(ctx, in)
	}
	decision, err := app.Decisions.Resolve(ctx, in.ID)
	if err != nil {
		return decisions.Reviewed{}, err
	}
	title, _, _ := strings.Cut(decision.Decision, "\n")
	reply, asked, err := ask[outcomeForm](ctx, "", fmt.Sprintf("How did decision %s turn out? %s", decision.ID, title))
	if err != nil {
		return decisions.Reviewed{}, err
	}
	if asked {
		in.Outcome = reply.Outcome
		in.ActualResult, in.Lessons = cmp.Or(reply.ActualResult, in.ActualResult), cmp.Or(reply.Lessons, in.Lessons)
	}
	return app.Decisions.Review(ctx, in)
}
