package main

import (
	"context"
	"fmt"

	"nomograph/policies"
)

const mostErrorsShown = 5

// checkRules says which policies, thresholds and tables cannot mean what they say: a rule among them stops whatever it
// concerns.
func checkRules(ctx context.Context, store *policies.Store) finding {
	report, err := store.LintPacks(ctx, policies.LintRequest{})
	if err != nil {
		return bad("rules", err)
	}
	f := finding{Check: "rules", Result: "ok", Detail: fmt.Sprintf("no errors, %d warnings", report.Warnings)}
	if report.Errors == 0 {
		return f
	}
	f.Result, f.Hint = "fail", "nomograph policy lint shows all of them, and what to do"
	f.Detail = fmt.Sprintf("%d errors", report.Errors)
	for i, found := range report.Findings {
		if i == mostErrorsShown || i == report.Errors { // errors come first
			break
		}
		f.Detail += "; " + found.Subject + ": " + found.Message
	}
	return f
}
