package main

import (
	"fmt"

	"nomograph/layout"
)

// Layout tells a person what was found, and below each what to do.
func (c checkup) Layout(page layout.Page) string {
	text, width := "", 0
	for _, f := range c.Findings {
		width = max(width, len(f.Check))
	}
	for _, f := range c.Findings {
		text += page.Hang(fmt.Sprintf("%s%*s  %-*s  ", page.Word(f.Result), 4-len(f.Result), "", width, f.Check), f.Detail) + "\n"
		if f.Hint != "" {
			text += page.Hang(fmt.Sprintf("%*s", width+8, ""), f.Hint) + "\n"
		}
	}
	return text
}
