package pages_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"nomograph/graph"
	"nomograph/policies/gate"
	"nomograph/tools/toolstest"
)

// onEachScreen runs a job on a large screen and on a phone. accessible alternates between the color schemes.
func onEachScreen(t *testing.T, b *tab, job func(t *testing.T)) {
	t.Helper()
	for name, size := range map[string][2]int64{"1440": {1440, 900}, "390": {390, 844}} {
		t.Run(name, func(t *testing.T) {
			b.do(chromedp.EmulateViewport(size[0], size[1]))
			job(t)
			if wide := eval[int64](b, "document.documentElement.scrollWidth"); wide > size[0] {
				t.Errorf("the page is %d wide", wide)
			}
			b.quiet()
			b.accessible()
		})
	}
}

// TestJob_DeniedAction_ShowsWhatPasses asks why an action was denied, and tries what would pass. It uses only the keyboard.
func TestJob_DeniedAction_ShowsWhatPasses(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	denied, err := s.env.Decisions.Check(t.Context(), gate.ActionCheck{Description: "Deploy the shop", Context: graph.Parameters{"affectsProduction": true, "buildPassed": false, "testCoverage": 0.5}, AgentID: "grace", By: "grace"})
	if err != nil || denied.Allowed {
		t.Fatal(denied, err)
	}
	before := toolstest.Count(t, s.graph, "MATCH (v:Verdict) RETURN count(v)")
	b := s.browse(t)
	onEachScreen(t, b, func(t *testing.T) {
		b.to("/verdicts")
		b.pressed(`td a[href="/verdicts/` + denied.VerdictID + `"]`)
		if b.text("h1") != "Deploy the shop" || !strings.HasPrefix(eval[string](b, "document.title"), "Denied: ") {
			t.Errorf("the page is called %q, %q", b.text("h1"), eval[string](b, "document.title"))
		}
		checklist := b.text(".checklist")
		for _, want := range []string{"Set context.buildPassed to true (now false), or leave it out", "Raise context.testCoverage to at least 0.8 (now 0.5)", "Set context.codeReviewCompleted to true (now absent)"} {
			if !strings.Contains(checklist, want) {
				t.Errorf("the checklist lacks %q: %s", want, checklist)
			}
		}
		if strings.Contains(b.text("main"), "has(action") || !strings.Contains(b.text("main"), "The same result.") {
			t.Errorf("conditions and equal results are not hidden: %s", b.text("main"))
		}
		b.tab(`select[name="try.context.buildPassed"]`)
		b.do(key("t"))
		b.pressed(`#try ~ form button`)
		if shown := b.text("#try ~ [role=status]"); !strings.Contains(shown, "denied") || strings.Contains(shown, "buildPassed") || !strings.Contains(shown, "testCoverage") {
			t.Errorf("with one fact changed, it shows %s", shown)
		}
		b.pressed(`#try ~ form a.button`)
		if shown := b.text("#try ~ [role=status]"); !strings.Contains(shown, "allowed") {
			t.Errorf("with what passes, it shows %s", shown)
		}
		b.click("main > details:not(section details) summary")
		if shown := b.text("main > details"); !strings.Contains(shown, "no-deploy-on-red-build") || !strings.Contains(shown, "Version") || !strings.Contains(shown, "has(action") {
			t.Errorf("the disclosure shows %s", shown)
		}
	})
	if after := toolstest.Count(t, s.graph, "MATCH (v:Verdict) RETURN count(v)"); after != before {
		t.Errorf("trying stored %d verdicts", after-before)
	}
	if _, _, page := s.get(t, "/verdicts/"+denied.VerdictID+"?try.confidence=7&try.context.testCoverage=much"); !strings.Contains(page, "With these facts") && !strings.Contains(page, `role="alert"`) {
		t.Errorf("wrong facts are answered with %s", page)
	}
	toolstest.Set(t, s.env, "test_coverage_min", 0.4)
	if _, _, page := s.get(t, "/verdicts/"+denied.VerdictID); !strings.Contains(page, "<th scope=\"col\">Then</th>") {
		t.Errorf("a rule that says something else today is not shown: %s", page)
	}
}
