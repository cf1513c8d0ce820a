package shell

import (
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"nomograph/internal/pattern"
)

// translate returns a script for a Unix shell with the effects of code of PowerShell or cmd. whole is false if the code
// is too complex to be translated completely.
func translate(code string, language Dialect) (script string, whole bool) {
	left := maxTranslation
	t := &translator{text: code, cmd: language == Cmd, left: &left}
	script = t.statements(0)
	return script, left > 0
}

// maxTranslation bounds the work of a translation: bytes of code that are read, those in parentheses for each of them,
// and of words.
const maxTranslation = 20 * maxText

// spend counts work. Without any left, the translation ends.
func (t *translator) spend(bytes int) {
	if *t.left -= bytes; *t.left <= 0 {
		t.at = len(t.text)
	}
}

// inner returns a translator of a part of the code.
func (t *translator) inner(code string) *translator {
	return &translator{text: code, cmd: t.cmd, depth: t.depth + 1, left: t.left}
}

// translator reads code of PowerShell or cmd from a position on, and writes a script for a Unix shell.
type translator struct {
	text  string
	at    int
	cmd   bool
	depth int
	left  *int // work
}

// maxTranslated is the depth of nested parentheses and blocks that are translated.
const maxTranslated = 30

// word is a word of the translated script. literal is its text if that is known without running it.
type word struct {
	script, literal string
	fixed, bare     bool   // whether literal is the text, and whether it had no quotes
	joined          bool   // a comma follows
	block           bool   // a script block, whose statements are in script
	computed        bool   // an operator or a method changed the text
	code            bool   // the text is a script block
	redirects       string // a redirection, such as 2> with the word as its target
}

func fixedWord(text string) word {
	return word{script: quote(text), literal: text, fixed: true}
}

func (t *translator) peek() byte {
	if t.at < len(t.text) {
		return t.text[t.at]
	}
	return 0
}

func (t *translator) has(prefix string) bool { return strings.HasPrefix(t.text[t.at:], prefix) }

// space skips spaces and comments, and line ends too if lines is true.
func (t *translator) space(lines bool) {
	for t.at < len(t.text) {
		switch c := t.text[t.at]; {
		case c == ' ' || c == '\t' || c == '\r' || lines && (c == '\n' || c == ';'):
			t.at++
		case !t.cmd && c == '`' && (t.has("`\n") || t.has("`\r\n")), t.cmd && t.has("^\n"):
			t.at += strings.IndexByte(t.text[t.at:], '\n') + 1
		case !t.cmd && t.has("<#"):
			end := strings.Index(t.text[t.at:], "#>")
			if t.at += end + 2; end < 0 {
				t.at = len(t.text)
			}
		case !t.cmd && c == '#' && (t.at == 0 || strings.IndexByte(" \t\n;{}()", t.text[t.at-1]) >= 0):
			end := strings.IndexByte(t.text[t.at:], '\n')
			if t.at += end; end < 0 {
				t.at = len(t.text)
			}
		default:
			return
		}
	}
}

// statements translates statements up to the closing character end, which is skipped, or to the end of the text.
func (t *translator) statements(end byte) string {
	var out []string
	if t.depth++; t.depth > maxTranslated {
		t.at = len(t.text)
	}
	defer func() { t.depth-- }()
	for {
		if t.space(true); t.at >= len(t.text) {
			break
		}
		if t.peek() == end {
			t.at++
			break
		}
		before := t.at
		if script := t.statement(); script != "" {
			out = append(out, script)
		}
		if t.at == before {
			t.at++ // a character that begins no statement
		}
	}
	return strings.Join(out, "\n")
}

// group returns statements as one command.
func group(statements string) string {
	if strings.TrimSpace(statements) == "" {
		statements = ":"
	}
	return "{ " + statements + "\n}"
}

