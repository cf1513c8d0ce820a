// Package pages is what people see in a browser: pages at /, rendered by the server from the operations of the catalog. No page
// reads the graph by another way than an operation, and each works without a line of script where that makes sense.
//
// # A page
//
// A page is one entry of the table in table.go, a file with its functions, and a template:
//
//	{Name: "calibration", Path: "/calibration", Title: "Calibration", Nav: true, Use: "Was confidence earned?", Needs: "get_stats",
//		Show: showCalibration, Script: "calibration", Libraries: []string{"uPlot"}},
//
// Show gets a Visit and gives what the template, templates/NAME.html, is filled with. It asks the catalog:
//
//	stats, err := Call[counters.Stats](v, "get_stats", counters.StatsQuery{Category: v.Query("category")})
//
// Call gives the operation's own answer. Its error is returned as it is: it becomes a page with the message, the hint and the status.
// What a caller may not do is refused by the operation; v.May("set_threshold") tells beforehand, so that no form is shown in vain.
// A page with Needs stands in the navigation of those who may call that operation.
//
// # A form
//
// A form posts to the page's own address, with the page's secret and the name of one of its Acts:
//
//	<form method="post">{{template "secret" $}}<input type="hidden" name="act" value="review"> ... <button>Review</button></form>
//
//	Acts: map[string]Act{"review": reviewDecision},
//
// An act calls an operation with v.Form("outcome") and gives the path that the browser goes to when it is done; "" is the page itself.
// An act that only looks for something leaves it in the Visit and gives stay: the page is shown at once with it.
// Where it returns an error, the page is shown again with it on top, and .Form "outcome" in the template gives what was typed. Nothing
// is changed by a GET. The page is told .MayChange: false where this visitor can change nothing (on loopback without authentication
// before `nomograph open`): then the template "secret" says what to do, and {{if .MayChange}} leaves the form out.
//
// # What a script asks for
//
// More are routes below the page: More{"data": ...} answers GET PATH/data. JSON(value) and File(name, kind, text) make answers. A
// script, script/NAME.js, is a module of ours; it finds its data by document.body.dataset or fetches them, and the libraries, in the
// order of Libraries, are globals: Sigma, graphology, uPlot. Where a build could not get them, .Without says so, they are not loaded and
// the page shows what the server drew. /live is the door of events (docs/events.md) for whoever is signed in, so that a script may
// have new EventSource("/live?types=decision").
//
// What is shown over time is a chart (chart.go): the template "drawing" has it as SVG, and a page with Script: "charts" and the library
// uPlot draws it anew from the same numbers.
//
// # Templates and style
//
// templates/layout.html is around each page; a page's own file defines "main", and may define "aside" (a panel at the side).
// functions.go has what templates may call: when, ago, percent, words, decision (a link), markdown, plain (a title without marks). Texts are
// escaped by html/template, or rendered by markdown.go; make no template.HTML of what an agent wrote in another way. style/pages.css has the colors as variables for light and dark, and classes for tables
// (.rows), facts (dl.facts), badges (.badge.success), notes (.note) and charts (.chart). There are no inline styles and scripts, also
// no style attributes: the policy forbids them. Widths that depend on data are <meter>, <progress>, or attributes of an SVG.
//
// # Tests
//
// site_test.go opens a graph, a server and, where there is one, a browser:
//
//	s := open(t)                          // a clean graph (s.graph) with its environment (s.env), served as on loopback
//	b := s.browse(t)                      // a tab of the package's one browser, which came by `nomograph open`; skipped without a browser
//	b.to("/calibration")                  // waits until the page has loaded, and its script has set document.body.dataset.done (chart.js: done())
//	b.text("h1"); b.typed("#reason", "why"); b.click("summary")
//	b.follow("form button")               // what leads to another page, or to this one again
//	eval[int](b, "document.links.length"); b.until(`document.querySelector(".chart canvas")`)
//	b.quiet(); b.accessible(); b.picture("calibration")
//
// quiet fails for what the console told; accessible runs axe-core, in turn light and dark, and fails for what is serious; picture writes
// docs/pictures/NAME-light.webp and -dark.webp, for TestPictures, which `make pictures` runs. s.get(t, "/path") is a plain request, for what needs no browser, and
// serve(t, g, env, callers) a server that asks for tokens. TestEachPage in pages_test.go takes every page of the table through hostile texts, a small screen,
// an empty graph and a database that is away: a page with a path like /decisions/{id} gives it an address there.
package pages
