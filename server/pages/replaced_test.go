package pages_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestLists_FiltersAndPages_ReplaceTheList reads a list of decisions with the keyboard: the next page, back, a filter.
// With scripts, the page is loaded once. Without scripts, each link loads a page.
func TestLists_FiltersAndPages_ReplaceTheList(t *testing.T) {
	s := open(t)
	s.graph.Exec(t, `UNWIND range(1, 60) AS i CREATE (:Decision {uid: 'listed-' + i, id: right('0000000' + i, 8), decision: 'Decide on part ' + i + '.', category: 'architecture', stakes: 'high', status: 'pending',
		visibility: 'shared', confidence: 0.5, project: 'acme/shop', agent: 'ada', created_at: datetime('2026-01-01T00:00:00Z') + duration({minutes: i}), outcome: CASE i % 4 WHEN 1 THEN 'failure' END})`, nil)
	b := s.browse(t)
	b.to("/decisions")
	const newest, oldest = "Decide on part 60.", "Decide on part 1."
	eval[int](b, `window.opened = 1`)
	replaced := func(what, has, lacks, address, focus string) {
		t.Helper()
		is(b, `window.opened ?? 0`, 1)
		b.holds(t, "main", has, "!"+lacks)
		if at := eval[string](b, `location.search`); !strings.Contains(at, address) || address == "" && at != "" {
			t.Errorf("%s has the address %s", what, at)
		}
		if at := eval[string](b, `document.activeElement.id`); focus != "" && at != focus {
			t.Errorf("%s has the focus on %q", what, at)
		}
	}
	b.pressed(`main a.button[href*="cursor="]`)
	replaced("the next page", oldest, newest, "cursor=", "main")
	is(b, `scrollY`, 0)
	eval[int](b, `(history.back(), 0)`)
	b.until(`location.search === "" && "done" in document.body.dataset && document.querySelector("main").innerText.includes("` + newest + `")`)
	replaced("the way back", newest, oldest, "", "")
	b.tab("#project")
	eval[string](b, `document.getElementById("outcome").value = "failure"`)
	eval[string](b, `document.body.dataset.before = ""`)
	b.do(key("acme/shop\r")) // Enter in a field applies all filters
	b.until(`!("before" in document.body.dataset) && "done" in document.body.dataset`)
	replaced("a filter", "Decide on part 57.", newest, "outcome=failure", "project")
	is(b, `document.getElementById("outcome").value + document.getElementById("project").value`, "failureacme/shop")
	b.accessible()
	eval[bool](b, `document.querySelector(".more").open = true`)
	eval[string](b, `document.getElementById("min_confidence").max = "9"`)
	b.fill("#min_confidence", "7") // the server refuses it
	eval[string](b, `document.body.dataset.before = ""`)
	b.do(key("\r"))
	b.until(`!("before" in document.body.dataset) && "done" in document.body.dataset`)
	replaced("a wrong filter", "Minimum confidence", "Decide on part", "min_confidence=7", "min_confidence")
	b.click(`main a[href="/decisions"]`)
	b.until(`location.search === "" && "done" in document.body.dataset`)
	replaced("the link to all", newest, oldest, "", "")

	eval[int](b, `(window.real = fetch, window.fetch = (to, { signal }) => new Promise((_, end) => signal.addEventListener("abort", () => end(signal.reason))), document.querySelector('main a.button[href*="cursor="]').click(),
		scrollTo(0, 300), window.fetch = window.real, document.getElementById("project").value = "acme/shop", document.getElementById("project").form.requestSubmit(), 0)`)
	b.until(`location.search.includes("project=") && "done" in document.body.dataset`)
	is(b, `scrollY`, 300)
	b.click(`main a[href="/decisions"]`)
	b.until(`location.search === "" && "done" in document.body.dataset`)

	b.pressed(`main a.button[href*="cursor="]`)
	eval[int](b, `(window.real = fetch, window.fetch = (to, how) => new Promise((answer) => { window.release = () => { answer(real(to, how).finally(() => { window.answered = 1; })); }; }), history.back(), 0)`)
	b.until(`window.release`)
	eval[int](b, `(history.forward(), 0)`)
	b.until(`location.search.includes("cursor=")`)
	eval[int](b, `(window.release(), window.fetch = window.real, 0)`)
	b.until(`window.answered && "done" in document.body.dataset`)
	replaced("back and forward before the answer", oldest, newest, "cursor=", "main")

	b.do(chromedp.EmulateViewport(390, 844)) // filters are folded there
	is(b, `document.querySelector("main details").open`, true, "the next page folds filters that were open")
	for _, then := range []struct{ what, script, value, lacks, focus, status string }{
		{"a filter on a phone", ``, "acme/shop", "NOTHING IS THERE", "project", "Decisions. Rows: 50"},
		{"a filter whose field is hidden", `addEventListener("replaced", () => { document.getElementById("project").style.display = "none"; }, { once: true }), `, "nowhere", newest, "main", "Decisions. Rows: 0"},
	} {
		eval[int](b, `(window.announces ??= document.querySelector("[role=status]"), document.body.dataset.before = "", document.getElementById("project").focus(), document.getElementById("project").select(), `+then.script+`0)`)
		b.do(key(then.value + "\r"))
		b.until(`!("before" in document.body.dataset) && "done" in document.body.dataset`)
		replaced(then.what, "Decisions", then.lacks, "project=", then.focus)
		is(b, `window.announces.isConnected ? window.announces.textContent : "it was replaced"`, then.status)
	}
	b.do(chromedp.EmulateViewport(1280, 800))
	b.pressed(`main a[href="/decisions"]`)
	b.follow(`a[href="/decisions/00000060"]`)
	is(b, `window.opened ?? 0`, 0, "a decision replaces the list")
	b.mu.Lock()
	b.problems = nil // the console reports the refused filter
	b.mu.Unlock()
	b.withoutScripts()
	b.to("/decisions")
	b.do(chromedp.Click(chromedp.CSS(`main a.button[href*="cursor="]`)))
	b.until(`document.querySelector("main").innerText.includes("` + oldest + `")`)
	b.quiet()
}