var (
	keywordPattern          = pattern.New(`(?i)^(if|elseif|while|until|switch|foreach|for|else|do|try|catch|finally|begin|process|end|function|filter|param|return|throw|exit|using|trap)\b`)
	foreachPattern          = pattern.New(`(?i)^\s*\$(\w+)\s+in\s+`)
	scopedAssignmentPattern = pattern.New(`^(?:\[[\w.\[\]]+\]\s*)?\$(\w+:)?(\w+)(?:\.\w+|\[[^\]\n]*\])*\s*([+\-*/?]?=)`)
	cmdletNamePattern       = pattern.New(`^[\w:-]+`)
	batchLoopPattern        = pattern.New(`(?i)^for\s+(?:/[a-z]\s+(?:"[^"]*"\s+)?)*%%?(\w)\s+in\s+\(([^)]*)\)\s+do\s+`)
	batchTestPattern        = pattern.New(`(?i)^if\s+(?:/i\s+)?(?:not\s+)?(?:exist\s+(?:"[^"]*"|\S+)|defined\s+\S+|errorlevel\s+\d+|\S+\s*==\s*\S+)\s+`)
)

// statement translates one statement: a keyword with its blocks, an assignment, or a list of pipelines.
func (t *translator) statement() string {
	if t.depth++; t.depth > 4*maxTranslated {
		t.spend(maxTranslation)
	}
	defer func() { t.depth-- }()
	if t.spend(20); t.cmd {
		return t.batchStatement()
	}
	rest := t.text[t.at:]
	if found := keywordPattern.FindString(rest); found != "" &&
		!strings.HasPrefix(strings.TrimLeft(rest[len(found):], " \t"), "=") {
		if script, ok := t.keyword(strings.ToLower(found)); ok {
			return script
		}
	}
	if found := scopedAssignmentPattern.FindStringSubmatch(rest); found != nil &&
		!strings.HasPrefix(rest[len(found[0]):], "=") {
		t.at += len(found[0])
		t.space(true)
		operator := "="
		if found[3] == "+=" {
			operator = "+="
		}
		return variableName(found[1], found[2]) + operator + t.assigned()
	}
	return t.list()
}

// assigned translates the right side of an assignment to one word.
func (t *translator) assigned() string {
	before := t.at
	if strings.IndexByte(`$("'@[`, t.peek()) >= 0 {
		words := t.expression()
		if t.space(false); t.at >= len(t.text) || strings.IndexByte(";\n)}", t.peek()) >= 0 {
			return joined(words).script
		}
		t.at = before
	}
	return `"$(` + t.statement() + `)"`
}

// keyword translates a statement that begins with a keyword. ok is false if the word is a command, such as the alias
// foreach.
func (t *translator) keyword(name string) (script string, ok bool) {
	start := t.at
	t.at += len(name)
	t.space(true)
	switch name {
	case "return", "throw", "exit":
		if t.space(false); t.at >= len(t.text) || strings.IndexByte(";\n})", t.peek()) >= 0 {
			return "", true
		}
		return t.statement(), true
	case "param":
		if t.peek() == '(' {
			t.parenthesized()
		}
		return "", true
	case "using":
		return "", true
	case "function", "filter":
		called := cmdletNamePattern.FindString(t.text[t.at:])
		t.at += len(called)
		if t.space(true); t.peek() == '(' {
			t.parenthesized()
			t.space(true)
		}
		return strings.ToLower(called) + "() " + t.blockOr(":"), called != ""
	case "else", "do", "try", "finally", "begin", "process", "end", "catch", "trap":
		for t.peek() == '[' {
			t.parenthesized()
			t.space(true)
		}
		if t.peek() == '{' {
			return t.blockOr(":"), true
		}
		t.at = start
		return "", false
	}
	if t.peek() != '(' {
		t.at = start
		return "", false
	}
	head := t.parenthesized()
	t.space(true)
	switch name {
	case "foreach":
		found := foreachPattern.FindStringSubmatch(head)
		if found == nil {
			return "", false
		}
		items := `"$(` + t.nested(head[len(found[0]):]) + `)"`
		return "for " + variableName("", found[1]) + " in " + items + "; do " + t.blockOr(":") + "; done", true
	case "while", "for":
		return "while " + group(t.nested(head)) + "; do " + t.blockOr(":") + "; done", true
	}
	return "if " + group(t.nested(head)) + "; then " + t.blockOr(":") + "; fi", true
}

// nested translates a part of the code.
func (t *translator) nested(code string) string {
	inner := t.inner(code)
	return inner.statements(0)
}

