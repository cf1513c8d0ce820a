package nomograph_test

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	markdownLink   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	markdownFences = regexp.MustCompile("(?ms)^```.*?^```")
	markdownCode   = regexp.MustCompile("`[^`\n]*`")
	markdownTitle  = regexp.MustCompile(`(?m)^#{1,6} +(.+?)\s*$`)
	namedPage      = regexp.MustCompile(`\bdocs/[a-z0-9/_-]+\.md(?:#[a-z0-9-]+)?`)
)

// committed lists the repository's files with one of the suffixes, except test data.
func committed(t *testing.T, suffixes ...string) []string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skipf("no git checkout: %v", err)
	}
	var files []string
	for _, name := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if strings.Contains(name, "/testdata/") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, suffix := range suffixes {
			if strings.HasSuffix(name, suffix) {
				files = append(files, name)
				break
			}
		}
	}
	return files
}

// anchors returns the fragments that GitHub generates for the headings of a page.
func anchors(text []byte) map[string]bool {
	found := map[string]bool{}
	for _, title := range markdownTitle.FindAllSubmatch(markdownFences.ReplaceAll(text, nil), -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, string(regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAll(title[1], []byte("$1"))))
		found[slug] = true
	}
	return found
}

func TestDocs_RelativeLinks_Resolve(t *testing.T) {
	pages, links := map[string][]byte{}, 0
	load := func(name string) []byte {
		if text, ok := pages[name]; ok {
			return text
		}
		text, err := os.ReadFile(name)
		if err != nil {
			text = nil
		}
		pages[name] = text
		return text
	}
	check := func(from, file, anchor string) {
		links++
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s links to %s, want an existing file", from, file)
			return
		}
		if anchor != "" && !anchors(load(file))[anchor] {
			t.Errorf("%s links to %s#%s, want a heading of that name", from, file, anchor)
		}
	}
	for _, name := range committed(t, ".md") {
		text := load(name)
		if text == nil { // deleted but not yet committed
			continue
		}
		prose := markdownCode.ReplaceAll(markdownFences.ReplaceAll(text, nil), []byte("`"))
		for _, link := range markdownLink.FindAllSubmatch(prose, -1) {
			target := string(link[1])
			if regexp.MustCompile(`^[a-z]+:`).MatchString(target) {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			if file == "" {
				file = name
			} else {
				file = path.Join(path.Dir(name), file)
			}
			check(name, file, anchor)
		}
	}
	// Hints, help texts and comments refer to pages by their path from the root.
	for _, name := range committed(t, ".go", "Makefile", ".yaml", ".sh", ".service") {
		if name == "policies/core.yaml" { // its test cases contain paths of other repositories
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, found := range namedPage.FindAll(bytes.ReplaceAll(text, []byte("/api/docs/"), nil), -1) {
			file, anchor, _ := strings.Cut(string(found), "#")
			check(name, file, anchor)
		}
	}
	if links < 300 {
		t.Errorf("got %d links, want at least 300", links)
	}
}

// TestDocs_PathOfACall_NamesFunctions checks that each function of the page exists in its file.
func TestDocs_PathOfACall_NamesFunctions(t *testing.T) {
	text, err := os.ReadFile("docs/concepts/path-of-a-call.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := regexp.MustCompile(`(?m)^[ |v]+(\S+\.go) +([\w., ]+)`).FindAllStringSubmatch(string(text), -1)
	if len(steps) < 20 {
		t.Errorf("got %d steps, want at least 20", len(steps))
	}
	for _, step := range steps {
		source, err := os.ReadFile(step[1])
		if err != nil {
			t.Error(err)
		}
		for _, name := range strings.Split(step[2], ", ") {
			receiver, method, ok := strings.Cut(name, ".")
			declared := `\nfunc ` + receiver + `[\[(]`
			if ok {
				declared = `\nfunc \(\w+ \*?` + receiver + `(\[.*\])?\) ` + method + `\(`
			}
			if !regexp.MustCompile(declared).Match(source) {
				t.Errorf("%s has no function %s", step[1], name)
			}
		}
	}
}

// TestDocs_WrittenWords_StayBelowTheLimit counts README and docs without decision records and generated text.
func TestDocs_WrittenWords_StayBelowTheLimit(t *testing.T) {
	const limit = 34_650
	generated := regexp.MustCompile(`(?s)<!-- made from.*?<!-- end -->`)
	words := 0
	for _, page := range committed(t, ".md") {
		if page != "README.md" && !strings.HasPrefix(page, "docs/") || strings.HasPrefix(page, "docs/decisions/") ||
			strings.HasPrefix(page, "docs/reference/tools") {
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		words += len(strings.Fields(generated.ReplaceAllString(string(text), "")))
	}
	if words == 0 || words > limit {
		t.Errorf("got %d written words, want 1 to %d", words, limit)
	}
}
