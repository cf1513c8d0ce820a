package redact

import (
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/lists"
)

// mask replaces secrets.
const mask = "[redacted]"

// maxPasses is the maximum number of scans of a text, repeated because masking can uncover another secret. Usually two
// are needed: the first masks, the second finds nothing.
const maxPasses = 4

// Value returns a copy of a JSON-like value (map[string]any, []any, string, int64, float64, bool, nil, nested at any
// depth) in which secrets are masked, and reports whether anything was masked. Values of other types are returned
// unchanged, unless their field name is secret. It is safe for concurrent use, and a second call on its result changes
// nothing.
func Value(value any) (any, bool) { return plainMasker.value(value) }

// Mask returns a text with secrets masked.
func Mask(text string) string {
	text, _ = Text(text)
	return text
}

// MaskAll returns texts with secrets masked. It treats the list as a whole, because an item can be a flag whose value
// is the next item.
func MaskAll(texts []string) []string {
	list := lists.Map(texts, func(text string) any { return text })
	hidden, _ := Value(list)
	out := make([]string, len(texts))
	for i, text := range hidden.([]any) {
		out[i], _ = text.(string)
	}
	return out
}

// masker is a way of masking: a function for texts, and whether objects under a secret name keep their structure.
type masker struct {
	text func(string) (string, bool)
	form bool
}

var plainMasker = masker{text: Text}

func (m masker) value(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		return m.text(v)
	case map[string]any:
		return m.fields(v)
	case []any:
		return m.list(v)
	}
	return value, false
}

// Text masks the secrets of a text, leaves the rest unchanged, and reports whether it masked anything. Texts that are
// known to have no secrets are not scanned again.
func Text(text string) (string, bool) {
	if isClean(text) {
		return text, false
	}
	masked, changed := maskRepeatedly(text, findSecrets)
	rememberClean(masked)
	return masked, changed
}

// maskRepeatedly masks the spans of find until it finds nothing new.
func maskRepeatedly(text string, find func(string) []span) (string, bool) {
	clean := text
	for range maxPasses {
		masked := maskSpans(clean, find(clean))
		if masked == clean {
			return clean, clean != text
		}
		clean = masked
	}
	return mask, true // a text that keeps revealing secrets is malicious: mask all of it
}

// fields masks the values of an object. It decides by masked names, so that a second call has the same result.
func (m masker) fields(in map[string]any) (map[string]any, bool) {
	if in == nil {
		return nil, false
	}
	out := make(map[string]any, len(in))
	changed := false
	var renamed []string
	for name, value := range in {
		if _, hit := m.text(name); hit {
			renamed = append(renamed, name)
			continue
		}
		var hit bool
		out[name], hit = m.field(name, value)
		changed = changed || hit
	}
	if len(renamed) > 0 {
		m.addRenamed(out, in, renamed)
		changed = true
	}
	return out, maskNamedValue(out) || changed
}

// addRenamed adds the fields whose names contain secrets. Equal masked names are numbered in the order of the
// originals, so that no field is lost and the result is deterministic.
func (m masker) addRenamed(out, in map[string]any, names []string) {
	slices.Sort(names)
	number := 1
	for _, name := range names {
		base, _ := m.text(name)
		clean := base
		for _, taken := out[clean]; taken; _, taken = out[clean] {
			number++
			clean = base + " " + strconv.Itoa(number)
		}
		value, _ := m.field(name, in[name]) // the original name may be what makes the value secret
		out[clean], _ = m.field(clean, value)
	}
}

// field masks a value: everything under a secret name, except true, false, null and empty text, which reveal nothing.
func (m masker) field(name string, value any) (any, bool) {
	switch v := value.(type) {
	case nil, bool:
		return value, false
	case string:
		if v != "" && (secretName(name) && !workingFolder(name, v) || name == "pass") {
			return mask, v != mask
		}
		return m.text(v)
	}
	if secretName(name) {
		if m.form {
			return maskLeaves(value)
		}
		return mask, true
	}
	return m.value(value)
}

// namedValues are pairs of fields for name and value, as in lists of environment variables.
var namedValues = [][2]string{{"name", "value"}, {"key", "value"}, {"Name", "Value"}, {"Key", "Value"}}

func maskNamedValue(fields map[string]any) bool {
	changed := false
	for _, pair := range namedValues {
		text, ok := fields[pair[1]].(string)
		if !ok || text == "" || text == mask {
			continue
		}
		if name, _ := fields[pair[0]].(string); secretName(name) && !workingFolder(name, text) {
			fields[pair[1]] = mask
			changed = true
		}
	}
	return changed
}

// list also treats a list as a command line, where a value follows its flag.
func (m masker) list(in []any) ([]any, bool) {
	if in == nil {
		return nil, false
	}
	out := make([]any, len(in))
	changed, secretNext := false, false
	for i, value := range in {
		var hit bool
		text, ok := value.(string)
		if secretNext && ok && text != "" && text[0] != '-' {
			out[i], hit = mask, text != mask
		} else {
			out[i], hit = m.value(value)
		}
		changed = changed || hit
		flag, _ := out[i].(string)
		secretNext = isSecretFlag(flag)
	}
	return out, changed
}

// span is a range of bytes in a text.
type span struct{ start, end int }

// maskSpans replaces each span with the mask. Overlapping spans are merged.
func maskSpans(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	var out strings.Builder
	done := 0
	for i := 0; i < len(spans); {
		start, end := spans[i].start, spans[i].end
		for i++; i < len(spans) && spans[i].start < end; i++ {
			end = max(end, spans[i].end)
		}
		out.WriteString(text[done:start])
		out.WriteString(mask)
		done = end
	}
	out.WriteString(text[done:])
	return out.String()
}
