package pages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"nomograph/decisions/counters"
	"nomograph/graph"
	"nomograph/internal/pattern"
	"nomograph/internal/render"
	"nomograph/policies/check"
)

// functions holds the functions that templates may call.
var functions = template.FuncMap{
	"when":       timeTag,
	"second":     second,
	"clock":      clock,
	"coded":      coded,
	"ago":        ago,
	"percent":    percent,
	"words":      func(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", " ") },
	"link":       link,
	"below":      objectPath,
	"markdown":   markdown,
	"parameters": parametersOf,
	"flipped":    flipText,
	"plain":      plain,
	"cell":       cellOf,
	"list":       func(names ...string) []string { return names },
	"json": func(text string) template.JS {
		return template.JS(escapedScript.Replace(text))
	}, //nolint:gosec // render.JSON output with script-ending characters escaped
	"choice": func(name, title, chosen string, all []string) filterChoice {
		return filterChoice{name, title, chosen, all}
	},
	"choiceFrom": func(kind, path, parameter string, groups []counters.Group, may bool) groupChoice {
		return groupChoice{kind, path, parameter, groups, !may, len(groups) >= groupsListed}
	},
	"join":       func(separator string, parts []string) string { return strings.Join(parts, separator) },
	"pairs":      pairsOf,
	"within":     func(page, of any) map[string]any { return map[string]any{"Page": page, "Of": of} },
	"show":       shownValue,
	"readable":   readable,
	"items":      items,
	"number":     number,
	"add":        func(a, b any) int64 { return integer(a) + integer(b) },
	"title":      render.Title,
	"short":      func(id string) string { return render.Cut(id, shortID) },
	"upper":      strings.ToUpper,
	"brief":      func(params string) string { return render.Shorten(parametersText(params), 100) },
	"capital":    capital,
	"plural":     func(n any, word string) string { return render.Plural(integer(n), word) },
	"questionOf": questionOf,
	"look":       func(state any) string { return look(fmt.Sprint(state)) },
	"outcomesOf": outcomesOf,
	"answer": func(allowed bool, forced string) string {
		return check.Answer(allowed, false, "", forced != "")
	},
	"ruleLink": ruleLink,
	"page":     wholePage, // of a node
}

// filterChoice is one filter of a form.
type filterChoice struct {
	Name, Title, Chosen string
	All                 []string
}

// groupChoice is a table of agents or projects that lead to a page.
type groupChoice struct {
	Kind, Path, Parameter string
	Groups                []counters.Group
	Unread                bool // the caller may not read the groups
	Cut                   bool // there may be more
}

// groupsListed is the number of groups that get_stats returns.
const groupsListed = 20

// question holds what reviews say about a rule or a proposal, in Markdown, and the id of the proposal.
type question struct{ Text, Proposal string }

var namedProposal = pattern.New(" `([0-9a-f]{8}-[0-9a-f-]{27})`")

// questionOf takes the id of a proposal out of a text, so that the page can link to it.
func questionOf(text string) question {
	at := namedProposal.FindStringSubmatchIndex(text)
	if at == nil {
		return question{Text: text}
	}
	return question{text[:at[0]] + text[at[1]:], text[at[2]:at[3]]}
}

// parametersOf returns the parameters of an action, which are a JSON object, as pairs of name and value.
func parametersOf(params string) [][2]string {
	var facts graph.Parameters
	if json.Unmarshal([]byte(params), &facts) != nil {
		return [][2]string{{"parameters", params}}
	}
	return pairsOf(map[string]any(facts))
}

// parametersText returns parameters as text: amount 900, order A-1007.
func parametersText(params string) string {
	var words []string
	for _, pair := range parametersOf(params) {
		words = append(words, pair[0]+" "+pair[1])
	}
	return strings.Join(words, ", ")
}

// escapedScript escapes JSON so that it cannot end the script element that contains it.
var escapedScript = strings.NewReplacer("<", "\\u003c", ">", "\\u003e", "&", "\\u0026", "\u2028", "\\u2028", "\u2029",
	"\\u2029")

// timeTag returns a time element with minutes, in UTC; "" for the zero time. script/times.js shows it in the reader's
// zone. Midnight to the nanosecond is a date, as imported records have it: it has no time of day and no zone.
func timeTag(at time.Time) template.HTML {
	if at = at.UTC(); !at.IsZero() && at.Equal(at.Truncate(24*time.Hour)) {
		return safeHTML(`<time datetime="` + at.Format(time.DateOnly) + `">` + at.Format(time.DateOnly) + `</time>`)
	}
	return timeElement(at, "2006-01-02 15:04")
}

// clock returns a time element with the time of day in UTC.
func clock(at time.Time) template.HTML { return timeElement(at, time.TimeOnly) }

// second returns a time element with seconds, in UTC.
func second(at time.Time) template.HTML { return timeElement(at, secondsLayout) }

const secondsLayout = "2006-01-02 15:04:05"

func timeElement(at time.Time, layout string) template.HTML {
	return timeText(at, at.UTC().Format(layout)+" UTC")
}

// ago returns a time element with the distance from now, such as 3 minutes ago.
func ago(at time.Time) template.HTML { return timeText(at, humanize.Time(at)) }

// timeText returns a time element that shows a text and has the exact time in UTC as its title; "" for the zero time.
func timeText(at time.Time, shown string) template.HTML {
	if at.IsZero() {
		return ""
	}
	at = at.UTC()
	return safeHTML(`<time datetime="` + at.Format(time.RFC3339) + `" title="` + at.Format(secondsLayout) + ` UTC">` +
		shown + `</time>`)
}

// coded splits a text at backticks. Pieces between two backticks are code.
func coded(text string) (all pieces) {
	parts := strings.Split(text, "`")
	for i, part := range parts {
		if i == len(parts)-1 && i%2 == 1 { // a backtick without a second one
			part = "`" + part
		}
		all = append(all, piece{part, i%2 == 1 && i < len(parts)-1})
	}
	return all
}

// percent formats a share between 0 and 1 as a percentage; "" for an unknown share.
func percent(share any) string {
	switch s := share.(type) {
	case *float64:
		if s != nil {
			return percent(*s)
		}
	case float64:
		if !math.IsNaN(s) {
			return strconv.FormatFloat(math.Round(s*1000)/10, 'f', -1, 64) + "\u00a0%" // in one line
		}
	}
	return ""
}

// link returns a path with query parameters from pairs of name and value. Empty values are omitted. The path may select
// a view.
func link(path string, pairs ...any) string {
	path, view, _ := strings.Cut(path, "?")
	query, _ := url.ParseQuery(view)
	for i := 0; i+1 < len(pairs); i += 2 {
		if value := fmt.Sprint(pairs[i+1]); value != "" {
			query.Set(fmt.Sprint(pairs[i]), value)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// objectPath returns the path of the page of a named object: the list's path and the name as one segment.
func objectPath(path string, name any) string { return path + "/" + url.PathEscape(shownValue(name)) }

// capital returns a label with its first letter in upper case.
func capital(label string) string {
	first, size := utf8.DecodeRuneInString(label)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + label[size:]
}

const shortID = 12 // characters of a hash that identify it in practice

// shownValue formats any value: strings unchanged, lists and objects as JSON, and "" for an empty value.
func shownValue(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	case *time.Time:
		if v != nil {
			return shownValue(*v)
		}
	}
	text, err := render.JSON(value)
	if err != nil || string(text) == "null" || string(text) == "[]" || string(text) == "{}" {
		return ""
	}
	return string(text)
}

// readable formats a value for people: lists of strings without brackets, times to the minute.
func readable(value any) string {
	if all := items(value); all != nil {
		return strings.Join(all, "; ")
	}
	text := shownValue(value)
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.UTC().Format("2006-01-02 15:04") + " UTC"
	}
	return text
}

// pairsOf returns the fields of an object as pairs of path and value in words; nil for any other value.
func pairsOf(value any) (pairs [][2]string) {
	object, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if nested := pairsOf(object[name]); nested != nil {
			for _, pair := range nested {
				pairs = append(pairs, [2]string{name + "." + pair[0], pair[1]})
			}
			continue
		}
		pairs = append(pairs, [2]string{name, cmp.Or(readable(object[name]), "empty")})
	}
	return pairs
}

// items returns the elements of a list of strings; nil for any other value.
func items(value any) []string {
	switch list := value.(type) {
	case []string:
		return list
	case []any:
		texts := make([]string, 0, len(list))
		for _, item := range list {
			text, ok := item.(string)
			if !ok {
				return nil
			}
			texts = append(texts, text)
		}
		return texts
	}
	return nil
}

func integer(value any) int64 {
	switch n := value.(type) {
	case int64:
		return n
	case int:
		return int64(n)
	case *int:
		if n != nil {
			return int64(*n)
		}
	}
	return 0
}

// number formats a number with at most three decimal places; "" for an unknown number.
func number(value any) string {
	switch v := value.(type) {
	case float64:
		return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
	case *float64:
		if v != nil {
			return number(*v)
		}
	case int, int64:
		return fmt.Sprint(v)
	}
	return ""
}
