package views

import (
	"strconv"
	"strings"

	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/tokens"
)

// tokensList formats a list of tokens.
func tokensList(l tokens.List, page terminal.Page) string {
	rows := make([][]string, len(l.Tokens))
	for i, t := range l.Tokens {
		state := "in force"
		switch {
		case !t.RevokedAt.IsZero():
			state = "revoked"
		case !t.InForce:
			state = "ended"
		}
		ends, limits := "-", []string{}
		if !t.ExpiresAt.IsZero() {
			ends = page.Time(t.ExpiresAt)
		}
		if t.Rate > 0 {
			limits = append(limits, strconv.FormatFloat(t.Rate, 'g', -1, 64)+" a second")
		}
		if t.Budget > 0 {
			limits = append(limits, strconv.FormatInt(t.Budget, 10)+" a day")
		}
		rows[i] = []string{t.Name, t.Hint, state, strings.Join(t.Permissions, ","), tokensOrAll(t.Projects), ends,
			render.OrDash(strings.Join(limits, ", "))}
	}
	return page.List([]string{"NAME", "TOKEN", "STATE", "PERMISSIONS", "PROJECTS", "ENDS", "LIMITS"}, rows, "")
}

func tokensOrAll(list []string) string {
	if list == nil {
		return "all"
	}
	return render.OrDash(strings.Join(list, ","))
}