func (t *translator) blockOr(none string) string {
	if t.peek() != '{' {
		return none
	}
	t.at++
	return group(t.statements('}'))
}

// parenthesized skips a pair of parentheses and returns what is in it.
func (t *translator) parenthesized() string {
	closing := map[byte]byte{'(': ')', '[': ']', '{': '}'}[t.peek()]
	opening, start, depth := t.peek(), t.at+1, 0
	defer func() { t.spend(t.at - start) }()
	quote := byte(0)
	for ; t.at < len(t.text); t.at++ {
		switch c := t.text[t.at]; {
		case quote != 0:
			switch c {
			case quote:
				quote = 0
			case '`':
				t.at++
			}
		case c == '\'' || c == '"':
			quote = c
		case c == opening:
			depth++
		case c == closing:
			if depth--; depth == 0 {
				t.at++
				return t.text[start : t.at-1]
			}
		}
	}
	t.at = len(t.text)
	return t.text[min(start, len(t.text)):]
}

// list translates pipelines that are joined with && or ||.
func (t *translator) list() string {
	out := t.pipeline()
	for {
		t.space(false)
		operator := ""
		for _, candidate := range []string{"&&", "||", "&"} {
			if t.has(candidate) {
				operator = candidate
				break
			}
		}
		if operator == "" {
			return out
		}
		t.at += len(operator)
		if operator == "&" && !t.cmd {
			return out + " &"
		}
		separator := " " + operator + " "
		if operator == "&" {
			separator = "\n"
		}
		t.space(true)
		if next := t.pipeline(); next != "" && out != "" {
			out += separator + next
		}
	}
}

func (t *translator) pipeline() string {
	var out []string
	for {
		t.space(false)
		if script := t.element(len(out) > 0); script != "" {
			out = append(out, script)
		}
		if t.space(false); t.peek() != '|' || t.has("||") {
			return strings.Join(out, " | ")
		}
		t.at++
		t.space(true)
	}
}

// element translates a command or an expression of a pipeline. fed is true if another element gives it input.
func (t *translator) element(fed bool) string {
	c := t.peek()
	switch {
	case t.cmd:
		return t.batchCommand()
	case c == '&' && !t.has("&&"), c == '.' && t.at+1 < len(t.text) && strings.IndexByte(` "'($&`, t.text[t.at+1]) >= 0:
		t.at++
		t.space(false)
		if t.peek() == '{' {
			return t.blockOr(":")
		}
		return t.command(fed)
	case c == '{':
		return t.blockOr(":")
	case strings.IndexByte(`$("'@[`, c) >= 0 && c != 0, c >= '0' && c <= '9', c == '-' || c == '+':
		words := t.expression()
		redirects := t.redirections()
		if len(words) == 0 {
			return ""
		}
		return "echo " + scripts(words) + redirects
	}
	return t.command(fed)
}

// redirections translates the redirections after an expression.
func (t *translator) redirections() (out string) {
	for {
		w, ok := t.argument()
		if !ok || w.redirects == "" {
			return out
		}
		out += " " + w.redirects + w.script
	}
}

// command translates a command: its name, its arguments and its redirections.
func (t *translator) command(fed bool) string {
	name, ok := t.argument()
	if !ok {
		return ""
	}
	var args []word
	redirects := ""
	for {
		w, ok := t.argument()
		if !ok {
			break
		}
		if w.redirects != "" {
			redirects += " " + w.redirects + w.script
			continue
		}
		args = append(args, w)
	}
	if name.code {
		return "pwsh -c " + name.script + redirects
	}
	return translatedCall(name, args, fed) + redirects
}

// joined returns words as one.
func joined(words []word) word {
	if len(words) == 1 {
		return words[0]
	}
	out := word{fixed: true}
	for i, w := range words {
		if i > 0 {
			out.script, out.literal = out.script+`" "`, out.literal+" "
		}
		out.script, out.literal = out.script+w.script, out.literal+w.literal
		out.fixed, out.computed = out.fixed && w.fixed, out.computed || w.computed
	}
	if out.script == "" {
		out.script = "''"
	}
	return out
}

func scripts(words []word) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w.script; w.block {
			out[i] = `"$(` + w.script + `)"`
		}
	}
	return strings.Join(out, " ")
}

