package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// closeTo is the distance at which two fractions with more than two decimals count as equal: scores fall with the age
// of a record.
const closeTo = 0.005

var (
	// changing matches values that differ from run to run. Those of the archive and of the requests do not, and stay.
	changing = regexp.MustCompile(`(?P<time>\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d| UTC)?)?)` +
		`|(?P<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)` +
		`|(?P<token>\bnmg_[\w-]+)` +
		`|(?P<hash>\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{32}\b)` +
		`|(?P<id>\b[0-9a-f]{12}\b|\b[0-9a-f]{8}\b)` +
		`|(?P<port>\b(?:127\.0\.0\.1|localhost):\d+)` +
		`|(?P<ago>\b(?:\d+|a|an) (?:second|minute|hour)s? ago\b|\bjust now\b)` +
		`|(?P<took>\b\d+(?:\.\d+)?(?:ms|µs)\b|\b\d+\.\d+ ?s\b)`)
	number = regexp.MustCompile(`-?\d+\.\d+(?:[eE][-+]?\d+)?`)
	// JSON fields with durations
	measured = regexp.MustCompile(`^(?:.*(?:_ms|TimeMs)|(?:age|uptime)_?[sS]econds|duration|took)$`)
)

// mask replaces what differs from run to run. Equal values of an answer get the same number, so a changed reference is
// visible.
func (p *program) mask(text string) string {
	for _, name := range slices.Sorted(maps.Keys(p.vars)) {
		if value := p.vars[name]; len(value) >= 8 {
			text = strings.ReplaceAll(text, value, "$"+name)
		}
	}
	text = p.version.ReplaceAllString(strings.ReplaceAll(text, p.home, "<home>"), "$1<version>")
	seen := map[string]string{}
	return changing.ReplaceAllStringFunc(text, func(found string) string {
		if p.known[key(found)] {
			return found
		}
		for i, match := range changing.FindStringSubmatch(found) {
			kind := changing.SubexpNames()[i]
			switch {
			case match == "" || kind == "":
				continue
			case kind == "time" || kind == "port" || kind == "ago" || kind == "took":
				return "<" + kind + ">"
			case seen[found] == "":
				seen[found] = fmt.Sprintf("<%s %d>", kind, len(seen)+1)
			}
			return seen[found]
		}
		return found
	})
}

// key returns a value as it is compared with known values: times to the second, in one spelling.
func key(found string) string {
	if len(found) > 19 && found[4] == '-' && found[7] == '-' {
		found = found[:19]
	}
	return strings.Replace(found, "T", " ", 1)
}

// pretty indents JSON with sorted names, and reads JSON within its texts. Other text stays as it is.
func pretty(raw []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return string(raw)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(opened(value)); err != nil {
		return string(raw)
	}
	return text.String()
}

// opened reads JSON within texts, and splits long texts at their lines. A text that repeats the structured content
// becomes a reference.
func opened(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if v[name] = opened(member); measured.MatchString(name) {
				v[name] = "<took>"
			}
		}
		content, _ := v["content"].([]any)
		for _, c := range content {
			if item, ok := c.(map[string]any); ok && v["structuredContent"] != nil &&
				reflect.DeepEqual(item["text"], v["structuredContent"]) {
				item["text"] = "<structuredContent>"
			}
		}
	case []any:
		for i, member := range v {
			v[i] = opened(member)
		}
	case string:
		var inner any
		decoder := json.NewDecoder(strings.NewReader(v))
		decoder.UseNumber()
		if strings.HasPrefix(v, "{") && decoder.Decode(&inner) == nil && !decoder.More() {
			return opened(inner)
		}
		if lines := strings.Split(v, "\n"); len(lines) > 1 {
			return lines
		}
	}
	return value
}

// alike returns the new answer with those lines of the old one that differ only in the last digits of fractions.
func alike(was, is string) string {
	before, after := strings.Split(was, "\n"), strings.Split(is, "\n")
	if len(before) != len(after) {
		return is
	}
	for i, line := range after {
		a, b := number.FindAllString(before[i], -1), number.FindAllString(line, -1)
		same := number.ReplaceAllString(before[i], "0.0") == number.ReplaceAllString(line, "0.0")
		for j := 0; same && j < len(a); j++ {
			x, _ := strconv.ParseFloat(a[j], 64)
			y, _ := strconv.ParseFloat(b[j], 64)
			same = a[j] == b[j] || decimals(a[j]) > 2 && decimals(b[j]) > 2 && math.Abs(x-y) <= closeTo
		}
		if same {
			after[i] = before[i]
		}
	}
	return strings.Join(after, "\n")
}

func decimals(fraction string) int { return len(fraction) - strings.IndexByte(fraction, '.') - 1 }
