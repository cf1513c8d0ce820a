package records

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"nomograph/internal/pattern"
)

// section is a heading with its text, up to the next heading. Text before the first heading has level 0.
type section struct {
	level         int
	heading, body string
}

// page is a parsed Markdown text.
type page struct {
	source []byte
	root   ast.Node
}

func parse(markdown string) page {
	source := []byte(markdown)
	return page{source, goldmark.DefaultParser().Parse(text.NewReader(source))}
}

// sections divides a document at its headings, ignoring code blocks.
func (d page) sections() []section {
	all := []section{{}}
	from := 0
	for node := d.root.FirstChild(); node != nil; node = node.NextSibling() {
		heading, ok := node.(*ast.Heading)
		if !ok {
			continue
		}
		start := d.lineStart(heading.Pos())
		all[len(all)-1].body = string(d.source[from:max(from, start)])
		from = d.headingEnd(heading)
		all = append(all, section{level: heading.Level, heading: d.headingText(heading)})
	}
	all[len(all)-1].body = string(d.source[from:])
	return all
}

func (d page) lineStart(at int) int {
	at = min(max(at, 0), len(d.source))
	return bytes.LastIndexByte(d.source[:at], '\n') + 1
}

func (d page) lineEnd(at int) int {
	if i := bytes.IndexByte(d.source[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.source)
}

func (d page) headingText(heading *ast.Heading) string {
	var parts []string
	for i := range heading.Lines().Len() {
		line := heading.Lines().At(i)
		parts = append(parts, strings.TrimSpace(string(line.Value(d.source))))
	}
	return strings.Join(parts, " ")
}

// headingEnd is where the text after a heading begins. An underlined heading has two lines.
func (d page) headingEnd(heading *ast.Heading) int {
	start := min(max(heading.Pos(), 0), len(d.source))
	if n := heading.Lines().Len(); n > 0 && (start >= len(d.source) || d.source[start] != '#') {
		return d.lineEnd(d.lineEnd(heading.Lines().At(n - 1).Start))
	}
	return d.lineEnd(start)
}

// mentions returns the targets of a document's links.
func (d page) mentions() []string {
	var found []string
	_ = ast.Walk(d.root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := node.(*ast.Link); ok && entering {
			found = append(found, string(link.Destination))
		}
		return ast.WalkContinue, nil
	})
	return found
}

// frontMatter and its end: YAML between --- lines or up to a line of dots, or TOML between +++ lines. Comments of
// other tools, such as a linter, may stand above it.
var (
	frontMatterStart = pattern.New(`^(?:\s*<!--(?s:.*?)-->)*\s*(---|\+\+\+)[ \t]*\n`)
	frontMatterEnd   = map[string]*pattern.Pattern{"---": pattern.New(`(?m)^(?:---|\.\.\.)[ \t]*$\n?`),
		"+++": pattern.New(`(?m)^\+\+\+[ \t]*$\n?`)}
)

// frontMatter separates the front matter, as YAML whose lines keep their numbers, from the Markdown.
func frontMatter(text string) (yaml, markdown string) {
	begin := frontMatterStart.FindStringSubmatchIndex(text)
	if begin == nil {
		return "", text
	}
	mark, rest := text[begin[2]:begin[3]], text[begin[1]:]
	end := frontMatterEnd[mark].FindStringIndex(rest)
	if end == nil {
		return "", text
	}
	if yaml = rest[:end[0]]; mark == "+++" {
		yaml = yamlOfTOML(yaml)
	}
	return strings.Repeat("\n", strings.Count(text[:begin[1]], "\n")) + yaml, rest[end[1]:]
}

var (
	tomlKey   = pattern.New(`^\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=\s*(.*)$`)
	tomlTable = pattern.New(`^\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$`)
)

// yamlOfTOML rewrites the TOML of front matter as YAML, line by line. Values are written alike in both: quoted texts,
// numbers, dates and lists. Forms without an equivalent are errors of the YAML.
func yamlOfTOML(toml string) string {
	var yaml strings.Builder
	indent := ""
	for line := range strings.Lines(toml) {
		line = strings.TrimRight(line, "\n")
		if table := tomlTable.FindStringSubmatch(line); table != nil {
			line, indent = table[1]+":", "  "
		} else if key := tomlKey.FindStringSubmatch(line); key != nil {
			line = indent + key[1] + ": " + key[2]
		} else {
			line = indent + "  " + line
		}
		yaml.WriteString(line + "\n")
	}
	return yaml.String()
}