// joinWords joins the parts of a command that are not empty.
func joinWords(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}

// environmentVariables maps variables of Windows to texts.
var environmentVariables = sync.OnceValue(func() map[string]string { return textsWith("variable") })

// variableName returns the name of a variable in the translated script. Names of PowerShell ignore case.
func variableName(scope, name string) string {
	switch {
	case strings.EqualFold(scope, "env:"):
		return strings.ToUpper(name)
	case name == "_" || strings.EqualFold(name, "psitem"):
		return "psitem"
	}
	return "ps_" + strings.ToLower(name)
}

// variable returns the word for a variable.
func variable(scope, name string) word {
	lower := strings.ToLower(name)
	if strings.EqualFold(scope, "env:") || lower == "home" || lower == "pshome" {
		if text, ok := environmentVariables()[lower]; ok {
			if strings.HasPrefix(text, "~") {
				return word{script: `"$HOME` + text[1:] + `"`}
			}
			return fixedWord(text)
		}
		return word{script: `"$` + strings.ToUpper(name) + `"`}
	}
	switch lower {
	case "true", "false":
		return fixedWord(lower)
	case "null":
		return fixedWord("")
	case "profile":
		return word{script: `"$HOME/Documents/PowerShell/Microsoft.PowerShell_profile.ps1"`}
	case "pwd":
		return word{script: `"$PWD"`}
	}
	return word{script: `"$` + variableName(scope, name) + `"`}
}

var scopedVariablePattern = pattern.New(`^\$(?:\{(\w+:)?(\w+)\}|(env:|global:|script:|local:|using:)?(\w+|[?$^]))`)

// readVariable reads a variable. ok is false if a dollar sign stands for itself.
func (t *translator) readVariable() (w word, ok bool) {
	rest := t.text[t.at:min(len(t.text), t.at+200)]
	found := scopedVariablePattern.FindStringSubmatch(strings.Replace(rest, "$Env:", "$env:", 1))
	if found == nil {
		return word{}, false
	}
	t.at += len(found[0])
	return variable(found[1]+found[3], found[2]+found[4]), true
}

// pathSlashes turns the backslashes of a Windows path into slashes.
func pathSlashes(text string) string {
	if strings.ContainsAny(text, " \n") && !IsWindowsPath(text) && !strings.HasPrefix(text, `\\`) {
		return text
	}
	return strings.ReplaceAll(text, `\`, "/")
}

// wordBuilder builds a word from literal characters and from words.
type wordBuilder struct {
	word
	text strings.Builder // characters that are not in the word yet
}

// flush adds the characters to the word.
func (b *wordBuilder) flush() {
	if b.text.Len() == 0 {
		return
	}
	literal := pathSlashes(b.text.String())
	b.text.Reset()
	if rest, ok := strings.CutPrefix(literal, "~"); ok && b.bare && b.script == "" && b.literal == "" {
		b.script, b.literal, literal = `"$HOME"`, "~", rest
	}
	if literal != "" {
		b.script, b.literal = b.script+quote(literal), b.literal+literal
	}
}

func (b *wordBuilder) add(w word) {
	b.flush()
	b.script, b.literal, b.fixed, b.bare = b.script+w.script, b.literal+w.literal, b.fixed && w.fixed, false
	b.computed, b.code = b.computed || w.computed, w.code
}

// done returns the word with all characters.
func (b *wordBuilder) done() word {
	b.flush()
	return b.word
}

// quoted reads a text in quotes, or a text between @" and "@.
func (t *translator) quoted() word {
	heredoc := t.peek() == '@'
	if heredoc {
		t.at++
	}
	mark := t.text[t.at]
	t.at++
	end := len(t.text)
	if heredoc {
		if at := strings.Index(t.text[t.at:], "\n"+string(mark)+"@"); at >= 0 {
			end = t.at + at
		}
	}
	out := wordBuilder{word: word{fixed: true}}
	for t.at < end {
		if c := t.text[t.at]; !heredoc && c == mark {
			if t.at++; t.peek() != mark || t.cmd { // a doubled quote is one quote
				break
			}
		} else if t.cmd || mark != '\'' {
			if w, ok := t.insertion(end); ok {
				out.add(w)
				continue
			}
		}
		out.text.WriteByte(t.unescaped(end, mark))
	}
	if heredoc {
		t.at = min(len(t.text), end+3)
	}
	w := out.done()
	if w.script == "" {
		w.script = "''"
	}
	return w
}

// insertion reads a variable or a subexpression in a text. ok is false at other characters.
func (t *translator) insertion(end int) (w word, ok bool) {
	switch c := t.text[t.at]; {
	case t.cmd && c == '%':
		return t.batchVariable()
	case !t.cmd && c == '$' && t.at+1 < end && t.text[t.at+1] == '(':
		t.at++
		return word{script: `"$(` + t.nested(t.parenthesized()) + `)"`}, true
	case !t.cmd && c == '$':
		return t.readVariable()
	}
	return word{}, false
}

// unescaped reads one character of a text in quotes.
func (t *translator) unescaped(end int, mark byte) byte {
	c := t.text[t.at]
	if c == '`' && !t.cmd && mark == '"' && t.at+1 < end {
		t.at++
		c = t.text[t.at]
		if escaped := strings.IndexByte("nrt0", c); escaped >= 0 {
			c = "\n\r\t "[escaped]
		}
	}
	t.at++
	return c
}

