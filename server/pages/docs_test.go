package pages_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"nomograph/docs"
)

// TestDocs_EveryPage_LinksToPages: each page of the documentation is shown, and its links to others lead to one.
func TestDocs_EveryPage_LinksToPages(t *testing.T) {
	s := open(t)
	link, pages, links := regexp.MustCompile(`href="/docs/([^"]*)"`), 0, 0
	err := fs.WalkDir(docs.Pages, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		pages++
		status, _, page := s.get(t, "/docs/"+strings.TrimSuffix(name, ".md"))
		if status != 200 || strings.Contains(page, "<!--") || strings.Contains(page, "&lt;!--") {
			t.Errorf("%s: got %d, or a comment in\n%s", name, status, page)
		}
		for _, found := range link.FindAllStringSubmatch(page, -1) {
			links++
			if _, err := fs.Stat(docs.Pages, found[1]+".md"); err != nil {
				t.Errorf("%s links to %s", name, found[1])
			}
		}
		return nil
	})
	if err != nil || pages < 50 || links < 150 {
		t.Errorf("got %d pages and %d links, %v", pages, links, err)
	}
}

func TestDocs_Search_FindsPagesWithAllWords(t *testing.T) {
	s := open(t)
	for _, tt := range []struct {
		path, want, not string
		status          int
	}{
		{"/docs", "<h1>Documentation</h1>", "", 200},
		{"/docs/", "<h1>Documentation</h1>", "", 200},
		{"/docs?q=", "<h1>Documentation</h1>", "", 200},
		{"/docs?q=circuit+BREAKER+cooldown", `href="/docs/guides/circuit-breakers"`, `href="/docs/guides/links"`, 200},
		{"/docs?q=xyzzy+threshold", "No page has all of these words: xyzzy threshold", `class="card"`, 200},
		{"/docs?q=%3Cscript%3E", "&lt;script&gt;", "<script>", 200},
		{"/docs/guides/none", "The documentation has no page", "", 404},
		{"/docs/../embed", "", "package docs", 404},
	} {
		if status, _, page := s.get(t, tt.path); status != tt.status || !strings.Contains(page, tt.want) ||
			tt.not != "" && strings.Contains(page, tt.not) {
			t.Errorf("%s: got %d, want %d, %q and not %q in\n%s", tt.path, status, tt.status, tt.want, tt.not, page)
		}
	}
}
