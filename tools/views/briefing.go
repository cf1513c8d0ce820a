package views

import (
	"nomograph/decisions/briefing"
	"nomograph/internal/render"
)

// briefingSessionContext returns the Markdown of a session context, or its sections as JSON.
func briefingSessionContext(c briefing.SessionContext) string {
	if c.Markdown != "" {
		return c.Markdown
	}
	text, err := render.IndentedJSON(c)
	if err != nil { // SessionContext always encodes
		panic(err)
	}
	return text + "\n"
}