// argument reads the next argument of a command. ok is false at the end of the command.
func (t *translator) argument() (out word, ok bool) {
	t.space(false)
	t.spend(20)
	if redirect := redirectPattern.FindString(t.text[t.at:]); redirect != "" && !t.has("<#") {
		return t.redirection(redirect), true
	}
	b := wordBuilder{word: word{fixed: true, bare: true}}
	start := t.at
	for t.at < len(t.text) {
		c := t.text[t.at]
		switch {
		case strings.IndexByte(" \t\r\n|<>&", c) >= 0, !t.cmd && strings.IndexByte(";)}", c) >= 0:
			return b.done(), t.at > start
		case c == ',' && !t.cmd:
			t.at++
			out = b.done()
			out.joined = true
			return out, true
		case t.cmd && (c == '(' || c == ')'):
			if t.at > start {
				return b.done(), true
			}
			t.at++
			start = t.at
			continue
		case c == '{' && t.at == start && !t.cmd:
			t.at++
			return word{block: true, script: group(t.statements('}'))}, true
		}
		if w, ok := t.argumentPart(t.at == start); ok {
			b.add(w)
			t.spend(len(b.script) / 16)
			continue
		}
		if escape := t.text[t.at]; (t.cmd && escape == '^' || !t.cmd && escape == '`') && t.at+1 < len(t.text) {
			t.at++
		}
		b.text.WriteByte(t.text[t.at])
		t.at++
	}
	return b.done(), t.at > start
}

// argumentPart reads a text in quotes, a variable or an expression in parentheses inside an argument.
func (t *translator) argumentPart(first bool) (w word, ok bool) {
	switch c := t.text[t.at]; {
	case c == '"', !t.cmd && c == '\'':
		return t.quoted(), true
	case t.cmd:
		return t.insertion(len(t.text))
	case c == '(', c == '$', c == '@' && first && splatPattern.MatchString(t.text[t.at:]):
		before := t.at
		if w, ok = t.operand(); !ok {
			t.at = before
		}
	}
	return w, ok
}

// redirection reads a redirection after its operator.
func (t *translator) redirection(operator string) word {
	t.at += len(operator)
	operator = strings.ReplaceAll(strings.TrimSpace(operator), "*", "")
	if at := strings.IndexByte(operator, '&'); at >= 0 {
		return word{redirects: operator[:at+1], script: operator[at+1:]}
	}
	target, found := t.argument()
	if !found || target.literal == "" && target.fixed || strings.EqualFold(target.literal, "nul") {
		target = fixedWord("/dev/null")
	}
	target.redirects = operator
	return target
}

// redirectPattern matches the operator of a redirection.
var redirectPattern = pattern.New(`^[0-9*]?(?:>>?\s*&[0-9]|>>|>|<)\s*`)

// operatorPattern matches an operator of an expression.
var operatorPattern = pattern.New(`^(?:-[A-Za-z]+|[+*/%!-]|\.\.|,|\?\?)`)

