package records

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"nomograph/internal/pattern"
)

// ADR reads a folder of architecture decision records in Markdown, with its subfolders: MADR 2 to 4, Nygard's, those of
// adr-tools and log4brains, our own, and files of `Decision ID:` blocks. The id of a record is its path in the folder
// without ".md", that of a block is its own. only is the one file to read, or empty.
func ADR(folder fs.FS, only, source string) Sequence {
	return func(yield func(Entry, error) bool) {
		names, err := markdownNames(folder)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for e, err := range files(folder, []string{".md", ".markdown"}, func(name, text string) ([]Entry, *Problem) {
			if only != "" && name != only {
				return nil, nil
			}
			entries, problem := Markdown(name, source, text)
			for i := range entries {
				entries[i].resolve(name, names)
			}
			return entries, problem
		}) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// Markdown parses one file: one record, or one for each `Decision ID:` block.
func Markdown(name, source, text string) ([]Entry, *Problem) {
	front, markdown := frontMatter(text)
	doc := parse(markdown)
	if entries := blocks(name, source, doc); len(entries) > 0 {
		for i := range entries {
			if problem := entries[i].check(); problem != nil {
				return nil, problem
			}
		}
		return entries, nil
	}
	a := adr{Entry: Entry{Source: source, Place: name, ExternalID: strings.TrimSuffix(name, path.Ext(name))}}
	if problem := a.front(front); problem != nil {
		return nil, problem
	}
	a.read(doc)
	whole := a.Status != "" && a.Decision != ""
	switch listed := doc.listed(); {
	case isTemplate(name, a.Title, a.Status, markdown):
		return nil, &Problem{name, "it is a template", true}
	case listed.most() || isIndex(name) && (listed.links > 1 || !whole):
		return nil, &Problem{name, listed.words(), true}
	case !a.record:
		return nil, &Problem{name, "it holds no decision: neither a status nor a section called Decision", true}
	}
	if at, ok := nameDate(name); ok && a.Date.IsZero() {
		a.Date = at
	}
	for _, target := range doc.mentions() {
		a.Links = append(a.Links, Link{Type: Mention, Target: target, Weight: 1})
	}
	return []Entry{a.Entry}, a.check()
}

// adr is a partially parsed record.
type adr struct {
	Entry
	record  bool // there is evidence that this is a decision record
	context string
	links   []Link
}

func (a *adr) front(yaml string) *Problem {
	if strings.TrimSpace(yaml) == "" {
		return nil
	}
	values, problem := readYAML(a.Place, yaml)
	if problem != nil {
		return problem
	}
	for name, value := range values {
		value = plain(value)
		list, ok := textsOf(value)
		if !ok || !a.fact(strings.ReplaceAll(snake(name), "_", " "), strings.Join(list, ", ")) {
			if !empty(value) {
				a.keep(snake(name), value)
			}
		}
	}
	return nil
}

// Numbers before titles, as in "1. Use X", "ADR-0001: Use X" and "D-031 — Use X".
var titleNumber = pattern.New(`^(?i:(?:adr|rfc|d)[-_ ]?#?\d+\s*(?:[.:)]|[-–—]+\s)?|\d+\s*[.:)]|\d+\s+[-–—]+)\s*`)

func (a *adr) read(doc page) {
	all := doc.sections()
	at := slices.IndexFunc(all, func(s section) bool { return s.level == 1 && roles[role(s.heading)] == "" })
	if at < 0 {
		at = slices.IndexFunc(all, func(s section) bool { return s.level > 1 && roles[role(s.heading)] == "" })
	}
	a.preamble(all[0].body)
	rest := all[1:]
	if at > 0 {
		if a.Title == "" {
			a.Title = all[at].heading
		}
		for _, before := range all[1:at] { // headings above the title are rare, but their text must not be lost
			a.section(before.heading, before.body)
		}
		a.preamble(all[at].body)
		rest = all[at+1:]
	}
	if a.Title == "" {
		a.Title = strings.TrimSuffix(path.Base(a.Place), path.Ext(a.Place))
	}
	a.Title = titleNumber.ReplaceAllString(a.Title, "")
	for _, s := range joined(rest) {
		a.part(s)
	}
	a.finish()
}

// finish puts the situation before all other sections.
func (a *adr) finish() {
	others := a.Context
	a.Context = ""
	a.section("", a.context)
	a.section("", others)
	a.Links = a.links
}

// joined merges subsections into their section.
func joined(all []section) []section {
	var out []section
	for _, s := range all {
		if len(out) > 0 && s.level > out[0].level {
			last := &out[len(out)-1]
			last.body += "\n" + strings.Repeat("#", s.level) + " " + s.heading + "\n" + s.body
			continue
		}
		out = append(out, s)
	}
	return out
}

// roles maps section headings of the known formats to their meaning.
var roles = map[string]string{
	"status": "status", "decision": "decision", "decision outcome": "decision", "outcome": "decision", "resolution": "decision", "decisions": "decision",
	"context": "context", "context and problem statement": "context", "problem statement": "context", "problem": "context", "background": "context",
	"rationale": "rationale", "decision rationale": "rationale", "justification": "rationale", "decision drivers": "drivers", "drivers": "drivers", "forces": "drivers",
	"links": "links", "related decisions": "links", "related": "links", "consequences": "other", "considered options": "other", "options": "other",
	"alternatives considered": "other", "pros and cons of the options": "other", "more information": "links", "date": "fact", "deciders": "fact", "tags": "fact",
}

// role returns a heading without numbers and punctuation.
func role(heading string) string {
	return strings.ToLower(strings.Trim(titleNumber.ReplaceAllString(heading, ""), " :.*_"))
}

// Subsections of a decision that describe consequences.
var aftermath = pattern.New(`(?im)^#{2,6}\s+(?:positive |negative |neutral )?(?:consequences|confirmation|validation|pros and cons)\b`)

// Chosen option: "X", because Y.
var because = pattern.New(`(?is)\bchosen option:.*?\bbecause:?\s+(.+?)(?:\n\s*\n|\n#|$)`)

var listItem = pattern.New(`(?m)^\s{0,3}(?:[*+-]|\d+[.)])\s+`)

func (a *adr) part(s section) {
	body := strings.TrimSpace(s.body)
	switch name := role(s.heading); roles[name] {
	case "status":
		a.statusSection(body)
	case "decision":
		a.record = true
		if at := aftermath.FindStringIndex(body); at != nil {
			a.section("", body[at[0]:])
			body = strings.TrimSpace(body[:at[0]])
		}
		if reason := because.FindStringSubmatch(body); reason != nil {
			a.Reasons = append(a.Reasons, Reason{Type: "analysis", Text: strings.TrimSpace(reason[1])})
		}
		a.Decision = strings.TrimSpace(a.Decision + "\n\n" + body)
	case "context":
		a.context = strings.TrimSpace(a.context + "\n\n" + body)
	case "rationale":
		if body != "" {
			a.Reasons = append(a.Reasons, Reason{Type: "analysis", Text: body})
		}
	case "drivers":
		if items := listItem.Split(body, -1); len(items) > 1 && items[0] == "" {
			for _, item := range items[1:] {
				if item = strings.TrimSpace(item); item != "" && !strings.HasPrefix(item, "<!--") {
					a.Reasons = append(a.Reasons, Reason{Type: "constraint", Text: item})
				}
			}
			return
		}
		a.section(s.heading, body)
	case "links":
		a.linkLines(body)
		a.section(s.heading, body)
	default:
		if roles[name] == "fact" && !strings.Contains(body, "\n") && a.fact(name, body) {
			return
		}
		a.section(s.heading, body)
	}
}
