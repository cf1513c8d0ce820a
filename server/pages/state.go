package pages

import "strings"

// looks are the classes of badges, each with the states that it shows. Every page shows states with them.
var looks = [...][2]string{
	{"success", " success allowed approved applied active closed passed upheld holds helpful renewed "},
	{"warn", " partial needs approval stale half_open forced warn medium undone "},
	{"failure", " failure denied rejected revoked block high overturned violated error frozen not helpful "},
	{"abandoned", " abandoned withdrawn expired retracted "},
}

// look returns the class of the badge of a state.
func look(state string) string {
	for _, l := range looks {
		if strings.Contains(l[1], " "+state+" ") {
			return l[0]
		}
	}
	return "pending"
}

// breakerLook returns the class of the badge of a circuit breaker, whose state "open" denies actions.
func breakerLook(state string) string {
	if state == "open" {
		return "failure"
	}
	return look(state)
}
