package toolstest

import (
	"nomograph/internal/terminal"
	"nomograph/tools/views"
)

// Text is what a person reads of an answer; "" where it is only data.
func Text(answer any) string {
	text, _ := views.Text(answer, terminal.Page{})
	return text
}