// expression reads operands and operators, and returns the operands as words. Operands that + joins are one word.
func (t *translator) expression() (words []word) {
	glue, computed := false, false
	for {
		t.space(false)
		before := t.at
		if w, ok := t.operand(); ok {
			if n := len(words); glue && n > 0 {
				t.spend(len(words[n-1].script) / 16)
				words[n-1] = word{script: words[n-1].script + w.script, literal: words[n-1].literal + w.literal,
					fixed: words[n-1].fixed && w.fixed, computed: words[n-1].computed || w.computed}
			} else {
				words = append(words, w)
			}
			glue = false
			continue
		}
		t.at = before
		operator := operatorPattern.FindString(t.text[t.at:])
		if operator == "" {
			break
		}
		t.at += len(operator)
		glue = operator == "+"
		computed = computed || strings.HasPrefix(operator, "-f") ||
			isOneOf(strings.ToLower(operator), "-join", "-replace", "-creplace", "-split", "-bxor")
	}
	for i := range words {
		words[i].computed = words[i].computed || computed
	}
	return words
}

var (
	splatPattern      = pattern.New(`^@(?:\w|[("'{])`)
	memberPattern     = pattern.New(`^\??(\.|::)(\w+)`)
	numberPattern     = pattern.New(`^[0-9][\w.]*`)
	typeLiteral       = pattern.New(`^\[[\w.\[\], ]+\]`)
	hashtablePattern  = pattern.New(`^\s*["']?[\w.-]+["']?\s*=\s*`)
	uploadFilePattern = pattern.New(`(?i)^\s*(?:get-item|gi)\s`)
)

// operand reads a value of an expression with its members: a variable, a text, a number, a type, or something in
// parentheses.
func (t *translator) operand() (out word, ok bool) {
	if t.depth++; t.depth > 4*maxTranslated {
		t.spend(maxTranslation)
	}
	defer func() { t.depth-- }()
	t.spend(20)
	typeName := ""
	for c := t.peek(); c == '['; c = t.peek() {
		found := typeLiteral.FindString(t.text[t.at:])
		if found == "" {
			return word{}, false
		}
		t.at += len(found)
		if typeName = strings.ToLower(strings.Trim(found, "[]")); t.has("::") {
			return t.members(word{script: "''"}, typeName)
		}
		t.space(false)
	}
	switch c := t.peek(); {
	case c == '"' || c == '\'' || t.has(`@"`) || t.has("@'"):
		out = t.quoted()
	case t.has("$("), t.has("@("), c == '(':
		if c != '(' {
			t.at++
		}
		out = t.inParentheses(t.parenthesized())
	case t.has("@{"):
		t.at++
		out = t.hashtable(t.parenthesized())
	case c == '$':
		if out, ok = t.readVariable(); !ok {
			return word{}, false
		}
	case c == '@':
		t.at++
		t.at += len(cmdletNamePattern.FindString(t.text[t.at:]))
		out = word{script: `"$ps_splatted"`}
	case c == '{':
		t.at++
		return word{block: true, script: group(t.statements('}'))}, true
	default:
		found := numberPattern.FindString(t.text[t.at:])
		if t.at += len(found); found == "" {
			return word{}, false
		}
		out = fixedWord(found)
	}
	out.computed = out.computed || typeName == "char"
	return t.members(out, typeName)
}

// inParentheses translates code in parentheses to a word. A text in them stays a text.
func (t *translator) inParentheses(code string) word {
	inner := t.inner(code)
	inner.space(true)
	if c := inner.peek(); c != 0 && strings.IndexByte(`$("'@[`, c) >= 0 && inner.depth < maxTranslated &&
		!scopedAssignmentPattern.MatchString(inner.text[inner.at:]) {
		words := inner.expression()
		if inner.space(true); inner.at >= len(inner.text) {
			return joined(words)
		}
	}
	return word{script: `"$(` + t.nested(code) + `)"`}
}

