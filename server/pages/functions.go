package pages

import (
	"fmt"
	"html/template"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// functions are what templates may call.
var functions = template.FuncMap{
	"when":    when,
	"ago":     func(at time.Time) string { return ago(time.Since(at)) },
	"percent": percent,
	"words":   func(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", " ") },
	"link":    link,
	"lines":   func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") },
	"list":    func(names ...string) []string { return names },
	"upper":   strings.ToUpper,
	"json":    func(text string) template.JS { return template.JS(escapedScript.Replace(text)) }, //nolint:gosec // a text of layout.JSON, in which nothing ends a script
	"choice":  func(name, title, chosen string, all []string) choiceOf { return choiceOf{name, title, chosen, all} },
	"join":    func(separator string, parts []string) string { return strings.Join(parts, separator) },
}

// choiceOf is one filter of a form.
type choiceOf struct {
	Name, Title, Chosen string
	All                 []string
}

// escapedScript writes JSON so that nothing in it ends the element that holds it.
var escapedScript = strings.NewReplacer("<", "\\u003c", ">", "\\u003e", "&", "\\u0026", "\u2028", "\\u2028", "\u2029", "\\u2029")

// when is a time for people, in UTC, and for programs.
func when(at time.Time) template.HTML {
	if at.IsZero() {
		return ""
	}
	at = at.UTC()
	return safeHTML(`<time datetime="` + at.Format(time.RFC3339) + `">` + at.Format("2006-01-02 15:04") + `</time>`)
}

// ago is how long something is ago, in its largest unit.
func ago(past time.Duration) string {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(past / unit.of); n > 0 {
			if n > 1 {
				unit.name += "s"
			}
			return strconv.Itoa(n) + " " + unit.name + " ago"
		}
	}
	return "just now"
}

// percent is a share of 1, or "" for one that is not known.
func percent(share any) string {
	value := math.NaN()
	switch s := share.(type) {
	case float64:
		value = s
	case *float64:
		if s != nil {
			value = *s
		}
	}
	if math.IsNaN(value) {
		return ""
	}
	return strconv.FormatFloat(math.Round(value*1000)/10, 'f', -1, 64) + " %"
}

// link is a path with parameters, by pairs of name and value; empty values are left out.
func link(path string, pairs ...any) string {
	query := url.Values{}
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
