package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/pattern"
)

const (
	maxAlternatives = 8   // values that a word or a variable may have
	maxBraces       = 500 // words that braces expand to
)

// fields returns the alternatives to which a word may expand, each a list of arguments.
func (s *state) fields(w *syntax.Word) [][]value {
	if w == nil || !s.step() {
		return [][]value{{unknown(0)}}
	}
	words := []*syntax.Word{w}
	if hasBraces(w) {
		var whole bool
		if words, whole = braces(w); !whole {
			s.unresolved(TooComplex)
		}
	}
	var fields []value
	result := [][]value{}
	for _, word := range words {
		alternatives := s.parts(word.Parts, false)
		if len(words) == 1 {
			for _, v := range alternatives {
				result = append(result, split(v))
			}
			return result
		}
		for _, v := range alternatives {
			fields = append(fields, split(v)...)
		}
	}
	return [][]value{fields}
}

// fieldMark marks where an unquoted expansion may be split.
const fieldMark = "\x1f"

func split(v value) []value {
	if !strings.Contains(v.text, fieldMark) {
		return []value{v}
	}
	var fields []value
	for _, text := range strings.Split(v.text, fieldMark) {
		if text != "" {
			fields = append(fields, v.with(text))
		}
	}
	return fields
}

// fieldSeparators are the characters at which an unquoted expansion is split.
func (s *state) fieldSeparators() string {
	if values := s.vars["IFS"]; len(values) == 1 && !values[0].incomplete {
		return values[0].text
	}
	return " \t\n"
}

// markFields puts a mark wherever an unquoted expansion is split, also at its ends.
func (s *state) markFields(text string) string {
	at := s.fieldSeparators()
	if at == "" || !strings.ContainsAny(text, at) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(at, r) {
			return rune(fieldMark[0])
		}
		return r
	}, text)
}

// runSubstitutions runs the command substitutions inside a piece of arithmetic.
func (s *state) runSubstitutions(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if inner, ok := n.(*syntax.CmdSubst); ok && s.step() {
			s.child().stmts(inner.Stmts)
			return false
		}
		return true
	})
}

// hasBraces reports whether a word may have braces that expand, and not only those of ${NAME}.
func hasBraces(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, "{") &&
			(strings.Contains(lit.Value, ",") || strings.Contains(lit.Value, ".."))
	})
}

// braces expands {a,b}, also nested, and turns ranges into patterns. whole is false if it left out words.
func braces(w *syntax.Word) (words []*syntax.Word, whole bool) {
	opened := 0
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			opened += strings.Count(lit.Value, "{")
		}
	}
	if opened > maxBraces { // SplitBraces takes time that grows with the cube
		return []*syntax.Word{w}, false
	}
	copied := *w
	syntax.SplitBraces(&copied)
	return expandBraces(copied.Parts)
}

func expandBraces(parts []syntax.WordPart) (words []*syntax.Word, whole bool) {
	words = []*syntax.Word{{}}
	for _, part := range parts {
		brace, ok := part.(*syntax.BraceExp)
		if !ok || brace.Sequence {
			if ok {
				part = &syntax.Lit{Value: "*"}
			}
			for _, word := range words {
				word.Parts = append(word.Parts, part)
			}
			continue
		}
		var ends, next []*syntax.Word
		for _, elem := range brace.Elems {
			inner, all := expandBraces(elem.Parts)
			if ends = append(ends, inner...); !all || len(ends)*len(words) > maxBraces {
				return words, false
			}
		}
		for _, word := range words {
			for _, end := range ends {
				next = append(next, &syntax.Word{Parts: slices.Concat(word.Parts, end.Parts)})
			}
		}
		words = next
	}
	return words, true
}

// text returns the first alternative of a word as one text.
func (s *state) text(w *syntax.Word) value {
	if w == nil {
		return value{}
	}
	return s.alternatives(w)[0]
}

// alternatives returns the alternatives of a word that is not split.
func (s *state) alternatives(w *syntax.Word) []value {
	if w == nil || !s.step() {
		return []value{{}}
	}
	values := append([]value{}, s.parts(w.Parts, true)...)
	for i := range values {
		values[i].text = strings.ReplaceAll(values[i].text, fieldMark, " ")
	}
	return values
}

