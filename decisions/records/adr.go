package records

import (
	"cmp"
	_ "embed" // headings.txt
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"nomograph/decisions"
	"nomograph/internal/pattern"
)

var markdown = []string{".md", ".markdown"}

// ADR reads a folder of architecture decision records in Markdown, with its subfolders: MADR 2 to 4, Nygard's, those of
// adr-tools and log4brains, our own, and files of `Decision ID:` blocks. The id of a record is its path in the folder
// without ".md", the id of a block is its Decision ID. only is the one file to read, or empty.
func ADR(folder fs.FS, only, source string) Sequence {
	return func(yield func(Entry, error) bool) {
		names, err := namesIn(folder, markdown)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for e, err := range files(folder, markdown, func(name, text string) ([]Entry, *Problem) {
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
	complete := a.Status != "" && a.Decision != ""
	switch listed := doc.countListed(); {
	case isTemplate(name, a.Title, a.Status, markdown):
		return nil, &Problem{name, "it is a template", true}
	case listed.isIndex() || isIndex(name) && (listed.links > 1 || !complete):
		return nil, &Problem{name, listed.words(), true}
	case !a.record:
		return nil, &Problem{name, "it contains no decision: neither a status nor a section called Decision", true}
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
	record  bool // the file looks like a decision record
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
		value = plainValue(value)
		list, ok := textsOf(value)
		if !ok || !a.fact(strings.ReplaceAll(snake(name), "_", " "), strings.Join(list, ", ")) {
			if !empty(value) {
				a.storeExtra(snake(name), value)
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
		a.Title = cmp.Or(a.Title, all[at].heading)
		for _, before := range all[1:at] { // headings above the title are rare, but their text must not be lost
			a.section(before.heading, before.body)
		}
		a.preamble(all[at].body)
		rest = all[at+1:]
	}
	a.Title = cmp.Or(a.Title, strings.TrimSuffix(path.Base(a.Place), path.Ext(a.Place)))
	a.Title = titleNumber.ReplaceAllString(a.Title, "")
	for _, s := range mergeSubsections(rest) {
		a.part(s)
	}
	a.finish()
}

// finish orders the context: the situation precedes all other sections.
func (a *adr) finish() {
	others := a.Context
	a.Context = ""
	a.section("", a.context)
	a.section("", others)
	a.Links = a.links
	if match := datedStatus.FindStringSubmatch(a.Status); match != nil {
		if at, ok := date(match[2]); ok && (a.Date.IsZero() || a.Date.Equal(at)) {
			a.Status, a.Date = match[1], at
		}
	}
}

// mergeSubsections merges subsections into their section.
func mergeSubsections(all []section) []section {
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

//go:embed headings.txt
var headings string

// roles maps section headings to their meaning.
var roles = func() map[string]string {
	roles := map[string]string{}
	for line := range strings.Lines(headings) {
		meaning, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for name := range strings.SplitSeq(names, ", ") {
			roles[name] = meaning
		}
	}
	delete(roles, "") // of comments
	return roles
}()

// role returns a heading without numbers and punctuation.
func role(heading string) string {
	return strings.ToLower(strings.Trim(titleNumber.ReplaceAllString(heading, ""), " :.*_"))
}

// Subsections of a decision that describe consequences.
var consequenceHeadings = pattern.New(`(?im)^#{2,6}\s+(?:positive |negative |neutral )?(?:consequences|confirmation|validation|pros and cons)\b`)

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
		if at := consequenceHeadings.FindStringIndex(body); at != nil {
			a.section("", body[at[0]:])
			body = strings.TrimSpace(body[:at[0]])
		}
		if reason := because.FindStringSubmatch(body); reason != nil {
			a.Reasons = append(a.Reasons, decisions.Reason{Type: "analysis", Text: strings.TrimSpace(reason[1])})
		}
		a.Decision = strings.TrimSpace(a.Decision + "\n\n" + body)
	case "context":
		a.context = strings.TrimSpace(a.context + "\n\n" + body)
	case "rationale":
		if body != "" {
			a.Reasons = append(a.Reasons, decisions.Reason{Type: "analysis", Text: body})
		}
	case "drivers":
		if items := listItem.Split(body, -1); len(items) > 1 && items[0] == "" {
			for _, item := range items[1:] {
				if item = strings.TrimSpace(item); item != "" && !strings.HasPrefix(item, "<!--") {
					a.Reasons = append(a.Reasons, decisions.Reason{Type: "constraint", Text: item})
				}
			}
			return
		}
		a.section(s.heading, body)
	case "links":
		a.linkLines(body)
		a.section(s.heading, body)
	default:
		if words := linkWords.FindString(name); words == name && words != "" {
			a.linksTo(linkType(name), body)
		}
		if roles[name] == "fact" && !strings.Contains(body, "\n") && a.fact(name, body) {
			return
		}
		a.section(s.heading, body)
	}
}

// factLine is a line such as "- Status: accepted", "**Date:** 2020-01-01" or "|Status|accepted|".
var factLine = pattern.New(`^(\s*(?:[*+-]\s+|\|\s*)?)[*_]{0,2}(\p{L}[\p{L} /-]{1,40}?)[*_]{0,2}\s*[:|]\s*[*_]{0,2}\s*(.*?)\s*\|?\s*$`)

var tableRule = pattern.New(`^\s*\|[\s|:-]+$|^\s*\|\s*(?i:metadata|key|field|name)\s*\|`)

// preamble parses the lines below a title: facts, and text.
func (a *adr) preamble(body string) {
	var facts []fact
	var text []string
	open := false // the previous line was a fact
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n\\ ")
		match := factLine.FindStringSubmatch(line)
		switch {
		case tableRule.MatchString(line):
		case match != nil && !strings.HasPrefix(match[3], "//") &&
			(strings.TrimSpace(match[1]) != "" || knownFact(match[2])):
			facts, open = append(facts, fact{match[2], match[3]}), true
		case open && (strings.HasPrefix(line, "  ") || facts[len(facts)-1].unfinished()): // a continued line
			facts[len(facts)-1].value = strings.TrimSpace(facts[len(facts)-1].value + " " + strings.TrimSpace(line))
		default:
			open = false
			text = append(text, line)
		}
	}
	for _, f := range facts {
		if name := strings.ToLower(strings.TrimSpace(f.name)); f.value != "" && !a.fact(name, f.value) {
			a.storeExtra(snake(name), f.value)
		}
	}
	a.section("", strings.Join(text, "\n"))
}

// fact is a named value. It is unfinished without a value, or if the link of its last phrase follows in the next line.
type fact struct{ name, value string }

func (f fact) unfinished() bool {
	value := strings.TrimSpace(f.value)
	words := linkWords.FindAllStringIndex(value, -1)
	return value == "" || strings.HasSuffix(value, " on") || len(words) > 0 && words[len(words)-1][1] == len(value)
}

func knownFact(name string) bool {
	name = strings.ToLower(name)
	return linkWords.MatchString(name) || strings.HasSuffix(name, " by") || (&adr{}).fact(name, "")
}

var listMarks = pattern.New(`\s*(?:[,;+&]|\band\b)\s*`)

// fact reads a fact. It reports whether name and value are known; the caller stores the others as text.
func (a *adr) fact(name, value string) bool {
	value = strings.Trim(strings.TrimSpace(value), "*_")
	switch strings.TrimSpace(name) {
	case "title":
		a.Title = value
	case "status", "state", "estado", "statut", "stato", "статус", "状态", "ステータス":
		a.status(value)
	case "fecha", "data", "datum", "дата", "日期", "日付", "date", "decision date", "created", "last updated", "updated":
		at, ok := date(value)
		if ok && (a.Date.IsZero() || strings.TrimSpace(name) == "date") {
			a.Date = at
			return true
		}
		return value == ""
	case "deciders", "decision makers", "decision-makers", "author", "authors", "decider", "owner":
		for _, who := range listMarks.Split(value, -1) {
			if who != "" {
				a.Authors = append(a.Authors, who)
			}
		}
	case "category", "categories", "type":
		a.categorize(value)
	case "tags", "labels", "tag":
		for tag := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == ';' }) {
			if tag = strings.TrimSpace(tag); tag != "" {
				a.Tags = append(a.Tags, tag)
			}
		}
	case "confidence":
		number, err := strconv.ParseFloat(value, 64)
		if err != nil || !(number >= 0 && number <= 1) { // the meaning of a word or a percentage is unclear
			return value == ""
		}
		a.Confidence = &number
	case "stakes":
		word := strings.ToLower(value)
		if !slices.Contains(decisions.StakesValues, word) {
			return value == ""
		}
		a.Stakes = word
	case "project":
		a.Project = value
	case "feature":
		a.Feature = value
	case "pattern":
		a.Pattern = value
	default:
		if match := linkWords.FindString(name); match != "" && strings.TrimSpace(match) == strings.TrimSpace(name) {
			return a.linksTo(linkType(name), value) || value == ""
		}
		return false
	}
	return true
}

var (
	checkbox    = pattern.New(`(?:^|\s)\s*(?:[*+-]\s+)?\[([ xX])\]\s+`)
	blankLine   = pattern.New(`\n\s*\n`)
	struck      = pattern.New(`(?is)(?:[*+-]\s+)?(?:~~.+?~~|<(?:del|s|strike)>.*?</(?:del|s|strike)>)`)
	statusMarks = pattern.New("(?i)[*`]+|(^|[\\s(\\[])_+|_+([\\s)\\],.;:]|$)|</?(?:b|i|em|strong|ins|u|mark|code)>|:[a-z]+(?:_[a-z]+)*:")
	statusLabel = pattern.New(`(?i)^(?:status|state)\s*:\s*`)
	statusLink  = pattern.New(`^!?\[([^\[\]]+)\](?:\([^()]*\)|\[[^\[\]]*\])`)
	datedStatus = pattern.New(`^(.*?[^\s,;:(–—-])[\s,;:(–—-]+(?:(?:on|since|as of)\s+)?(\d+[-/.]\d+[-/.]\d+|\d+ \pL+ \d{4}|\pL+ \d+, \d{4})\)?\.?$`)
)

// checked returns a text that begins with checkboxes as the last checked item and what follows the list. Other texts
// are unchanged.
func checked(text string) string {
	boxes := checkbox.FindAllStringSubmatchIndex(text, -1)
	if len(boxes) == 0 || boxes[0][0] != 0 {
		return text
	}
	item, from := "", 0
	for i, at := range boxes {
		end := len(text)
		if i+1 < len(boxes) {
			end = boxes[i+1][0]
		} else if blank := blankLine.FindStringIndex(text[at[1]:]); blank != nil {
			end = at[1] + blank[0]
		}
		if from = end; text[at[2]] != ' ' {
			item = text[at[1]:end]
		}
	}
	if item == "" {
		return text
	}
	return item + text[from:]
}

// plainStatus returns a status without markup and symbols.
func plainStatus(text string) string {
	text = statusMarks.ReplaceAllString(strings.TrimSpace(text), "$1$2")
	text = statusLink.ReplaceAllString(statusLabel.ReplaceAllString(text, ""), "$1")
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.So, unicode.Sk, unicode.Mn) ||
			strings.ContainsRune("|/,;:_→\u200d", r)
	})
}

