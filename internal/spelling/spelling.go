// Package spelling normalizes names, so that a rule matches regardless of how a name is typed.
package spelling

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"nomograph/internal/pattern"
)

// Fold gives a text in one form of its letters: Unicode's NFKC and full case folding, without characters that show nothing
// (https://www.unicode.org/reports/tr31/#NFKC_Casefold). Blanks stay. Folded again it is the same.
func Fold(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= 0x80 || c < ' ' && !unicode.IsSpace(rune(c)) || c == 0x7f {
			return settled(text, foldOnce)
		}
	}
	return strings.ToLower(text)
}

// Name is Fold without blanks at the ends, and with one where there are several.
func Name(text string) string {
	return settled(text, func(text string) string { return strings.Join(strings.Fields(Fold(text)), " ") })
}

// Project is Name for a project: the address of a repository, in any of the forms that git takes, gives owner/repo. More than
// two parts stay where a host has groups of groups.
func Project(text string) string { return settled(text, reduced) }

// Forms are what a project may be called by whoever selects it: as it is written, and what Project makes of it. There are none
// for a text that shows nothing.
func Forms(project string) []string {
	name := Name(project)
	if name == "" {
		return nil
	}
	if short := Project(project); short != name && short != "" {
		return []string{name, short}
	}
	return []string{name}
}

// maxRounds is far more than any text needs: one step may bring forth what the step before it would have changed.
const maxRounds = 20

// settled applies a step until it changes nothing.
func settled(text string, step func(string) string) string {
	for range maxRounds {
		next := step(text)
		if next == text {
			break
		}
		text = next
	}
	return text
}

func foldOnce(text string) string {
	// Before the marks of letters are put in order, which what shows nothing would hinder, and after, which may bring some forth.
	text = shown(norm.NFKC.String(shown(text)))
	return norm.NFKC.String(cases.Fold().String(text))
}

func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, text)
}

// invisible tells whether a character shows nothing and is no blank either.
func invisible(r rune) bool {
	const blankOfBraille = '\u2800'
	return !unicode.IsSpace(r) && (unicode.IsControl(r) || r == blankOfBraille ||
		unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point))
}

var (
	withScheme = pattern.New(`^[a-z][a-z0-9+.-]*://(?:[^/]*@)?[^/]+/(.*)$`)
	likeSCP    = pattern.New(`^(?:[^/@:]+@[^/:]+:|[^/@:]+\.[^/@:]+:(?:\d+/)?)(.*)$`)
	withHost   = pattern.New(`^[^/]+\.[^/]+/([^/]+/.+)$`)
	// What stands behind the repository in an address that was copied from a browser.
	behind = pattern.New(`^([^/]+/[^/]+(?:/[^/]+)*?)/(?:-|tree|blob|commit|commits|pull|pulls|pull-requests|issues|wiki|actions|releases|compare|branches|tags|blame|raw|src)(?:/.*)?$`)
	query  = pattern.New(`(?:#|\?[a-z0-9_.-]*=|\?[a-z0-9_.-]+$).*$`)
)

func reduced(text string) string {
	text = strings.ReplaceAll(Name(text), `\`, "/")
	for _, form := range []*pattern.Pattern{withScheme, likeSCP, withHost} {
		found := form.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		text = query.ReplaceAllString(found[1], "")
		if plain, err := url.PathUnescape(text); err == nil {
			text = plain
		}
		if found := behind.FindStringSubmatch(clean(text)); found != nil {
			text = found[1]
		}
		break
	}
	return strings.TrimSuffix(clean(text), ".git")
}

// clean takes blanks, empty parts and dots out of a path.
func clean(text string) string {
	parts := strings.Split(text, "/")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.TrimPrefix(path.Clean("/"+strings.Join(parts, "/")), "/")
}