func (s *state) parts(parts []syntax.WordPart, quoted bool) []value {
	result := []value{{}}
	for i, part := range parts {
		alternatives := s.part(part, quoted)
		if lit, ok := part.(*syntax.Lit); ok && i == 0 && !quoted {
			alternatives = []value{known(tilde(unescape(lit.Value)))}
		}
		var next []value
		for _, before := range result {
			for _, v := range alternatives {
				if len(next) < maxAlternatives && len(before.text)+len(v.text) <= maxText {
					next = append(next, concat(before, v))
				}
			}
		}
		if next == nil {
			cut := unknown(cutOff)
			for _, v := range slices.Concat(result, alternatives) {
				cut.labels |= v.labels
			}
			next = []value{cut}
		}
		result = next
	}
	return result
}

func (s *state) part(part syntax.WordPart, quoted bool) []value {
	if !s.step() {
		return []value{unknown(0)}
	}
	switch p := part.(type) {
	case *syntax.Lit:
		if quoted {
			return []value{known(unescapeQuoted(p.Value))}
		}
		return []value{known(unescape(p.Value))}
	case *syntax.SglQuoted:
		if p.Dollar {
			return []value{known(escapes(p.Value))}
		}
		return []value{known(p.Value)}
	case *syntax.DblQuoted:
		return s.doubleQuoted(p)
	case *syntax.ParamExp:
		values := slices.Clone(s.param(p))
		for i, v := range values {
			if !quoted {
				values[i].text = s.markFields(v.text)
			}
		}
		return values
	case *syntax.CmdSubst:
		v := s.substitute(p)
		if !quoted {
			v.text = s.markFields(v.text)
		}
		return []value{v}
	case *syntax.ArithmExp:
		s.runSubstitutions(p)
		if n, ok := arithmetic(p.X); ok {
			return []value{known(strconv.Itoa(n))}
		}
		return []value{{text: "0", incomplete: true}}
	case *syntax.ProcSubst:
		end := endpoint{stmts: p.Stmts}
		if p.Op != syntax.CmdOut {
			end = endpoint{content: s.child().stmts(p.Stmts)}
		}
		return []value{known("/dev/fd/" + s.newDescriptor(end))}
	case *syntax.ExtGlob:
		if first, _, several := strings.Cut(p.Pattern.Value, "|"); !several || p.Op != syntax.GlobExcept {
			return []value{known(first)}
		}
		return []value{known("*")}
	}
	return []value{{incomplete: true}}
}

// doubleQuoted returns the alternatives of a text in double quotes, in which $* is one word.
func (s *state) doubleQuoted(p *syntax.DblQuoted) []value {
	values := slices.Clone(s.parts(p.Parts, true))
	for _, part := range p.Parts {
		if exp, ok := part.(*syntax.ParamExp); ok && exp.Param != nil && exp.Param.Value == "*" {
			for i := range values {
				values[i].text = strings.ReplaceAll(values[i].text, fieldMark, " ")
			}
		}
	}
	return values
}

// substitute runs a command substitution. $(<FILE) is the content of a file.
func (s *state) substitute(p *syntax.CmdSubst) value {
	var v value
	if len(p.Stmts) == 1 && p.Stmts[0].Cmd == nil && len(p.Stmts[0].Redirs) == 1 &&
		p.Stmts[0].Redirs[0].Op == syntax.RdrIn {
		v = s.child().read(s.text(p.Stmts[0].Redirs[0].Word))
	} else {
		v = s.child().stmts(p.Stmts)
	}
	v.text = strings.TrimRight(v.text, "\n")
	if v.incomplete && v.text == "" {
		v.text = "$(...)"
	}
	return v
}

var wordCharacterPattern = pattern.New(`\w`)