// status reads the status and the links in it. A remark that only links is no part of the status.
func (a *adr) status(value string) {
	value = struck.ReplaceAllString(checked(value), "")
	status := plainStatus(value)
	if status == "" {
		return
	}
	a.record = true
	before := len(a.links)
	a.linkLines(value)
	if word, remark, ok := strings.Cut(status, " ("); ok && startsLink(remark) && strings.HasSuffix(remark, ")") &&
		len(a.links) > before {
		status = word
	}
	a.Status = cmp.Or(a.Status, status)
}

// startsLink reports whether a text begins with a phrase for a link.
func startsLink(text string) bool {
	at := linkWords.FindStringIndex(strings.TrimLeft(text, " *_"))
	return at != nil && at[0] == 0
}

// statusSection uses the first paragraph as the status, up to a list item or a phrase for a link. Further lines become
// a section.
func (a *adr) statusSection(body string) {
	text := strings.TrimSpace(struck.ReplaceAllString(checked(body), ""))
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	n := 1
	for n < len(lines) && strings.TrimSpace(lines[n]) != "" && !listItem.MatchString(lines[n]) &&
		!startsLink(lines[n]) {
		n++
	}
	words := strings.Fields(listItem.ReplaceAllString(strings.Join(lines[:n], " "), ""))
	status, rest := strings.Join(words, " "), strings.Join(lines[n:], "\n")
	a.status(status)
	if (fact{value: strings.Trim(status, "*_ ")}).unfinished() { // the link follows after a blank line
		a.linkLines(status + "\n" + rest)
	} else {
		a.linkLines(rest)
	}
	if strings.TrimSpace(rest) != "" {
		a.section("Status", body)
	}
}

