package pages

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"nomograph/docs"
	"nomograph/internal/apperr"
)

// manual is the data of a page of the documentation, or of the pages that have all searched words.
type manual struct {
	Title, Text string
	Words       string // searched words; "" for a page
	Found       []manualHit
}

// manualHit is a found page with its first line that has one of the words.
type manualHit struct{ Path, Title, Line string }

// PageTitle returns the heading of the page.
func (m manual) PageTitle() string { return m.Title }

var (
	manualLink    = regexp.MustCompile(`\]\(([\w./-]+)\.md(#[^)]*)?\)`)
	manualPicture = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	manualHeading = regexp.MustCompile(`(?m)^#(#+ )`)
	manualComment = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
)

func showDocs(v *Visit) (any, error) {
	if words := strings.Join(strings.Fields(v.Query("q")), " "); words != "" {
		return searchDocs(words)
	}
	name := v.PathValue("path")
	if name == "" {
		name = "README"
	}
	text, err := fs.ReadFile(docs.Pages, name+".md")
	if err != nil {
		return nil, apperr.Newf(apperr.NotFound, "The documentation has no page '%s'", name).
			WithHint("Search for its words")
	}
	title, body := splitManual(string(text))
	body = manualLink.ReplaceAllStringFunc(manualPicture.ReplaceAllString(body, "$1"), func(link string) string {
		parts := manualLink.FindStringSubmatch(link)
		return "](/docs/" + path.Join(path.Dir(name), parts[1]) + ")"
	})
	return manual{Title: title, Text: body}, nil
}

// splitManual returns the heading of a page and the rest without comments, with headings one level up.
func splitManual(text string) (title, body string) {
	title, body, _ = strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	return title, manualHeading.ReplaceAllString(manualComment.ReplaceAllString(body, ""), "$1")
}

// searchDocs finds the pages that have all words, those with the most first.
func searchDocs(words string) (manual, error) {
	out, counts := manual{Title: "Documentation", Words: words}, map[string]int{}
	wanted := strings.Fields(strings.ToLower(words))
	err := fs.WalkDir(docs.Pages, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(docs.Pages, name)
		if err != nil {
			return err
		}
		title, body := splitManual(string(text))
		hit := manualHit{Path: "/docs/" + strings.TrimSuffix(name, ".md"), Title: title}
		lower := strings.ToLower(title + "\n" + body)
		for _, word := range wanted {
			n := strings.Count(lower, word)
			if n == 0 {
				return nil
			}
			counts[hit.Path] += n
		}
		for line := range strings.Lines(body) {
			if slices.ContainsFunc(wanted, func(word string) bool {
				return strings.Contains(strings.ToLower(line), word)
			}) {
				hit.Line = strings.Trim(line, "|#-> \n")
				break
			}
		}
		out.Found = append(out.Found, hit)
		return nil
	})
	slices.SortStableFunc(out.Found, func(a, b manualHit) int { return counts[b.Path] - counts[a.Path] })
	return out, err
}
