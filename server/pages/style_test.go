package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// sizes are the properties whose values come from a scale, with the pattern of such values.
var sizes = map[string]*regexp.Regexp{
	"font-size":     regexp.MustCompile(`^(var\(--text-\d\)|inherit|\.92em)$`),
	"margin":        regexp.MustCompile(`^(0|auto|var\(--space-\d\))$`),
	"padding":       regexp.MustCompile(`^(0|var\(--space-\d\))$`),
	"gap":           regexp.MustCompile(`^(0|var\(--space-\d\))$`),
	"border-radius": regexp.MustCompile(`^(0|50%|var\(--corner-\d\))$`),
}

var (
	cssComment     = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssDeclaration = regexp.MustCompile(`[{;]\s*([a-z-]+):\s*([^;{}]+)`)
	cssNegative    = regexp.MustCompile(`calc\(-1 \* (var\(--space-\d\))( - 6px)?\)`)
	cssVariable    = regexp.MustCompile(`var\(--([a-z0-9-]+)\)`)
	cssClass       = regexp.MustCompile(`\.([a-z][a-z-]+)`)
	literalColor   = regexp.MustCompile(`#[0-9a-fA-F]{3}|\brgba?\(|\bhsla?\(|light-dark\(|\b(white|black|red|green|blue|gr[ae]y|orange|yellow)\b`)
)

// TestStyle_Values_ComeFromTheScales compares pages.css with the scales in its :root, and with the page that shows
// them.
func TestStyle_Values_ComeFromTheScales(t *testing.T) {
	raw := graphtest.Must(os.ReadFile("style/pages.css"))(t)
	head, rules, ok := strings.Cut(cssComment.ReplaceAllString(string(raw), ""), "\n}\n")
	if !ok || !strings.Contains(head, ":root {") {
		t.Fatal("the scales are not the first rule")
	}
	for _, found := range cssDeclaration.FindAllStringSubmatch(rules, -1) {
		name, value := found[1], strings.TrimSpace(found[2])
		graphtest.Equal(t, literalColor.FindString(value), "", fmt.Sprint(name, ": ", value, ": the color of its own"))
		if name == "font" && value != "inherit" {
			t.Errorf("font: %s sets a size of its own", value)
		}
		for property, pattern := range sizes {
			if name != property && !strings.HasPrefix(name, property+"-") {
				continue
			}
			for _, part := range strings.Fields(cssNegative.ReplaceAllString(value, "$1")) {
				if !pattern.MatchString(part) {
					t.Errorf("%s: %s: %s is not on the scale", name, value, part)
				}
			}
		}
	}
	s := open(t)
	_, _, page := s.get(t, "/styleguide")
	used := string(raw)
	for _, file := range []string{"templates/styleguide.html"} {
		text := graphtest.Must(os.ReadFile(file))(t)
		used += string(text)
	}
	for _, found := range regexp.MustCompile(`--([a-z0-9-]+):`).FindAllStringSubmatch(head, -1) {
		graphtest.Contains(t, used, "var(--"+found[1]+")")
		graphtest.Contains(t, page, "--"+found[1]+"<")
	}
	for _, found := range cssVariable.FindAllStringSubmatch(rules, -1) {
		graphtest.Contains(t, head, "--"+found[1]+":")
	}
}

// TestStyleguide_Components_AreAllShown requires a sample of each class. Sections for one page only are left out.
func TestStyleguide_Components_AreAllShown(t *testing.T) {
	raw := graphtest.Must(os.ReadFile("style/pages.css"))(t)
	s := open(t)
	_, _, page := s.get(t, "/styleguide")
	var missing []string
	for _, section := range strings.Split(string(raw), "\n/* ")[1:] {
		name, rules, _ := strings.Cut(section, " */")
		if slices.Contains([]string{"Graph", "Query", "Charts", "Markdown", "Motion, small screens, paper", "Search",
			"Session", "Agents and projects", "Today"}, name) {
			continue
		}
		for _, found := range cssClass.FindAllStringSubmatch(regexp.MustCompile(`\{[^}]*\}`).
			ReplaceAllString(cssComment.ReplaceAllString(rules, ""), "{}"), -1) {
			if !regexp.MustCompile(`class="([^"]* )?`+found[1]+`[ "]`).MatchString(page) &&
				!slices.Contains(missing, found[1]) {
				missing = append(missing, found[1])
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("/styleguide shows no %s", strings.Join(missing, ", "))
	}
	b := s.browse(t)
	b.to("/styleguide")
	b.quiet()
	b.accessible()
	b.accessible()
}

// TestTemplates_NumbersInLists_HaveLabels requires the name of each number of a list, since phones show lists without
// the heads of columns.
func TestTemplates_NumbersInLists_HaveLabels(t *testing.T) {
	files := graphtest.Must(filepath.Glob("templates/*.html"))(t)
	seen := 0
	for _, file := range files {
		raw := graphtest.Must(os.ReadFile(file))(t)
		for _, part := range strings.Split(string(raw), `<table class="rows`)[1:] {
			if classes, _, _ := strings.Cut(part, `"`); !strings.HasSuffix(classes, " list") {
				continue
			}
			seen++
			table, _, _ := strings.Cut(part, "</table>")
			graphtest.Equal(t, regexp.MustCompile(`<td class="number">.{0,60}`).
				FindString(table), "", file+": numbers without data-label")
		}
	}
	if seen < 12 {
		t.Errorf("only %d lists were seen", seen)
	}
}
