package views

import (
	"nomograph/decisions/briefing"
	"nomograph/internal/render"
)

// briefingSessionContext is the text, or the sections as JSON, for a person.
func briefingSessionContext(c briefing.SessionContext) string {
	if c.Markdown != "" {
		return c.Markdown
	}
	text, err := render.IndentedJSON(c)
	if err != nil { // types of ours
		panic(err)
	}
	return text + "\n"
}