func tilde(text string) string {
	user, rest, below := strings.Cut(text, "/")
	if len(user) < 2 || user[0] != '~' || strings.Trim(user[1:], "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" ||
		strings.Trim(user[1:], "0123456789-") == "" {
		return text
	}
	home := "/home/" + user[1:]
	if user == "~root" {
		home = "/root"
	}
	if below {
		home += "/" + rest
	}
	return home
}

func (s *state) param(p *syntax.ParamExp) []value {
	if p.Param == nil {
		return []value{unknown(0)}
	}
	name := p.Param.Value
	values, set := s.vars[name]
	switch {
	case name == "@" || name == "*":
		all := value{}
		for i, v := range s.args {
			all = concatWith(all, strings.Repeat(fieldMark, min(i, 1)), v)
		}
		values, set = []value{all}, len(s.args) > 0
	case strings.Trim(name, "0123456789") == "":
		if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= len(s.args) {
			values, set = s.args[n-1:n], true
		}
	}
	if p.Index != nil && !p.Length {
		values, set = s.arrayElement(name, p.Index, values, set)
	}
	if p.Excl && p.Names == 0 && set && len(values) > 0 { // ${!NAME}
		if values[0].incomplete { // the name of the variable is not fully known, so the value can be any text
			return []value{{text: "$" + name, incomplete: true, labels: secret}}
		}
		values, set = s.vars[values[0].text]
	}
	if p.Length {
		return []value{{text: "1", incomplete: true}}
	}
	absent := []value{{text: "$" + name, incomplete: true}}
	if p.Exp != nil {
		return s.expansion(p.Exp, name, values, set)
	}
	if !set || len(values) == 0 || p.Repl != nil {
		return absent
	}
	parameters := name == "@" || name == "*"
	switch {
	case p.Slice == nil:
		return values
	case parameters, len(values) == 1 && strings.Contains(values[0].text, fieldMark):
		return []value{sliceFields(p.Slice, values[0], parameters)}
	}
	return sliceText(p.Slice, values)
}

// arrayElement returns an element of an array, or all of them as fields.
func (s *state) arrayElement(name string, index syntax.ArithmExpr, values []value, set bool) ([]value, bool) {
	elements := s.arrays[name]
	key := s.index(index)
	if key == "@" || key == "*" {
		if len(elements) == 0 {
			return values, set
		}
		all := value{}
		for i := range len(elements) {
			v, ok := elements[strconv.Itoa(i)]
			if !ok {
				return values, set
			}
			separator := strings.Repeat(fieldMark, min(i, 1))
			if at := s.fieldSeparators(); i > 0 && key == "*" && !strings.HasPrefix(at, " ") {
				separator = at[:min(len(at), 1)]
			}
			all = concatWith(all, separator, v)
		}
		return []value{all}, true
	}
	if v, ok := elements[key]; ok {
		return []value{v}, true
	}
	if key == "-1" && len(elements) > 0 {
		return []value{elements[strconv.Itoa(len(elements)-1)]}, true
	}
	if len(elements) > 0 && strings.Trim(key, "0123456789") != "" { // the index is unknown
		var all []value
		for _, v := range elements {
			if len(all) < maxAlternatives {
				all = append(all, v)
			}
		}
		return append(all, value{text: "$" + name, incomplete: true}), true
	}
	return values, set
}

func (s *state) index(index syntax.ArithmExpr) string {
	word, ok := index.(*syntax.Word)
	if !ok {
		return "?"
	}
	if v := s.text(word); !v.incomplete {
		if number, known := s.vars[v.text]; known && len(number) > 0 {
			return number[0].text
		}
		return v.text
	}
	return "?"
}

// expansion returns the alternatives of ${NAME:-WORD}, ${NAME%PATTERN} and similar forms.
func (s *state) expansion(e *syntax.Expansion, name string, values []value, set bool) []value {
	absent := []value{{text: "$" + name, incomplete: true}}
	empty := set && len(values) > 0 && values[0] == (value{})
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if set && !empty {
			return values
		}
		other := s.alternatives(e.Word)
		if set && (e.Op == syntax.DefaultUnset || e.Op == syntax.AssignUnset) { // unset also leaves an empty text
			other = append(slices.Clone(other), values...)[:min(len(other)+len(values), maxAlternatives)]
		}
		if e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull {
			s.assign(name, other)
		}
		return other
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if empty && e.Op == syntax.AlternateUnsetOrNull {
			return []value{{}}
		}
		return s.alternatives(e.Word)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if e.Op == syntax.ErrorUnsetOrNull { // an empty value ends the command
			values = slices.DeleteFunc(slices.Clone(values), func(v value) bool { return v == value{} })
		}
		if len(values) > 0 {
			return values
		}
		return absent
	}
	if !set {
		return absent
	}
	result := slices.Clone(values)
	for i, v := range result {
		result[i] = changedText(e.Op, s.text(e.Word).text, v)
	}
	return result
}

// changedText returns a value after an expansion that removes a pattern or changes the case.
func changedText(op syntax.ParExpOperator, pattern string, v value) value {
	switch op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		v.text = trimPattern(v.text, pattern, op)
	case syntax.UpperFirst, syntax.UpperAll:
		v.text = strings.ToUpper(v.text)
	case syntax.LowerFirst, syntax.LowerAll:
		v.text = strings.ToLower(v.text)
	default: // ${NAME@Q} and similar forms
		v.incomplete = v.incomplete || pattern != "Q"
	}
	return v
}

