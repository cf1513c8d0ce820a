package redact

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/pattern"
)

// ForReview is Value for a person who approves the value. It masks single values only. An object under a secret name
// keeps its field names. A secret in a command line ends where a shell would end it, so that it cannot hide a command.
// hidden lists the masked paths below root, sorted.
func ForReview(root string, value any) (shown any, hidden []string) {
	shown, _ = masker{text: reviewText, form: true}.value(value)
	hidden = AppendHidden(nil, root, value, shown)
	slices.Sort(hidden)
	return shown, slices.Compact(hidden)
}

func reviewText(text string) (string, bool) { return maskRepeatedly(text, findValues) }

// maskLeaves masks all values in an object or list and keeps its structure.
func maskLeaves(value any) (any, bool) {
	changed := false
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			var hit bool
			out[name], hit = maskLeaves(value)
			changed = changed || hit
		}
		shown, hit := masker{text: reviewText, form: true}.fields(out) // names can be secrets too
		return shown, changed || hit
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			var hit bool
			out[i], hit = maskLeaves(value)
			changed = changed || hit
		}
		return out, changed
	case nil, bool:
		return value, false
	}
	return mask, value != any(mask)
}

// AppendHidden adds the paths at which a value differs from its shown version.
func AppendHidden(paths []string, path string, value, shown any) []string {
	switch v := value.(type) {
	case map[string]any:
		fields, ok := shown.(map[string]any)
		if !ok {
			return append(paths, path)
		}
		for name, value := range v {
			if field, ok := fields[name]; ok {
				paths = AppendHidden(paths, path+"."+name, value, field)
			} else { // hide an unknown name with its value
				paths = append(paths, path)
			}
		}
	case []any:
		items, ok := shown.([]any)
		if !ok || len(items) != len(v) {
			return append(paths, path)
		}
		for i, value := range v {
			paths = AppendHidden(paths, path+"["+strconv.Itoa(i)+"]", value, items[i])
		}
	default:
		if !reflect.DeepEqual(value, shown) {
			return append(paths, path)
		}
	}
	return paths
}

// findValues returns the spans of all secrets in a text. A span ends where a shell would end the value; the rest is
// scanned separately.
func findValues(text string) []span {
	var out []span
	var quotes []byte // computed only if there is a secret
	for _, found := range keyLines(text, findSecrets(text)) {
		if quotes == nil {
			quotes = shellQuotes(text)
		}
		begin := found.start
		for _, end := range append(shellEnds(text, found, quotes), found.end) {
			switch {
			case begin >= end:
			case begin == found.start:
				out = append(out, span{begin, end})
			default:
				for _, inner := range findSecrets(text[begin:end]) {
					out = append(out, span{begin + inner.start, begin + inner.end})
				}
			}
			begin = end + 1
		}
	}
	return out
}

// keyLines reduces the span of a private key to lines that can be part of a key. A shell would run other lines.
func keyLines(text string, spans []span) (out []span) {
	for _, found := range spans {
		block := text[found.start:found.end]
		if block[0] != '-' || !strings.Contains(block, "PRIVATE KEY") || !strings.Contains(block, "\n") {
			out = append(out, found)
			continue
		}
		begin, at := found.start, found.start
		for line := range strings.Lines(block) {
			end := at + len(line)
			if !keyLine(strings.Trim(line, " \t\r\n\\\"',")) { // the key may be part of source code
				out = append(out, span{begin, at - 1}) // keep the line break
				begin = end
			}
			at = end
		}
		out = append(out, span{begin, at})
	}
	return slices.DeleteFunc(out, func(s span) bool { return s.start >= s.end })
}

var keyHeader = pattern.New(`^(?:-{4,5} ?(?:BEGIN|END) [A-Z0-9 ]*PRIVATE KEY[A-Z0-9 ]*-{4,5}.*|[A-Za-z][A-Za-z0-9-]*: .*|)$`)

// keyLine reports whether a line can be part of a private key: its body, first or last line, or a header.
func keyLine(line string) bool {
	if keyHeader.MatchString(line) {
		return true
	}
	const long = 40
	base64 := strings.Trim(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == ""
	switch {
	case !base64:
		return false
	case len(line) >= long:
		return random(line) && entropy(line) >= 4
	}
	return line[0] != '/' && (strings.HasSuffix(line, "=") || random(line) && strings.ToLower(line) != line)
}

// shellQuotes returns, for each byte, the quote character that a shell would see it in, or 0.
func shellQuotes(text string) []byte {
	quotes, open := make([]byte, len(text)), byte(0)
	for i := 0; i < len(text); i++ {
		quotes[i] = open
		switch c := text[i]; {
		case c == '\\' && open != '\'' && i+1 < len(text):
			i++
			quotes[i] = open
		case open == 0 && (c == '"' || c == '\''):
			open = c
		case c == open:
			open = 0
		}
	}
	return quotes
}

// shellEnds returns the offsets in a secret's span at which a shell could start a command. An offset counts as quoted
// only if it is quoted both in the whole text and in the secret alone, because a nested shell parses the inner text
// again.
func shellEnds(text string, found span, quotes []byte) (ends []int) {
	open, assigned := byte(0), false
	if found.start > 0 {
		before := text[found.start-1]
		if assigned = before == '='; before == '"' || before == '\'' {
			open = before
		}
		if before == '`' && found.start > 1 && text[found.start-2] == '=' { // a command substitution, not a quoted value
			ends = append(ends, found.start)
		}
	}
	closed := open != 0 || shellQuotes(text[found.start:found.end] + " ")[found.end-found.start] == 0
	for i := found.start; i < found.end; i++ {
		c := text[i]
		outer := quotes[i]
		had := len(ends)
		switch rest := text[i+1:]; {
		case c == '`' || c == '$' && strings.HasPrefix(rest, "("):
			if open != '\'' || outer != '\'' {
				ends = append(ends, i)
			}
		case open != 0 && outer != 0:
		case strings.IndexByte(";&|<>", c) >= 0:
			ends = append(ends, i)
		case assigned && (c == '\n' || isBlank(c) && rest != "" &&
			(isLetter(rest[0]) || strings.IndexByte("/.~$-", rest[0]) >= 0)):
			ends = append(ends, i)
		}
		assigned = assigned && len(ends) == had // the rest of the text is scanned separately
		switch {
		case open == 0 && closed && (c == '"' || c == '\''):
			open = c
		case c == open:
			open = 0
		}
	}
	return ends
}
