package records

import (
	"fmt"
	"path"
	"strings"

	"nomograph/internal/pattern"
)

// Files among the records that are not records: templates and index pages.

var (
	templateName = pattern.New(`(?i)(?:^|[/_.-])(?:template|tmpl|skeleton|boilerplate)s?(?:[/_.-]|$)`)
	// Placeholders in templates: {short title}, [short title ...], <title>, NUMBER. TITLE, {{date}}.
	placeholder       = pattern.New(`(?i)^(?:\{.*|\[(?:short )?title\b.*|\[.*\|.*|<.*|(?:NUMBER|NNNN|XXXX)\b.*|(?:short )?title(?: of the decision| here)?|TBD)$`)
	placeholderStatus = pattern.New(`(?i)^(?:[{<\[].*|[a-z]+ ?[|/].*[|/].*|what is the status\b.*|status)$`)
)

func isTemplate(name, title, status, text string) bool {
	return templateName.MatchString(name) || placeholder.MatchString(title) || placeholderStatus.MatchString(status) ||
		strings.Contains(text, "What is the issue that we're seeing that is motivating this decision") &&
			strings.Contains(text, "What is the change that we're proposing")
}

var indexNames = pattern.New(`(?i)^(?:_?index|readme|summary|toc|contents|overview|adr[-_ ]?(?:index|log|list)|decision[-_ ]?(?:index|log|list)|(?:adrs|records))$`)

// isIndex recognizes an index page by name and place. In a record's own folder, as in 0001-x/README.md, such a page can
// be a record.
func isIndex(name string) bool {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	return indexNames.MatchString(base) && !strings.ContainsAny(path.Base(path.Dir(name)), "0123456789")
}

// listing counts the lines of a page that list other pages.
type listing struct{ links, lines int }

// A list item or table row that begins with a link to a page, possibly after a number: "| 0001 | [Use X](0001-x.md) |".
var listedPage = pattern.New(`^\s*(?:[*+-]|\d+[.)]|\|)\s*(?:\[[ x]\]\s*)?[*_` + "`" +
	`]*(?:(?i:ADR|RFC|D)?[-_ #]?\d+[*_` + "`" + `]*\s*[|:.–—-]*\s*)?(?:\[[^\]]*\]\([^)]*\.(?:md|markdown)[^)]*\)|\[\[)`)

// countListed counts the lines of text, and those that list a page. A record's section of links does not count.
func (d page) countListed() listing {
	var l listing
	for _, s := range d.sections() {
		if roles[role(s.heading)] == "links" {
			continue
		}
		for line := range strings.Lines(s.body) {
			line = strings.TrimSpace(line)
			switch {
			case line == "" || tableRule.MatchString(line) || strings.HasPrefix(line, "<!--"):
			case listedPage.MatchString(line):
				l.links++
				l.lines++
			default:
				l.lines++
			}
		}
	}
	return l
}

// isIndex reports whether a page mainly lists others.
func (l listing) isIndex() bool { return l.links > 1 && 2*l.links >= l.lines }

func (l listing) words() string {
	if l.links == 0 {
		return "it is a page about the records, not a record"
	}
	return fmt.Sprintf("it is an index page, which lists %d", l.links)
}
