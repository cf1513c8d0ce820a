package toolstest

import (
	"nomograph/internal/terminal"
	"nomograph/tools/views"
)

// Text returns the text view of an answer; "" if it has none.
func Text(answer any) string {
	text, _ := views.Text(answer, terminal.Page{})
	return text
}
