package redact

import "strings"

// valueAt returns the span of the value that starts at start, without surrounding quotes. Words such as true and null
// are not secrets.
func valueAt(text string, start int, name string) span {
	end := valueEnd(text, start)
	if depth, quote := quoteAt(text, start); quote != 0 {
		if behind, closed := quoteEnd(text, start); closed && behind == end {
			return span{start + depth + 1, end - depth - 1}
		}
	}
	if value := text[start:end]; isPlaceholder(value) || workingFolder(name, value) {
		return span{}
	}
	return span{start, end}
}

// isPlaceholder reports whether a value is a placeholder for no value.
func isPlaceholder(value string) bool {
	if len(value) > len("undefined") {
		return false
	}
	switch strings.ToLower(value) {
	case "true", "false", "null", "nil", "none", "undefined", "~":
		return true
	}
	return false
}

// valueEnd skips quoted, bracketed and bare parts, which can be joined as in the shell: 'a'"b"c.
func valueEnd(text string, start int) int {
	i := start
	if _, quote := quoteAt(text, start); quote != 0 {
		i = quotedEnd(text, i, quote)
		if i < len(text) && strings.IndexByte(",;&)}]", text[i]) >= 0 {
			return i
		}
	}
	for i < len(text) {
		switch c := text[i]; {
		case (c == '{' || c == '[' || c == '(') && (i == start && c != '(' || i == start+1 && text[start] == '$'):
			i = bracketEnd(text, i)
		case bareEnds(text, i):
			recordWork(i - start)
			return i
		default:
			i++
		}
	}
	recordWork(i - start)
	return i
}

// quotedEnd skips a quoted part and the parts joined to it: doubled quotes in YAML, '"'"' in the shell.
func quotedEnd(text string, i int, quote byte) int {
	for {
		next, closed := quoteEnd(text, i)
		i = next
		if !closed || i == len(text) {
			return i
		}
		depth, again := quoteAt(text, i)
		joined := again == quote || strings.HasPrefix(text[i:], `"'"'`) ||
			again != 0 && i+depth+1 < len(text) && isLetterOrDigit(text[i+depth+1])
		if again == 0 || !joined {
			return i
		}
		quote = again
	}
}

// quoteAt returns the quote at i and the number of backslashes before it: JSON within JSON has one, and so on.
func quoteAt(text string, i int) (depth int, quote byte) {
	for i+depth < len(text) && text[i+depth] == '\\' {
		depth++
	}
	recordWork(depth)
	if i+depth < len(text) && isQuote(text[i+depth]) {
		return depth, text[i+depth]
	}
	return 0, 0
}

// quoteEnd returns the offset after the quote that closes the one at start, or the end of the line if none does. A
// quote with n backslashes is closed by one with n; by the rules of escaping, quotes with more belong to the value.
func quoteEnd(text string, start int) (end int, closed bool) {
	depth, quote := quoteAt(text, start)
	slashes := 0
	for i := start + depth + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			slashes++
			continue
		case c == '\n':
			recordWork(i - start)
			return i, false
		case c == quote && slashes < depth:
			recordWork(i - start)
			return i - slashes, false // the surrounding text ends here
		case c == quote && slashes%(2*depth+2) == depth:
			recordWork(i - start)
			return i + 1, true
		}
		slashes = 0
	}
	recordWork(len(text) - start)
	return len(text), false
}

// bracketEnd returns the offset after the closing bracket, or the end of the text: the rest of a truncated value can be
// secret.
func bracketEnd(text string, start int) int {
	open := 0
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '{', '[', '(':
			open++
		case '}', ']', ')':
			if open--; open == 0 {
				recordWork(i - start)
				return i + 1
			}
		case '"':
			end, _ := quoteEnd(text, i)
			i = end - 1
		}
	}
	recordWork(len(text) - start)
	return len(text)
}

// bareEnds reports whether a value without quotes ends at i. Characters that passwords can contain end it only if the
// following text shows that they belong to the surrounding text.
func bareEnds(text string, i int) bool {
	rest := text[i+1:]
	switch c := text[i]; c {
	case ' ', '\t':
		return i == 0 || text[i-1] != '\\'
	case '\n', '\r':
		return true
	case '"', '\'', '`':
		return rest == "" || !isLetterOrDigit(rest[0])
	case '\\':
		if i > 0 && text[i-1] == '\\' {
			return false // decided at the first one
		}
		depth, quote := quoteAt(text, i)
		return quote != 0 && (len(rest) <= depth || !isLetterOrDigit(rest[depth]))
	case ',', ';', '&':
		return rest == "" || isSpace(rest[0]) || strings.IndexByte("\"'`\\{[", rest[0]) >= 0 || startsAssignment(rest)
	case '.', ')', '}', ']':
		return rest == "" || isSpace(rest[0]) || strings.IndexByte("\"'`\\,;.)}]", rest[0]) >= 0
	case '<':
		return strings.HasPrefix(rest, "/")
	}
	return false
}

// startsAssignment reports whether a text starts like "name=" or "name:".
func startsAssignment(text string) bool {
	end := 0
	for end < len(text) && isNameByte(text[end]) {
		end++
	}
	recordWork(end)
	return end > 0 && end < len(text) && (text[end] == '=' || text[end] == ':')
}
