package records

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// fields are a record's names and values from JSON or YAML.
type fields struct {
	entry   *Entry
	values  map[string]any
	problem string // first error; a record with an error is skipped
}

// entryOf converts a record's fields: those of eips.jsonl and of CSTP's decisions, in snake_case or camelCase. source
// is the default source.
func entryOf(place, source string, values map[string]any) (Entry, *Problem) {
	e := Entry{Source: source, Place: place}
	f := fields{entry: &e, values: make(map[string]any, len(values))}
	for name, value := range values {
		if value != nil {
			f.values[snake(name)] = plainValue(value)
		}
	}
	f.identity()
	f.takeTexts()
	f.lists()
	f.measures()
	f.takeNested()
	f.review()
	f.links()
	for name, value := range f.values { // remaining fields
		if !empty(value) {
			e.storeExtra(name, value)
		}
	}
	if f.problem != "" {
		return e, &Problem{Place: place, Why: f.problem}
	}
	return e, e.check()
}

func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// snake converts actualResult and actual-result to actual_result.
func snake(name string) string {
	var b strings.Builder
	previous := '_'
	for _, r := range strings.TrimSpace(name) {
		switch {
		case r == '-' || r == ' ':
			r = '_'
		case unicode.IsUpper(r):
			if unicode.IsLower(previous) || unicode.IsDigit(previous) {
				b.WriteByte('_')
			}
			previous, r = r, unicode.ToLower(r)
			b.WriteRune(r)
			continue
		}
		previous = r
		b.WriteRune(r)
	}
	return b.String()
}

func (f *fields) fail(format string, args ...any) {
	if f.problem == "" {
		f.problem = fmt.Sprintf(format, args...)
	}
}

// take returns and removes the value of the first existing name.
func (f *fields) take(names ...string) any {
	for _, name := range names {
		if value, ok := f.values[name]; ok {
			delete(f.values, name)
			if !empty(value) {
				return value
			}
		}
	}
	return nil
}

// text takes a string, or a number or boolean as text.
func (f *fields) text(names ...string) string {
	value := f.take(names...)
	if value == nil {
		return ""
	}
	text, ok := textOf(value)
	if !ok {
		f.fail("%s is not text", names[0])
	}
	return text
}

func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "", true
	case string:
		return strings.TrimSpace(v), true
	case bool, int64, float64:
		return fmt.Sprint(v), true
	}
	return "", false
}

// texts takes a list of strings, or one string.
func (f *fields) texts(names ...string) []string {
	list, ok := textsOf(f.take(names...))
	if !ok {
		f.fail("%s is not a list of texts", names[0])
	}
	return list
}

func textsOf(value any) ([]string, bool) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	var texts []string
	for _, item := range list {
		text, ok := textOf(item)
		if !ok {
			return nil, false
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts, true
}

func (f *fields) number(names ...string) (float64, bool) {
	value := f.take(names...)
	if value == nil {
		return 0, false
	}
	number, ok := numberOf(value)
	if !ok {
		f.fail("%s is not a number", names[0])
	}
	return number, ok
}

func numberOf(value any) (float64, bool) {
	text, ok := textOf(value)
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
}

// numberUpToOne takes a number from 0 to 1.
func (f *fields) numberUpToOne(names ...string) *float64 {
	number, ok := f.number(names...)
	if !ok {
		return nil
	}
	if number < 0 || number > 1 {
		f.fail("%s is not from 0 to 1", names[0])
	}
	return &number
}

// positiveInteger takes an integer of at least 1.
func (f *fields) positiveInteger(names ...string) int64 {
	number, ok := f.number(names...)
	if ok && (number != math.Trunc(number) || number < 1 || number > math.MaxInt32) {
		f.fail("%s is not a whole number of 1 or more", names[0])
		return 0
	}
	return int64(number)
}

// oneOf takes one of the given words.
func (f *fields) oneOf(words []string, names ...string) string {
	word := strings.ToLower(f.text(names...))
	if word != "" && !slices.Contains(words, word) {
		f.fail("%s is not one of %s", names[0], strings.Join(words, ", "))
	}
	return word
}

// time takes a date or time.
func (f *fields) time(names ...string) time.Time {
	text := f.text(names...)
	if text == "" {
		return time.Time{}
	}
	at, ok := date(text)
	if !ok {
		f.fail("%s is not a date such as 2026-01-31", names[0])
	}
	return at
}