// hashtable translates @{NAME = VALUE; ...} to its values. A file in a form is its content.
func (t *translator) hashtable(code string) word {
	inner := t.inner(code)
	var values []word
	for inner.depth < maxTranslated {
		inner.space(true)
		name := hashtablePattern.FindString(inner.text[inner.at:])
		if name == "" {
			break
		}
		if inner.at += len(name); uploadFilePattern.MatchString(inner.text[inner.at:]) {
			inner.at += len(uploadFilePattern.FindString(inner.text[inner.at:]))
			if file, ok := inner.argument(); ok {
				values = append(values, word{script: `"$(cat ` + file.script + `)"`})
			}
			continue
		}
		values = append(values, word{script: inner.assigned()})
	}
	return joined(values)
}

// methods maps methods of .NET in lower case to commands. $1 and $2 are the arguments, and $0 is the object.
var methods = sync.OnceValue(func() map[string]string { return textsWith("method") })

// members reads the members after a value: properties, elements and method calls.
func (t *translator) members(out word, typeName string) (word, bool) {
	for {
		found := memberPattern.FindStringSubmatch(t.text[t.at:])
		switch {
		case found != nil:
			t.at += len(found[0])
			if t.peek() == '(' {
				out = t.method(out, strings.ToLower(found[2]), t.parenthesized())
				out.code = typeName == "scriptblock" || typeName == "system.management.automation.scriptblock"
			}
		case t.peek() == '[' && t.at > 0 && t.text[t.at-1] != ' ':
			t.parenthesized()
		default:
			return out, true
		}
	}
}

// method translates the call of a method to a word with its result.
func (t *translator) method(object word, name, arguments string) word {
	inner := t.inner(arguments)
	args := inner.expression()
	command, ok := methods()[name]
	switch {
	case name == "getenvironmentvariable" && len(args) > 0 && args[0].fixed:
		return variable("env:", args[0].literal)
	case name == "getfolderpath":
		return word{script: `"$HOME"`}
	case !ok || strings.Contains(command, "$1") && len(args) == 0:
		object.fixed, object.computed = false, true
		for _, a := range args {
			if strings.Contains(a.script, "$(") {
				object.script += `"$(: ` + a.script + `)"`
			}
		}
		return object
	}
	second := "''"
	if len(args) > 1 {
		second = args[len(args)-1].script
		if name == "delete" || name == "start" || name == "move" || name == "copy" {
			second = args[1].script
		}
	}
	first := ""
	if len(args) > 0 {
		first = args[0].script
	}
	filled := strings.NewReplacer("$0", object.script, "$1", first, "$2", second)
	return word{script: `"$(` + filled.Replace(command) + `)"`}
}

var (
	tcpClientPattern = pattern.New(`(?i)net\.sockets\.tcpclient|tcplistener`)
	evaluatesPattern = pattern.New(`(?i)\biex\b|invoke-expression|\[scriptblock\]::create|cmd\.exe|powershell`)
)

// runDialect runs code of PowerShell or cmd.
func (s *state) runDialect(code value, language Dialect) value {
	s.steps += len(code.text) / 16
	s.noteCode(code)
	if len(code.text) > maxText || !s.step() {
		return unknown(code.labels)
	}
	if tcpClientPattern.MatchString(code.text) && evaluatesPattern.MatchString(code.text) {
		s.noteFlow(networkToShell)
	}
	if language == Cmd && strings.Contains(code.text, "%0|%0") {
		add(&s.effects.Resources, "fork bomb")
	}
	script, whole := translate(code.text, language)
	if !whole {
		s.unresolved(TooComplex)
	}
	stmts, ok := parse(script)
	if !ok {
		s.effects.Parsed = false
		s.unresolved("code that cannot be parsed")
		return unknown(code.labels)
	}
	sub := s.child()
	if !sub.step() {
		return unknown(code.labels)
	}
	return sub.stmts(stmts)
}

// encodedCommand returns the code of -EncodedCommand, which is Base64 of UTF-16.
func encodedCommand(text string) (code string, ok bool) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) < 2 || len(raw)%2 != 0 {
		return "", false
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	return string(utf16.Decode(units)), true
}

// runUnparsed reads code that no parser accepts as simple commands. PowerShell has the fewest rules for them.
func (s *state) runUnparsed(text string) {
	if len(text) > maxText || s.depth > maxDepth || tooNested(text) {
		s.unresolved(TooComplex)
		return
	}
	script, _ := translate(text, PowerShell)
	if stmts, ok := parse(script); ok {
		s.child().stmts(stmts)
	}
}
