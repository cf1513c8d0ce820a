package readonly

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind uint8

const (
	end     kind = iota
	word         // a bare name or a keyword
	quoted       // a `name`
	text         // a 'string' or "string"
	integer      // 1, 0xFF, 0o7, 1_000
	decimal      // 1.5, 1e3
	symbol       // an operator or a bracket
)

// A token is one piece of the query. name is the keyword in upper case or the symbol. It is empty for everything else,
// so a quoted name is never mistaken for a keyword. closing is the index of the bracket that closes this one.
type token struct {
	kind       kind
	name       string
	start, end int
	closing    int
}

const (
	maxQueryLength = 100_000
	maxNestDepth   = 100
	adviceEscape   = "Write the character itself."
	adviceControl  = "Remove the character; blanks, tabs and line feeds are enough."
)

// tokens splits src into tokens. The last token is always an end.
func tokens(src string) (toks []token, refusal *Refusal) {
	if len(src) > maxQueryLength {
		return toks, refusalAt(src, maxQueryLength, maxQueryLength, "is beyond the 100,000 bytes that a query may have",
			"Pass long values as parameters.")
	}
	var open [maxNestDepth]int // the tokens whose brackets are open
	depth := 0
	for i := 0; ; {
		var r *Refusal
		if i, r = skipBlank(src, i); r != nil {
			return toks, r
		}
		if i >= len(src) {
			break
		}
		t, r := scan(src, i)
		if r != nil {
			return toks, r
		}
		switch t.name {
		case "(", "[", "{":
			if depth == maxNestDepth {
				return toks, refusalAt(src, t.start, t.end, "nests brackets deeper than 100 levels",
					"Split the expression with WITH.")
			}
			open[depth] = len(toks)
			depth++
		case ")", "]", "}":
			if depth == 0 || !pairs(toks[open[depth-1]].name, t.name) {
				return toks, refusalAt(src, t.start, t.end, "closes a bracket that is not open",
					"Balance the brackets.")
			}
			depth--
			toks[open[depth]].closing = len(toks)
		}
		toks = append(toks, t)
		i = t.end
	}
	if depth > 0 {
		t := toks[open[depth-1]]
		return toks, refusalAt(src, t.start, t.end, "is never closed", "Balance the brackets.")
	}
	return append(toks, token{kind: end, start: len(src), end: len(src)}), nil
}

func pairs(open, shut string) bool {
	return open == "(" && shut == ")" || open == "[" && shut == "]" || open == "{" && shut == "}"
}

// skipBlank skips blanks and comments.
func skipBlank(src string, i int) (int, *Refusal) {
	for i < len(src) {
		switch c := src[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case c == '/' && strings.HasPrefix(src[i:], "//"):
			stop := strings.IndexByte(src[i:], '\n')
			if stop < 0 {
				stop = len(src) - i
			}
			if r := plainComment(src, i, i+stop); r != nil {
				return i, r
			}
			i += stop
		case c == '/' && strings.HasPrefix(src[i:], "/*"):
			stop := strings.Index(src[i+2:], "*/")
			if stop < 0 {
				return i, refusalAt(src, i, i+2, "opens a comment that is never closed", "Close it with */.")
			}
			if r := plainComment(src, i, i+2+stop); r != nil {
				return i, r
			}
			i += stop + 4
		case c >= utf8.RuneSelf:
			c, n := utf8.DecodeRuneInString(src[i:])
			if !blank(c) {
				return i, nil
			}
			i += n
		default:
			return i, nil
		}
	}
	return i, nil
}

// blank reports whether c is a Unicode blank that Neo4j skips. Control characters, which it also skips, are refused.
func blank(c rune) bool {
	return c == 0xa0 || c == 0x1680 || c >= 0x2000 && c <= 0x200a || c == 0x2028 || c == 0x2029 || c == 0x202f ||
		c == 0x205f || c == 0x3000
}

// hidden reports whether a character is not allowed anywhere, not even in strings and comments.
func hidden(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f && c < 0xa0
}

// plainComment refuses anything that ends the comment src[i:stop] for the server but not for this lexer: an escaped
// line feed, and other characters that may count as the end of a line.
func plainComment(src string, i, stop int) *Refusal {
	for ; i < stop; i++ {
		switch c := src[i]; {
		case c == '\\' && i+1 < stop && src[i+1] == 'u':
			return refusalAt(src, i, min(i+6, stop), "is an escape in a comment, which the server decodes",
				adviceEscape)
		case c == '\r' && (i+1 >= len(src) || src[i+1] != '\n'):
			return refusalAt(src, i, i+1, "is a carriage return without a line feed in a comment", adviceControl)
		case c < ' ' || c >= 0x7f:
			r, n := utf8.DecodeRuneInString(src[i:])
			if hidden(r) || r == 0x2028 || r == 0x2029 {
				return refusalAt(src, i, i+n, "is not allowed in a comment", adviceControl)
			}
			i += n - 1
		}
	}
	return nil
}

