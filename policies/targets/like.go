package targets

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nomograph/internal/normalize"
	"nomograph/internal/pattern"
)

var wildcards = pattern.New(`[*?]+|\[[^\]]*\]|\{[^}]*\}`)

// PathLike reports whether a path matches or may match a pattern, in all spellings that Within accepts. In the pattern
// only * is a wildcard. A pattern that ends with /* also matches the directory itself.
func PathLike(text, pattern string) bool {
	pattern = normalize.Fold(strings.TrimSpace(pattern))
	if folder, ok := strings.CutSuffix(strings.TrimRight(pattern, "*")+"\x00", "/\x00"); ok &&
		strings.HasSuffix(pattern, "*") && folder != "" && !strings.Contains(folder, "*") {
		return Within(text, folder)
	}
	in := parsePath(pattern)
	wanted := in.texts()
	return anyPath(text, func(piece string, p parsed) bool {
		if p.anywhere || in.anywhere || normalize.Glob(pattern, strings.TrimSpace(piece)) {
			return true
		}
		for _, form := range p.texts() {
			for _, pattern := range wanted {
				if normalize.Glob(pattern, form) {
					return true
				}
				if wildcards.MatchString(form) && (len(form) > maxValueLength ||
					normalize.Overlap(wildcards.ReplaceAllString(form, "*"), pattern)) {
					return true
				}
			}
		}
		return false
	})
}

// PathSurelyLike reports whether a path certainly matches a pattern: literally, as in SurelyWithin.
func PathSurelyLike(text, pattern string) bool {
	if isAmbiguous(text) {
		return false
	}
	clean := path.Clean(text)
	if strings.HasSuffix(text, "/") && clean != "/" {
		clean += "/"
	}
	return normalize.Glob(pattern, clean)
}

// anyPath reports whether is returns true for any interpretation of a text as a path.
func anyPath(text string, is func(piece string, p parsed) bool) bool {
	for _, form := range decodings(text) {
		for piece := range strings.FieldsFuncSeq(form, func(r rune) bool { return r == '\n' || r == '\r' }) {
			for _, place := range pathsIn(piece) {
				if p := parsePath(place); p.given && is(place, p) {
					return true
				}
			}
		}
	}
	return false
}

// texts returns the spellings of a parsed path. ~ can be any home directory.
func (p parsed) texts() []string {
	rest := strings.Join(p.parts, "/")
	switch p.start {
	case "~":
		return []string{"~/" + rest, "/home/~/" + rest, "/users/~/" + rest, "/root/" + rest}
	case "/":
		return []string{"/" + rest}
	}
	if p.drive != "" {
		return []string{"/" + rest}
	}
	return []string{rest}
}

var (
	wrappers   = pattern.Words{Text: `sudo doas env nohup time command exec builtin xargs nice setsid stdbuf timeout sh bash zsh dash ksh pwsh cmd then do else eval`}
	assignment = pattern.New(`^[a-z_][a-z0-9_]*=`)
	number     = pattern.New(`^[0-9.]+[smhd]?$`)
)

func separates(r rune) bool { return strings.ContainsRune(";&|\n\r(){}`", r) }

// CommandLike reports whether a command matches a pattern or contains a command that does. In the pattern only * is a
// wildcard. Spaces, case, letter forms, quotes, the directory of a program, wrappers (sudo, env, bash -c) and
// surrounding commands are ignored.
func CommandLike(text, pattern string) bool {
	pattern = normalize.Name(pattern)
	forms, all := commandForms(text)
	return !all || slices.ContainsFunc(forms, func(form string) bool { return normalize.Glob(pattern, form) })
}

const maxWrappers = 20 // around a command

// commandForms returns the interpretations of a command, and whether they are complete.
func commandForms(text string) (forms []string, all bool) {
	whole := normalize.Name(text)
	forms = []string{whole}
	unquoted := strings.NewReplacer(`"`, "", "'", "", `\`, "", "^", "")
	for _, part := range append([]string{text}, strings.FieldsFunc(text, separates)...) {
		part = normalize.Name(part)
		for _, form := range []string{part, normalize.Name(unquoted.Replace(part))} {
			forms = append(forms, form)
			for round := 0; ; round++ {
				if round > maxWrappers {
					return forms, false
				}
				first, rest, _ := strings.Cut(form, " ")
				program := programOf(first)
				if program != first {
					form = strings.TrimSpace(program + " " + rest)
					forms = append(forms, form)
				}
				wrapped := wrappers.Has(program) || assignment.MatchString(first) || program == "$"
				if !wrapped || rest == "" {
					break
				}
				for form = rest; ; {
					option, more, ok := strings.Cut(form, " ")
					if !ok || !strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "/c") &&
						!number.MatchString(option) {
						break
					}
					form = more
				}
				forms = append(forms, form)
			}
		}
	}
	return forms, true
}

// programOf returns the name of a program without directory and extension.
func programOf(word string) string {
	word = strings.ReplaceAll(word, `\`, "/")
	return strings.TrimSuffix(word[strings.LastIndexByte(word, '/')+1:], ".exe")
}

// CommandSurelyLike reports whether a command certainly matches patterns: literally except for spaces, and every part
// if it has several. Substitutions and redirections are accepted only by patterns without *.
func CommandSurelyLike(text string, patterns []string) bool {
	if strings.TrimSpace(text) == "" || !utf8.ValidString(text) || normalize.Visible(text) != text {
		return false
	}
	blanks := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	like := func(text string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { return normalize.Glob(blanks(pattern), blanks(text)) })
	}
	if slices.ContainsFunc(patterns, func(pattern string) bool {
		return blanks(pattern) == "*" || !strings.Contains(pattern, "*") && blanks(pattern) == blanks(text)
	}) {
		return true
	}
	if strings.ContainsAny(text, "`$<>(){}\\") ||
		strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return false
	}
	parts := strings.FieldsFunc(text, separates)
	return len(parts) > 0 && !slices.ContainsFunc(parts,
		func(part string) bool { return strings.TrimSpace(part) != "" && !like(part) })
}
