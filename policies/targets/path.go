package targets

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"nomograph/internal/normalize"
	"nomograph/internal/pattern"
)

// Within reports whether a path is root or inside root, or may be: it returns true if the spelling does not tell. Case,
// letter forms, percent escapes, file: URLs, backslashes, drives, dots and repeated slashes are ignored. A path that
// leaves its start directory or contains a variable may be anywhere. A relative path is compared with an absolute root
// only if it names a part of it, because the working directory is unknown. Links are not followed.
func Within(text, root string) bool {
	in := parsePath(normalize.Fold(root))
	return anyPath(text, func(_ string, p parsed) bool { return p.mayBeIn(in) })
}

// SurelyWithin reports whether a path certainly is root or inside root: literally, in normal spelling, and without
// anything that a program could interpret differently.
func SurelyWithin(text, root string) bool {
	if isAmbiguous(text) || isAmbiguous(root) || strings.HasPrefix(text, "/") != strings.HasPrefix(root, "/") {
		return false
	}
	in, of := path.Clean(root), path.Clean(text)
	if in == "." {
		return !strings.HasPrefix(of, "~") && !strings.Contains(of, ":")
	}
	return of == in || strings.HasPrefix(of, strings.TrimSuffix(in, "/")+"/")
}

// isAmbiguous reports whether a program could interpret a path differently than it is written.
func isAmbiguous(s string) bool {
	return s == "" || !utf8.ValidString(s) || strings.TrimSpace(s) != s || strings.ContainsAny(s, "\\\"'`\r\n") ||
		strings.HasPrefix(s, "//") ||
		normalize.Visible(s) != s || variable.MatchString(s) || percent.MatchString(s) ||
		slices.Contains(strings.Split(s, "/"), "..")
}

// maxDecodings is far more than any text needs.
const maxDecodings = 20

// decodings returns the forms of a text normalized by Fold: unchanged, and with percent escapes decoded repeatedly.
func decodings(text string) []string {
	text = normalize.Fold(strings.ReplaceAll(text, "\x00", "\n"))
	forms := []string{text}
	for range maxDecodings {
		next := normalize.Fold(strings.ReplaceAll(unescape(text), "\x00", "\n"))
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

// unescape decodes percent escapes. Other text remains.
func unescape(text string) string {
	return percent.ReplaceAllStringFunc(text, func(escape string) string {
		letter, _ := url.PathUnescape(escape) // the pattern matches only valid escapes
		return letter
	})
}

// parsed is a path split into its parts.
type parsed struct {
	given    bool
	anywhere bool   // it leaves its start directory, or contains a variable
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
			part = trimmed // Windows ignores trailing dots and spaces
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

// mayBeIn reports whether the path may be in a directory.
func (p parsed) mayBeIn(root parsed) bool {
	switch {
	case p.anywhere || root.anywhere:
		return true
	case p.drive != "" && root.drive != "" && p.drive != root.drive:
		return false
	case p.start == root.start:
		return p.start == "" && startsWithEndOf(root.parts, p.parts) || hasPrefix(p.parts, root.parts)
	case p.start == "": // relative to an unknown directory
		return startsWithEndOf(root.parts, p.parts)
	case root.start == "":
		for i := range p.parts {
			if hasPrefix(p.parts[i:], root.parts) {
				return true
			}
		}
		return len(root.parts) == 0
	case p.start == "~": // the root is absolute
		rest, ok := inHome(root.parts)
		return len(root.parts) == 0 || len(root.parts) == 1 && homes[root.parts[0]] || ok && hasPrefix(p.parts, rest)
	}
	rest, isHome := inHome(p.parts) // the path is absolute and the root is in the home directory
	return isHome && hasPrefix(rest, root.parts)
}

// startsWithEndOf reports whether a relative path starts with the last parts of a directory.
func startsWithEndOf(root, parts []string) bool {
	for i := range root {
		if hasPrefix(parts, root[i:]) {
			return true
		}
	}
	return false
}

// hasPrefix reports whether a path starts with the parts of a directory, or may because of wildcards.
func hasPrefix(parts, root []string) bool {
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

// inHome returns the part of an absolute path after a home directory.
func inHome(parts []string) (rest []string, ok bool) {
	switch {
	case len(parts) > 0 && parts[0] == "root":
		return parts[1:], true
	case len(parts) > 1 && homes[parts[0]]:
		return parts[2:], true
	}
	return nil, false
}