// scan reads the token that starts at src[i].
func scan(src string, i int) (token, *Refusal) {
	switch c := src[i]; {
	case c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z':
		return scanWord(src, i)
	case c >= '0' && c <= '9', c == '.' && i+1 < len(src) && src[i+1] >= '0' && src[i+1] <= '9':
		return scanNumber(src, i)
	case c == '\'' || c == '"':
		return scanString(src, i)
	case c == '`':
		return scanQuoted(src, i)
	case c >= utf8.RuneSelf:
		r, n := utf8.DecodeRuneInString(src[i:])
		if unicode.IsLetter(r) && r < 0x10000 {
			return scanWord(src, i)
		}
		return token{}, refusalAt(src, i, i+n, "is not a character of Cypher outside a string",
			"Put it in a string or in `backticks`.")
	case c == '\\':
		return token{}, refusalAt(src, i, min(i+6, len(src)), "is an escape outside a string", adviceEscape)
	}
	for _, s := range [...]string{"..", "=~", "<>", "<=", ">=", "||", "::"} {
		if strings.HasPrefix(src[i:], s) {
			return token{kind: symbol, name: s, start: i, end: i + 2}, nil
		}
	}
	if s := src[i : i+1]; strings.Contains("()[]{}.,:;|&!%+-*/^=<>$", s) {
		return token{kind: symbol, name: s, start: i, end: i + 1}, nil
	}
	return token{}, refusalAt(src, i, i+1, "is not a character of Cypher", adviceControl)
}

func scanWord(src string, i int) (token, *Refusal) {
	t := token{kind: word, start: i}
	for i < len(src) {
		r, n := utf8.DecodeRuneInString(src[i:])
		if r != '_' && (r >= 0x10000 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)) {
			break
		}
		i += n
	}
	t.end = i
	if written := src[t.start:i]; ascii(written) {
		t.name = keywords()[strings.ToUpper(written)]
	}
	return t, nil
}

func scanNumber(src string, i int) (token, *Refusal) {
	t := token{kind: integer, start: i}
	digits := func() {
		for i < len(src) && (src[i] >= '0' && src[i] <= '9' || src[i] == '_') {
			i++
		}
	}
	if src[i] == '0' && i+1 < len(src) && strings.IndexByte("xXoO", src[i+1]) >= 0 {
		for i += 2; i < len(src) && (src[i] >= '0' && src[i] <= '9' || src[i]|0x20 >= 'a' && src[i]|0x20 <= 'f' ||
			src[i] == '_'); {
			i++
		}
	} else {
		digits()
		if i+1 < len(src) && src[i] == '.' && src[i+1] >= '0' && src[i+1] <= '9' {
			t.kind = decimal
			i++
			digits()
		}
		if i+1 < len(src) && src[i]|0x20 == 'e' {
			t.kind = decimal
			i++
			if src[i] == '+' || src[i] == '-' {
				i++
			}
			digits()
		}
	}
	t.end = i
	if i < len(src) && (src[i] == '_' || src[i]|0x20 >= 'a' && src[i]|0x20 <= 'z' || src[i] >= utf8.RuneSelf) {
		if r, n := utf8.DecodeRuneInString(src[i:]); !blank(r) {
			return t, refusalAt(src, t.start, i+n, "is not a number", "Put a blank after the number.")
		}
	}
	return t, nil
}

func scanQuoted(src string, i int) (token, *Refusal) {
	t := token{kind: quoted, start: i}
	for i++; i < len(src); i++ {
		switch c := src[i]; {
		case c == '`':
			if i+1 < len(src) && src[i+1] == '`' {
				i++
				continue
			}
			t.end = i + 1
			return t, nil
		case c == '\\':
			return t, refusalAt(src, i, min(i+6, len(src)), "is an escape in a name", adviceEscape)
		case c < ' ' || c >= 0x7f:
			r, n := utf8.DecodeRuneInString(src[i:])
			if hidden(r) || unicode.Is(unicode.Cf, r) {
				return t, refusalAt(src, i, i+n, "is not allowed in a name", adviceControl)
			}
			i += n - 1
		}
	}
	return t, refusalAt(src, t.start, t.start+1, "opens a name that is never closed", "Close it with a backtick.")
}

func scanString(src string, i int) (token, *Refusal) {
	t := token{kind: text, start: i}
	quote := src[i]
	for i++; i < len(src); i++ {
		switch c := src[i]; {
		case c == quote:
			t.end = i + 1
			return t, nil
		case c == '\\' && i+1 < len(src):
			i++
			if src[i] == 'u' {
				if r := harmlessEscape(src, i-1); r != nil {
					return t, r
				}
			}
		case c < ' ' || c >= 0x7f:
			r, n := utf8.DecodeRuneInString(src[i:])
			if hidden(r) {
				return t, refusalAt(src, i, i+n, "is not allowed in a string", "Pass the text as a parameter.")
			}
			i += n - 1
		}
	}
	return t, refusalAt(src, t.start, t.start+1, "opens a string that is never closed", "Close it with the same quote.")
}

// harmlessEscape refuses the \uXXXX at src[i] unless its character is ordinary wherever it is decoded. Neo4j 5 decodes
// escapes before it searches for the end of a string, so an escaped quote ends the string.
func harmlessEscape(src string, i int) *Refusal {
	var c rune
	for k := i + 2; k < i+6; k++ {
		d := -1
		if k < len(src) {
			d = strings.IndexByte("0123456789abcdef", src[k]|0x20)
		}
		if d < 0 || src[k] < '0' {
			return refusalAt(src, i, min(i+6, len(src)), "is not a complete \\uXXXX escape", adviceEscape)
		}
		c = c<<4 | rune(d)
	}
	if c < 0xa0 && !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != ' ' || c == 0x2028 || c == 0x2029 {
		return refusalAt(src, i, i+6, "hides a character that the server decodes before it looks for the end of the string",
			"Write the character itself, or pass the text as a parameter.")
	}
	return nil
}