// log4brains puts the date into the name: 20200131-use-x.md.
var dateInName = pattern.New(`^(20\d{2})-?([01]\d)-?([0-3]\d)(?:-|_)`)

func nameDate(name string) (time.Time, bool) {
	match := dateInName.FindStringSubmatch(path.Base(name))
	if match == nil {
		return time.Time{}, false
	}
	return date(match[1] + "-" + match[2] + "-" + match[3])
}

// Mention is the type of a link within the text.
const Mention = "mentions"

// linkWords are phrases for relations between records.
var linkWords = pattern.New(`(?i)\b(?:(?:partly |partially )?(?:superseded|superceded|replaced|amended|clarified|refined|updated|extended|obsoleted|blocked|required)[ -]by` +
	`|supersedes|supercedes|replaces|amends|clarifies|refines|updates|extends|obsoletes|depends on|requires|relates to|related to|contradicts|blocks)\b:?`)

// linkType returns the type of a phrase: superseded_by for "Superseded by".
func linkType(word string) string {
	word = strings.ToLower(strings.ReplaceAll(strings.Trim(strings.TrimSpace(word), ":"), "-", " "))
	word = strings.NewReplacer("partially ", "partly ", "superced", "supersed").Replace(word)
	return strings.ReplaceAll(word, " ", "_")
}

