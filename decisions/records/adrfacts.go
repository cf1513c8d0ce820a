package records

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/internal/pattern"
)

// factLine is a line such as "- Status: accepted", "**Date:** 2020-01-01" or "|Status|accepted|".
var factLine = pattern.New(`^(\s*(?:[*+-]\s+|\|\s*)?)[*_]{0,2}([A-Za-z][A-Za-z /-]{1,40}?)[*_]{0,2}\s*[:|]\s*[*_]{0,2}\s*(.*?)\s*\|?\s*$`)

var tableRule = pattern.New(`^\s*\|[\s|:-]+$|^\s*\|\s*(?i:metadata|key|field|name)\s*\|`)

// preamble parses the lines below a title: facts, and text.
func (a *adr) preamble(body string) {
	type fact struct{ name, value string }
	var facts []fact
	var text []string
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n\\ ")
		match := factLine.FindStringSubmatch(line)
		switch {
		case tableRule.MatchString(line):
		case match != nil && !strings.HasPrefix(match[3], "//") && (strings.TrimSpace(match[1]) != "" || knownFact(match[2])):
			facts = append(facts, fact{match[2], match[3]})
		case len(facts) > 0 && len(text) == 0 && strings.HasPrefix(line, "  "): // a continued line
			facts[len(facts)-1].value += " " + strings.TrimSpace(line)
		default:
			text = append(text, line)
		}
	}
	for _, f := range facts {
		if name := strings.ToLower(strings.TrimSpace(f.name)); f.value != "" && !a.fact(name, f.value) {
			a.keep(snake(name), f.value)
		}
	}
	a.section("", strings.Join(text, "\n"))
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
	case "status", "state":
		a.status(value)
	case "date", "decision date", "created", "last updated", "updated":
		at, ok := date(value)
		if ok && (a.Date.IsZero() || name == "date") {
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
		a.categorise(value)
	case "tags", "labels", "tag":
		for tag := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == ';' }) {
			if tag = strings.TrimSpace(tag); tag != "" {
				a.Tags = append(a.Tags, tag)
			}
		}
	case "confidence":
		number, err := strconv.ParseFloat(value, 64)
		if err != nil || !(number >= 0 && number <= 1) { // a word or a percentage, whose meaning is unclear
			return value == ""
		}
		a.Confidence = &number
	case "stakes":
		word := strings.ToLower(value)
		if !slices.Contains(Stakes, word) {
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

// status reads the status and the links in it.
func (a *adr) status(value string) {
	if value == "" {
		return
	}
	a.record = true
	if a.Status == "" {
		a.Status = value
	}
	a.linkLines(value)
}

// statusSection uses the first line as the status. Further lines remain a section.
func (a *adr) statusSection(body string) {
	if body == "" {
		return
	}
	first, rest, _ := strings.Cut(body, "\n")
	a.status(strings.Trim(strings.TrimSpace(listItem.ReplaceAllString(first, "")), "*_ "))
	a.linkLines(rest)
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
