package views

import (
	"strings"

	"nomograph/agents/client"
	"nomograph/internal/render"
)

// clientCard formats an agent card.
func clientCard(c client.Card) string {
	var b strings.Builder
	render.WriteNonEmpty(&b, "it calls itself: %s\n", c.Name)
	render.WriteNonEmpty(&b, "version: %s\n", c.Version)
	render.WriteNonEmpty(&b, "description: %s\n", c.Description)
	render.WriteNonEmpty(&b, "contact: %s\n", c.Contact)
	render.WriteNonEmpty(&b, "methods: %s\n", strings.Join(c.Methods, ", "))
	addNotes(&b, c.Notes)
	return b.String()
}
