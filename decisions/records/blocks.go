package records

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"nomograph/internal/pattern"
)

// blockStart matches the beginning of a decision in a file with several decisions. label matches any bold name at the
// beginning of a line.
var (
	blockStart = pattern.New(`(?i)^\*\*Decision ID(?::\*\*|\*\*\s*:)\s*(\S[^\n]*?)\s*$`)
	label      = pattern.New(`^\*\*([A-Za-z][^*:\n]{0,60})(?::\*\*|\*\*\s*:)\s*(.*?)\s*$`)
)

// blocks parses a file in which each decision begins with "**Decision ID:** D-031". A decision ends at the next one, at
// a heading or at a rule. The title is the heading above it that names the id, else its first line.
func blocks(name, source string, doc page) []Entry {
	var entries []Entry
	var headings []string
	start := -1
	end := func(at int) {
		if start >= 0 {
			entries = append(entries, blockOf(name, source, string(doc.source[start:at]), headings))
		}
		start = -1
	}
	for node := doc.root.FirstChild(); node != nil; node = node.NextSibling() {
		at := doc.lineStart(node.Pos())
		switch n := node.(type) {
		case *ast.Heading:
			end(at)
			headings = append(headings, doc.headingText(n))
		case *ast.ThematicBreak:
			end(at)
		case *ast.Paragraph:
			first, _, _ := strings.Cut(string(doc.source[at:]), "\n")
			if blockStart.MatchString(first) {
				end(at)
				start = at
			}
		}
	}
	end(len(doc.source))
	return entries
}

func blockOf(name, source, text string, headings []string) Entry {
	a := adr{Entry: Entry{Source: source, Place: name}}
	var title string
	var body []string
	fenced := false
	end := func() {
		a.blockPart(title, strings.TrimSpace(strings.Join(body, "\n")))
		body = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if match := label.FindStringSubmatch(line); match != nil && !fenced {
			end()
			title, line = match[1], match[2]
		}
		body = append(body, line)
	}
	end()
	a.Place = name + "#" + a.ExternalID
	for _, heading := range headings { // the nearest one that names it
		if rest, names := strings.CutPrefix(heading, a.ExternalID); names {
			a.Title = strings.TrimLeft(rest, " :.–—-")
		}
	}
	if a.Title == "" && a.Decision == "" {
		a.Title = a.ExternalID
	}
	a.finish()
	return a.Entry
}

func (a *adr) blockPart(title, body string) {
	switch name := strings.ToLower(strings.TrimSpace(title)); {
	case body == "":
	case name == "decision id":
		a.ExternalID = body
	case roles[name] == "status":
		a.status(body)
	case roles[name] != "" && roles[name] != "fact":
		a.part(section{heading: title, body: body})
	case a.fact(name, body):
	default:
		a.section(title, body)
	}
}
