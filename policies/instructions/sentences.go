package instructions

import (
	"regexp"
	"strings"
)

// sentence is a sentence of a file in Markdown, with the line on which its paragraph or item begins.
type sentence struct {
	text string
	line int
}

var (
	bullet = regexp.MustCompile(`^\s*(?:>\s*)*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?`)
	stop   = regexp.MustCompile(`[.!?]\s+`)
)

// sentences returns the sentences of a text outside of code, headings, tables and comments.
func sentences(text string) (all []sentence) {
	var block []string
	start, fenced, comment := 0, false, false
	flush := func() {
		for _, part := range split(strings.NewReplacer("**", "", "__", "").Replace(strings.Join(block, " "))) {
			all = append(all, sentence{part, start})
		}
		block = nil
	}
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimLeft(strings.TrimSpace(line), "> ")
		fence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
		comment = comment || strings.HasPrefix(trimmed, "<!--")
		switch {
		case fence:
			fenced = !fenced
			fallthrough
		case fenced, comment, trimmed == "", strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "|"):
			flush()
			comment = comment && !strings.Contains(trimmed, "-->")
			continue
		case bullet.MatchString(line):
			flush()
			trimmed = strings.TrimSpace(bullet.ReplaceAllString(line, ""))
		}
		if len(block) == 0 {
			start = i + 1
		}
		block = append(block, trimmed)
	}
	flush()
	return all
}

// split splits a paragraph into sentences. A full stop in code ends none.
func split(paragraph string) (parts []string) {
	from := 0
	for _, at := range append(stop.FindAllStringIndex(paragraph, -1), []int{len(paragraph), len(paragraph)}) {
		if strings.Count(paragraph[from:at[0]], "`")%2 == 1 {
			continue
		}
		if part := strings.TrimSpace(paragraph[from:at[1]]); part != "" {
			parts = append(parts, part)
		}
		from = at[1]
	}
	return parts
}
