package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"nomograph/internal/pattern"
)

// HiddenName in Unresolved means that the name of a program or an option is disguised: r”m,
// --h"ar"d, $'\x72m', {rm,-rf,x}, rm${IFS}x, $(echo rm).
const HiddenName = "a name in pieces"

var (
	plainNamePattern  = pattern.New(`^[A-Za-z0-9_.+-]+$`)
	plainStartPattern = pattern.New(`^[A-Za-z0-9_]`)
	plainEndPattern   = pattern.New(`[A-Za-z0-9_]$`)
	// letterEscapePattern matches a letter, a digit or a hyphen as a numeric escape in $'...'.
	letterEscapePattern = pattern.New(`\\(?:x(?:2[dD]|3\d|[46][1-9a-fA-F]|[57][\daA])|u00(?:2[dD]|[4-7][\da-fA-F])|0?(?:055|06\d|1[0-7][0-7]))`)
)

// noteSpelling notes the words of a call that are spelled to hide a name.
func (s *state) noteSpelling(c *syntax.CallExpr) {
	for i, word := range c.Args[:min(len(c.Args), 40)] {
		program := i == 0
		if isDisguised(word, program) || program && (hasBraces(word) && !strings.Contains(word.Lit(), "..") || len(c.Args) > 1 && isPrintedName(word)) {
			s.unresolved(HiddenName)
			return
		}
	}
}

// isDisguised reports whether a word contains needless quotes, backslashes, escapes or $IFS. Arguments of a program
// count only if they are options or contain $IFS.
func isDisguised(word *syntax.Word, program bool) bool {
	var whole strings.Builder
	quotes, escaped, ends := 0, false, []string{}
	for i, part := range word.Parts {
		text := ""
		switch p := part.(type) {
		case *syntax.Lit:
			text = p.Value
			for at := 1; at < len(text)-1; at++ {
				escaped = escaped || text[at] == '\\' && isNameByte(text[at-1]) && isNameByte(text[at+1])
			}
			text = unescape(text)
		case *syntax.SglQuoted:
			text = p.Value
			if quotes++; p.Dollar {
				escaped = escaped || letterEscapePattern.MatchString(text)
				text = escapes(text)
			}
		case *syntax.DblQuoted:
			quotes++
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return false
				}
				text += unescapeQuoted(lit.Value)
			}
		case *syntax.ParamExp:
			return p.Param != nil && p.Param.Value == "IFS" && len(word.Parts) > 1 && i > 0
		default:
			return false
		}
		whole.WriteString(text)
		ends = append(ends, text)
	}
	if name := whole.String(); !plainNamePattern.MatchString(name) || !program && !strings.HasPrefix(name, "-") {
		return false
	}
	inside := false // quotes between letters, or empty quotes
	for i, text := range ends {
		before, after := i > 0 && plainEndPattern.MatchString(ends[i-1]), i+1 < len(ends) && plainStartPattern.MatchString(ends[i+1])
		_, isLit := word.Parts[i].(*syntax.Lit)
		inside = inside || !isLit && (before && after || text == "" && i > 0 && i+1 < len(ends))
	}
	return escaped || inside || program && quotes > 0 && len(ends) > 1
}

// isPrintedName reports whether a word is the output of echo or printf with a known text.
func isPrintedName(word *syntax.Word) bool {
	if len(word.Parts) == 0 {
		return false
	}
	subst, ok := word.Parts[0].(*syntax.CmdSubst)
	if !ok || len(subst.Stmts) != 1 {
		return false
	}
	call, ok := subst.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || !slices.Contains([]string{"echo", "printf"}, call.Args[0].Lit()) {
		return false
	}
	return !slices.ContainsFunc(call.Args[1:], func(word *syntax.Word) bool { _, fixed := fixedText(word); return !fixed })
}