// trimPattern removes what a pattern matches from an end of the text.
func trimPattern(text, pattern string, op syntax.ParExpOperator) string {
	pattern = strings.ReplaceAll(pattern, "[!", "[^") // path.Match has no [!...]
	found := text
	for i := 0; i <= len(text) && len(text) < 500; i++ {
		rest, cut := text[:len(text)-i], text[len(text)-i:]
		if op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix {
			rest, cut = text[i:], text[:i]
		}
		if matchSlash(pattern, cut) {
			found = rest
			if op == syntax.RemSmallSuffix || op == syntax.RemSmallPrefix {
				return found
			}
		}
	}
	return found
}

func matchSlash(pattern, text string) bool {
	ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(text, "/", "\x01"))
	return ok
}

// sliceFields returns a part of a list of fields. Positional parameters are numbered from 1.
func sliceFields(slice *syntax.Slice, v value, parameters bool) value {
	number := func(e syntax.ArithmExpr, otherwise int) int {
		if n, ok := arithmetic(e); ok {
			return n
		}
		return otherwise
	}
	list := strings.Split(v.text, fieldMark)
	from := number(slice.Offset, 0)
	if from < 0 {
		from = max(len(list)+from, 0)
	} else if parameters {
		from = max(from-1, 0)
	}
	if from < 0 || from > len(list) {
		return v
	}
	list = list[from:]
	if length := number(slice.Length, len(list)); length >= 0 && length < len(list) {
		list = list[:length]
	}
	return v.with(strings.Join(list, fieldMark))
}

func sliceText(slice *syntax.Slice, values []value) []value {
	number := func(e syntax.ArithmExpr, otherwise int) (int, bool) {
		if e == nil {
			return otherwise, true
		}
		word, ok := e.(*syntax.Word)
		if !ok {
			return 0, false
		}
		n, err := strconv.Atoi(word.Lit())
		return n, err == nil
	}
	result := append([]value{}, values...)
	for i, v := range result {
		from, ok := number(slice.Offset, 0)
		length, fine := number(slice.Length, len(v.text))
		if !ok || !fine || from < 0 || length < 0 || from > len(v.text) {
			result[i].incomplete = true
			continue
		}
		result[i].text = v.text[from:][:min(len(v.text)-from, length)]
	}
	return result
}

// assign sets the values of a variable. In a conditional branch, the earlier values stay possible.
func (s *state) assign(name string, values []value) {
	if len(values) > 0 {
		s.noteVariable(name, values[0].text)
	}
	if s.conditional > 0 {
		for _, before := range s.vars[name] {
			if len(values) < maxAlternatives {
				values = append(values[:len(values):len(values)], before)
			}
		}
	}
	s.vars[name] = values
}

// unescape removes the backslashes of text outside quotes.
func unescape(text string) string { return withoutBackslashes(text, "") }

// unescapeQuoted removes the backslashes that are escapes within double quotes.
func unescapeQuoted(text string) string { return withoutBackslashes(text, "\\\"$`\n") }

// withoutBackslashes removes backslashes before the characters that may be escaped, "" for all.
func withoutBackslashes(text, escaped string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (escaped == "" || strings.IndexByte(escaped, text[i+1]) >= 0) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// escapes resolves \n, \x41 and \101 like $'...', echo -e and printf.
func escapes(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		base, maximum, from := 0, 0, i+1
		switch c := text[i]; {
		case c == 'n':
			b.WriteByte('\n')
		case c == 't':
			b.WriteByte('\t')
		case c == 'r':
			b.WriteByte('\r')
		case c == 'a' || c == 'b' || c == 'f' || c == 'v' || c == 'e' || c == 'E':
			b.WriteByte(' ')
		case c == 'x':
			base, maximum = 16, 2
		case c == 'u':
			base, maximum = 16, 4
		case c == 'U':
			base, maximum = 16, 8
		case c >= '0' && c <= '7':
			base, maximum, from = 8, 3, i
			if c == '0' {
				maximum = 4
			}
		default:
			b.WriteByte(c)
		}
		if base == 0 {
			continue
		}
		end := from
		for end < len(text) && end-from < maximum && isDigit(text[end], base) {
			end++
		}
		if n, err := strconv.ParseInt(text[from:end], base, 32); err == nil {
			if text[from-1] == 'u' || text[from-1] == 'U' {
				b.WriteRune(rune(n))
			} else {
				b.WriteByte(byte(n))
			}
		}
		i = end - 1
	}
	return b.String()
}

func isDigit(c byte, base int) bool {
	_, err := strconv.ParseInt(string(c), base, 32)
	return err == nil && c != '+' && c != '-'
}
