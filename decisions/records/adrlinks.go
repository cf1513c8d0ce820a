package records

import (
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"nomograph/internal/pattern"
)

// Mention is the type of a link within the text.
const Mention = "mentions"

// linkWords are phrases for relations between records.
var linkWords = pattern.New(`(?i)\b(?:(?:partly |partially )?(?:superseded|superceded|replaced|amended|clarified|refined|updated|extended|obsoleted|blocked|required) by` +
	`|supersedes|supercedes|replaces|amends|clarifies|refines|updates|extends|obsoletes|depends on|requires|relates to|related to|contradicts|blocks)\b:?`)

// linkType returns the type of a phrase: superseded_by for "Superseded by".
func linkType(word string) string {
	word = strings.ToLower(strings.Trim(strings.TrimSpace(word), ":"))
	word = strings.NewReplacer("partially ", "partly ", "superced", "supersed").Replace(word)
	return strings.ReplaceAll(word, " ", "_")
}

// linkLines finds links in lines such as "Supersedes [1. Use X](0001-use-x.md)" and "* Superseded by ADR-0005".
func (a *adr) linkLines(text string) {
	for line := range strings.Lines(text) {
		words := linkWords.FindAllStringIndex(line, -1)
		for i, at := range words {
			end := len(line)
			if i+1 < len(words) {
				end = words[i+1][0]
			}
			a.linksTo(linkType(line[at[0]:at[1]]), line[at[1]:end])
		}
	}
}

// Forms of a target: a Markdown link, a wiki link, a file name or ADR-5; without any of these, a number.
var (
	linkTarget   = pattern.New(`\]\(\s*<?([^)\s>]+)>?[^)]*\)|\[\[([^\]|#]+)[^\]]*\]\]|([\w./-]+\.md)\b|\b(ADR[-_ ]?\d+)\b`)
	numberTarget = pattern.New(`(?:^|[\s,(\[#])((?:[A-Za-z]+[-_ ])?\d+)(?:[\s,.;)\]]|$)`)
)

// linksTo adds links to all targets in a text, and reports whether there are any.
func (a *adr) linksTo(kind, text string) bool {
	matches := linkTarget.FindAllStringSubmatch(text, -1)
	if len(matches) == 0 {
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '&' }) {
			matches = append(matches, numberTarget.FindAllStringSubmatch(part, -1)...)
		}
	}
	for _, match := range matches {
		for _, name := range match[1:] {
			if name != "" {
				a.links = append(a.links, Link{Type: kind, Target: strings.ReplaceAll(name, " ", "-"), Weight: 1})
			}
		}
	}
	return len(matches) > 0
}

// markdownNames lists the files that may be records.
func markdownNames(folder fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(folder, ".", func(name string, item fs.DirEntry, err error) error {
		switch ext := strings.ToLower(path.Ext(name)); {
		case err != nil:
			return err
		case item.IsDir() && name != "." && strings.HasPrefix(path.Base(name), "."):
			return fs.SkipDir
		case item.Type().IsRegular() && (ext == ".md" || ext == ".markdown"):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// resolve replaces targets by the external ids of existing files. An unresolved mention is dropped; an unresolved typed
// link remains, so that it is reported.
func (e *Entry) resolve(from string, names []string) {
	links := e.Links
	e.Links = nil
	for _, l := range links {
		id, known := resolved(l.Target, from, names)
		l.Target = id
		if id != "" && id != e.ExternalID && (known || l.Type != Mention) && !slices.Contains(e.Links, l) {
			e.Links = append(e.Links, l)
		}
	}
}

var (
	leadingNumber  = pattern.New(`^(?i:adr[-_ ]?)?0*(\d+)(?:[-_. ]|$)`)
	trailingNumber = pattern.New(`^(?i:adr[-_ ]?)?0*(\d+)$`)
)

// resolved finds the file of a target: a path relative to the linking file, a file name, or a number that only one file
// has.
func resolved(target, from string, names []string) (string, bool) {
	if strings.Contains(target, "://") {
		return target, false
	}
	plain, _, _ := strings.Cut(target, "#")
	if unescaped, err := url.PathUnescape(plain); err == nil {
		plain = unescaped
	}
	number := trailingNumber.FindStringSubmatch(plain)
	var found []string
	for _, name := range names {
		id := strings.TrimSuffix(name, path.Ext(name))
		if name == path.Join(path.Dir(from), plain) || id == path.Join(path.Dir(from), plain) || id == plain {
			return id, true
		}
		if own := leadingNumber.FindStringSubmatch(path.Base(name)); number != nil && own != nil && own[1] == number[1] || path.Base(id) == path.Base(plain) {
			found = append(found, id)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return strings.TrimSuffix(plain, ".md"), false
}
