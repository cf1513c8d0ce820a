package pages

import (
	"nomograph/sessions"
)

// exception is the data of the page of an exception.
type exception struct {
	sessions.Exception
	Preview *sessions.ExceptionChanged // what the submitted form would do; nil before a form is submitted
	Act     string                     // the act that the form previews
}

// PageTitle names the agent and the action.
func (e exception) PageTitle() string { return "Exception for " + e.AgentID + ": " + e.Action }

// Ended reports whether nothing can happen to the exception anymore.
func (e exception) Ended() bool { return e.State == "expired" || e.State == "revoked" }

func showException(v *Visit) (any, error) {
	found, err := Call[sessions.Exception](v, "get_exception", sessions.ExceptionQuery{ExceptionID: v.PathValue("id")})
	out := exception{Exception: found, Preview: v.previewed}
	if out.Preview != nil {
		out.Act = v.Form("act")
	}
	return out, err
}

var exceptionActs = map[string]Act{"renew": renewException, "revoke": revokeException}

// renewException extends an exception. The first form shows what will happen, and the second does it.
func renewException(v *Visit) (string, error) {
	q := sessions.ExceptionRenewal{ExceptionID: v.PathValue("id"), Reason: v.Form("reason"),
		DryRun: v.Form("confirmed") != "true"}
	if err := v.argument("renew_exception", "for_seconds", v.Form("for_seconds"), &q.ForSeconds); err != nil {
		return "", err
	}
	return v.previewOrDone(Call[sessions.ExceptionChanged](v, "renew_exception", q))
}

// revokeException ends an exception, in the same two steps.
func revokeException(v *Visit) (string, error) {
	return v.previewOrDone(Call[sessions.ExceptionChanged](v, "revoke_exception",
		sessions.ExceptionRevocation{ExceptionID: v.PathValue("id"), Reason: v.Form("reason"),
			DryRun: v.Form("confirmed") != "true"}))
}

func (v *Visit) previewOrDone(changed sessions.ExceptionChanged, err error) (string, error) {
	if err != nil || !changed.DryRun {
		return "", err
	}
	v.previewed = &changed
	return unchanged, nil
}

// outcomesOf lists the outcomes of decisions that used an exception.
func outcomesOf(o sessions.ExceptionOutcomes) []outcomeCount {
	return byOutcome(map[string]int{"success": o.Success, "partial": o.Partial, "failure": o.Failure,
		"abandoned": o.Abandoned, "pending": o.Unreviewed})
}

type outcomeCount struct {
	Outcome string
	Count   int
}
