// Package normalize gives every way to type a name the same form, so that a rule matches all of them.
package normalize

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"nomograph/internal/pattern"
)

// Fold normalizes a text: Unicode NFKC, full case folding, and removal of invisible characters
// (https://www.unicode.org/reports/tr31/#NFKC_Casefold). Spaces remain. Folding again changes nothing.
func Fold(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= 0x80 || c < ' ' && !unicode.IsSpace(rune(c)) || c == 0x7f {
			return repeatUntilStable(text, foldOnce)
		}
	}
	return strings.ToLower(text)
}

// Name is Fold with white space trimmed and collapsed.
func Name(text string) string {
	return repeatUntilStable(text, func(text string) string { return strings.Join(strings.Fields(Fold(text)), " ") })
}

// Project is Name for a project. A repository address in any form that git accepts becomes owner/repo. More parts
// remain for hosts with nested groups.
func Project(text string) string { return repeatUntilStable(text, reduce) }

// Forms returns the names by which a project can be selected: as written, and as returned by Project. It returns none
// for an invisible text.
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

// maxPasses is far more than any text needs. Each step can produce text that an earlier step would change.
const maxPasses = 20

// repeatUntilStable repeats a step until it changes nothing.
func repeatUntilStable(text string, step func(string) string) string {
	for range maxPasses {
		next := step(text)
		if next == text {
			break
		}
		text = next
	}
	return text
}

func foldOnce(text string) string {
	// Before NFKC, because invisible characters prevent the ordering of combining marks, and after NFKC, because NFKC
	// can create invisible characters.
	text = Visible(norm.NFKC.String(Visible(text)))
	return norm.NFKC.String(cases.Fold().String(text))
}

// Visible removes invisible characters except white space.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, text)
}

// isInvisible reports whether a character is invisible but not white space.
func isInvisible(r rune) bool {
	const blankOfBraille = '\u2800'
	return !unicode.IsSpace(r) && (unicode.IsControl(r) || r == blankOfBraille ||
		unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point))
}

var (
	withScheme = pattern.New(`^[a-z][a-z0-9+.-]*://(?:[^/]*@)?[^/]+/(.*)$`)
	likeSCP    = pattern.New(`^(?:[^/@:]+@[^/:]+:|[^/@:]+\.[^/@:]+:(?:\d+/)?)(.*)$`)
	withHost   = pattern.New(`^[^/]+\.[^/]+/([^/]+/.+)$`)
	// pathAfterRepository matches the path after the repository in an address copied from a browser.
	pathAfterRepository = pattern.New(`^([^/]+/[^/]+(?:/[^/]+)*?)/(?:-|tree|blob|commit|commits|pull|pulls|pull-requests|issues|wiki|actions|releases|compare|branches|tags|blame|raw|src)(?:/.*)?$`)
	query               = pattern.New(`(?:#|\?[a-z0-9_.-]*=|\?[a-z0-9_.-]+$).*$`)
)

func reduce(text string) string {
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
		if found := pathAfterRepository.FindStringSubmatch(CleanPath(text)); found != nil {
			text = found[1]
		}
		break
	}
	return strings.TrimSuffix(CleanPath(text), ".git")
}

// CleanPath removes spaces, empty parts and dots from a path.
func CleanPath(text string) string {
	parts := strings.Split(text, "/")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.TrimPrefix(path.Clean("/"+strings.Join(parts, "/")), "/")
}