// linkLines finds links in lines such as "Supersedes [1. Use X](0001-use-x.md)" and "* Superseded by ADR-0005". The
// targets of a phrase at the end of a line are those of the next lines.
func (a *adr) linkLines(text string) {
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		words := linkWords.FindAllStringIndex(line, -1)
		for i, at := range words {
			end := len(line)
			if i+1 < len(words) {
				end = words[i+1][0]
			}
			kind, rest := linkType(line[at[0]:at[1]]), line[at[1]:end]
			if strings.Trim(rest, " \t:*_#") == "" && i+1 == len(words) {
				rest = nextParagraph(lines[n+1:])
			}
			a.linksTo(kind, rest)
		}
	}
}

// nextParagraph returns the lines up to a blank one, a heading or another phrase for a link.
func nextParagraph(lines []string) string {
	var text string
	for _, line := range lines {
		switch blank := strings.TrimSpace(line) == ""; {
		case blank && text == "":
		case blank, strings.HasPrefix(line, "#"), linkWords.MatchString(line):
			return text
		default:
			text += line + "\n"
		}
	}
	return text
}

// Forms of a target: a Markdown link, a wiki link, a file name or ADR-5; without any of these, a number.
var (
	linkTarget   = pattern.New(`\]\(\s*<?([^)\s>]+)>?[^)]*\)|\[\[([^\]|#]+)[^\]]*\]\]|([\w./-]+\.md)\b|\b(ADR[-_ ]?\d+)\b`)
	numberTarget = pattern.New(`(?:^|[\s,(\[#])((?:[A-Za-z]+[-_ ])?\d+)(?:[\s,.;)\]]|$)`)
)

// linksTo adds links to all targets in a text, and reports whether there are any.
func (a *adr) linksTo(kind, text string) bool {
	matches := linkTarget.FindAllStringSubmatch(text, -1)
	if len(matches) == 0 {
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '&' }) {
			matches = append(matches, numberTarget.FindAllStringSubmatch(part, -1)...)
		}
	}
	for _, match := range matches {
		for _, name := range match[1:] {
			if name != "" {
				a.links = append(a.links, Link{Type: kind, Target: strings.ReplaceAll(name, " ", "-"), Weight: 1})
			}
		}
	}
	return len(matches) > 0
}

// resolve replaces targets by the external ids of existing files. An unresolved mention is dropped; an unresolved typed
// link remains, so that it is reported.
func (e *Entry) resolve(from string, names []string) {
	links := e.Links
	e.Links = nil
	for _, l := range links {
		id, ok := findFile(l.Target, from, names)
		l.Target = id
		if id != "" && id != e.ExternalID && (ok || l.Type != Mention) && !slices.Contains(e.Links, l) {
			e.Links = append(e.Links, l)
		}
	}
}

var (
	leadingNumber  = pattern.New(`^(?i:adr[-_ ]?)?0*(\d+)(?:[-_. ]|$)`)
	trailingNumber = pattern.New(`^(?i:adr[-_ ]?)?0*(\d+)$`)
)

// findFile finds the file of a target: a path relative to the linking file, a file name, or a number that only one file
// has.
func findFile(target, from string, names []string) (string, bool) {
	if strings.Contains(target, "://") {
		return target, false
	}
	plain, _, _ := strings.Cut(target, "#")
	if unescaped, err := url.PathUnescape(plain); err == nil {
		plain = unescaped
	}
	number := trailingNumber.FindStringSubmatch(plain)
	var found []string
	for _, name := range names {
		id := strings.TrimSuffix(name, path.Ext(name))
		if name == path.Join(path.Dir(from), plain) || id == path.Join(path.Dir(from), plain) || id == plain {
			return id, true
		}
		if own := leadingNumber.FindStringSubmatch(path.Base(name)); number != nil && own != nil &&
			own[1] == number[1] || path.Base(id) == path.Base(plain) {
			found = append(found, id)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return strings.TrimSuffix(plain, ".md"), false
}
