package spelling

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"nomograph/internal/pattern"
)

// Within tells whether a path lies in the folder root, or is root, or may be: where that cannot be told from its spelling, it is
// true. Case, forms of letters, percent escapes, file: addresses, backslashes, drives, dots and doubled slashes make no
// difference. A path that climbs out of where it starts, or holds a variable, may be anywhere. A relative path is looked for in
// an absolute root only where it names part of it, since the working directory is not known; links are not followed.
func Within(text, root string) bool {
	in := parsePath(Fold(root))
	return anyPath(text, func(_ string, p parsed) bool { return p.mayBeIn(in) })
}

// SurelyWithin tells whether a path lies in the folder root, or is root, for sure: letter by letter, spelled as paths are, and
// without anything that a program might read in another way.
func SurelyWithin(text, root string) bool {
	if doubtful(text) || doubtful(root) || strings.HasPrefix(text, "/") != strings.HasPrefix(root, "/") {
		return false
	}
	in, of := path.Clean(root), path.Clean(text)
	if in == "." {
		return !strings.HasPrefix(of, "~") && !strings.Contains(of, ":")
	}
	return of == in || strings.HasPrefix(of, strings.TrimSuffix(in, "/")+"/")
}

// doubtful tells whether a program may read a path in another way than it is written.
func doubtful(s string) bool {
	return s == "" || !utf8.ValidString(s) || strings.TrimSpace(s) != s || strings.ContainsAny(s, "\\\"'`\r\n") || strings.HasPrefix(s, "//") ||
		shown(s) != s || variable.MatchString(s) || percent.MatchString(s) || slices.Contains(strings.Split(s, "/"), "..")
}

// decodings are the forms of a text in the spelling of Fold: as it is, and with its percent escapes resolved, again and again.
func decodings(text string) []string {
	text = Fold(strings.ReplaceAll(text, "\x00", "\n"))
	forms := []string{text}
	for range maxRounds {
		next := Fold(strings.ReplaceAll(unescaped(text), "\x00", "\n"))
		if next == text {
			break
		}
		forms, text = append(forms, next), next
	}
	return forms
}

var (
	percent  = pattern.New(`%[0-9A-Fa-f]{2}`)
	variable = pattern.New("(?:^|/)\\$[A-Za-z_]|\\$[{(]|`|%[A-Za-z_]+%")
	homeName = pattern.New(`^(?:\$home|\$\{home\}|%userprofile%|%homepath%|~[^/]*)(/|$)`)
	drive    = pattern.New(`^([a-z]):(.*)$`)
	device   = pattern.New(`^//[?.]/`)
	share    = pattern.New(`^//[^/]+/([a-z])\$(/|$)`)
	address  = pattern.New(`^file:(?://[^/]*)?`)
)

// unescaped resolves percent escapes; what is no escape stays as it is.
func unescaped(text string) string {
	return percent.ReplaceAllStringFunc(text, func(escape string) string {
		value := func(c byte) byte {
			switch {
			case c >= 'a':
				return c - 'a' + 10
			case c >= 'A':
				return c - 'A' + 10
			}
			return c - '0'
		}
		return string([]byte{value(escape[1])<<4 | value(escape[2])})
	})
}

// parsed is a path taken apart.
type parsed struct {
	given    bool
	anywhere bool   // it climbs out of where it starts, or holds a variable
	start    string // "/" for absolute, "~" for the home folder, "" for relative
	drive    string
	parts    []string
}

func parsePath(text string) (p parsed) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	text = strings.ReplaceAll(strings.TrimSpace(text), `\`, "/")
	if p.given = text != ""; !p.given {
		return p
	}
	text = address.ReplaceAllString(text, "")
	text = share.ReplaceAllString(device.ReplaceAllString(text, ""), "$1:/")
	if found := drive.FindStringSubmatch(strings.TrimPrefix(text, "/")); found != nil { // file:///C:/x
		p.drive, text = found[1], found[2]
	}
	if homeName.MatchString(text) {
		p.start, text = "~", homeName.ReplaceAllString(text, "")
	} else if strings.HasPrefix(text, "/") {
		p.start = "/"
	}
	p.anywhere = variable.MatchString(text)
	for part := range strings.SplitSeq(text, "/") {
		if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
			part = trimmed // Windows ignores them
		}
		switch {
		case part == "" || part == ".":
		case part != "..":
			p.parts = append(p.parts, part)
		case len(p.parts) > 0:
			p.parts = p.parts[:len(p.parts)-1]
		case p.start != "/":
			p.anywhere = true
		}
	}
	return p
}

// mayBeIn tells whether the path may lie in a folder.
func (p parsed) mayBeIn(root parsed) bool {
	switch {
	case p.anywhere || root.anywhere:
		return true
	case p.drive != "" && root.drive != "" && p.drive != root.drive:
		return false
	case p.start == root.start:
		return p.start == "" && partly(root.parts, p.parts) || begins(p.parts, root.parts)
	case p.start == "": // of an unknown folder
		return partly(root.parts, p.parts)
	case root.start == "":
		for i := range p.parts {
			if begins(p.parts[i:], root.parts) {
				return true
			}
		}
		return len(root.parts) == 0
	case p.start == "~": // the root is absolute
		rest, isHome := atHome(root.parts)
		return len(root.parts) == 0 || len(root.parts) == 1 && homes[root.parts[0]] || isHome && begins(p.parts, rest)
	}
	rest, isHome := atHome(p.parts) // the path is absolute and the root is in the home folder
	return isHome && begins(rest, root.parts)
}

// partly tells whether a relative path begins with the last parts of a folder.
func partly(root, parts []string) bool {
	for i := range root {
		if begins(parts, root[i:]) {
			return true
		}
	}
	return false
}

// begins tells whether a path begins with the parts of a folder, or may, by its wildcards.
func begins(parts, root []string) bool {
	for i, want := range root {
		if i == len(parts) {
			return false
		}
		part := parts[i]
		if strings.Contains(part, "**") || strings.ContainsAny(part, "{}") {
			return true
		}
		if match, err := path.Match(part, want); part != want && err == nil && !match {
			return false
		}
	}
	return true
}

var homes = map[string]bool{"home": true, "users": true}

// atHome gives what of an absolute path lies behind somebody's home folder.
func atHome(parts []string) (rest []string, ok bool) {
	switch {
	case len(parts) > 0 && parts[0] == "root":
		return parts[1:], true
	case len(parts) > 1 && homes[parts[0]]:
		return parts[2:], true
	}
	return nil, false
}
