package audit

import (
	_ "embed"
	"html/template"
	"strings"
	"sync"
	"time"

	"nomograph/internal/document"
	"nomograph/internal/render"
)

//go:embed report.html
var reportText string

//go:embed frameworks.yaml
var frameworksText string

// framework says what a bundle shows for the requirements of a framework, and what it does not.
type framework struct {
	Name, Note   string
	Requirements []struct{ ID, Title, Covers, Lacks string }
}

// frameworks are those of the embedded file.
var frameworks = sync.OnceValue(func() []framework {
	var file struct{ Frameworks []framework }
	document.Shipped(frameworksText, &file)
	return file.Frameworks
})

var reportTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"short": func(id string) string { return id[:min(len(id), 12)] },
		"time": func(at time.Time) string {
			if at.IsZero() {
				return ""
			}
			return at.UTC().Format(time.DateTime)
		},
		"line": func(text string) string { return render.Cut(render.OneLine(text), 300) },
	}).Parse(reportText))
})

// report renders a bundle as one HTML page without scripts and without anything to load.
func (c *checking) report(v Verification) string {
	counts := map[string]int{}
	for _, verdict := range c.contents.Verdicts {
		counts[map[bool]string{true: "allowed", false: "denied"}[verdict.Allowed]]++
	}
	for _, review := range c.contents.Reviews {
		if review.InForce {
			counts[review.Outcome]++
		}
	}
	var b strings.Builder
	if err := reportTemplate().Execute(&b, struct {
		Verification
		contents
		Absences   []string
		Answers    map[string]int
		Frameworks []framework
	}{v, c.contents, c.bundle.Absent, counts, frameworks()}); err != nil {
		panic(err) // the template fits its data, whatever a bundle holds
	}
	return b.String()
}
