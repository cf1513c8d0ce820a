// Package pages serves the explorer: pages at /, rendered on the server from the operations of the catalog. Pages read
// the graph only through operations, and work without JavaScript where no script is needed.
//
// # A page
//
// A page is one entry of the table in table.go, a file with its functions, and a template; a page that is a list is
// only an entry and a List in lists.go. Pages whose paths differ in ?view= are views of one address:
//
//	{Name: "calibration", Path: "/calibration", Nav: true, Use: "Was confidence earned?", Needs: "get_stats",
//		Show: showCalibration, Filters: &List{Operation: "get_stats", Filters: "category agent_id"}},
//
// Show receives a Visit and returns the data of the template templates/NAME.html. It calls operations:
//
//	stats, err := Call[counters.Stats](v, "get_stats", counters.StatsQuery{Category: v.Query("category")})
//
// Call returns the operation's own answer. An error is returned unchanged and becomes a page with its message, hint
// and status. The operation refuses what a caller may not do; v.May("set_threshold") reports that beforehand, so that
// the form can be left out. A page with Needs is in the navigation of callers who may call that operation.
//
// # A form
//
// A form posts to the address of its page, with the page's secret and the name of one of its Acts:
//
//	<form method="post">{{template "secret" $}}<input type="hidden" name="act" value="review"> ... <button>Review</button></form>
//
//	Acts: map[string]Act{"review": reviewDecision},
//
// An act calls an operation with v.Form("outcome") and returns the path of the redirect; "" is the page itself. An act
// that only searches stores its result in the Visit and returns stay: the page is rendered with it, without a
// redirect. After an error the page is rendered with the error on top, and .Form "outcome" in the template returns the
// submitted value. GET requests change nothing. .MayChange is false for a visitor who can change nothing (on loopback
// without authentication before `nomograph open`): then the header has the one button that explains how, and {{if
// .MayChange}} leaves the form out. Filters of a page are a form too, which {{template "filters" .}} draws from the
// arguments of an operation.
//
// # Data for scripts
//
// More adds routes below the page: More{"data": ...} answers GET PATH/data. JSON(value) and File(name, kind, text)
// build answers. A script, script/NAME.js, is one of our modules; it reads document.body.dataset or fetches its data.
// The libraries are globals, loaded in the order of Libraries: graphology, Sigma. If a build has no libraries,
// .Without is set, they are not loaded, and the page shows what the server rendered. /live serves events to signed-in
// visitors: new EventSource("/live?types=decision").
//
// Values over time are charts (chart.go), which the template "drawing" renders as SVG. Shares are bars (outcomes.go) in
// cells of tables.
//
// # Templates and style
//
// templates/layout.html surrounds each page; the file of a page defines "main", and may define "aside" (a side panel).
// story.html has the sentence of each type of session event, filled with the event's payload.
// functions.go has the template functions: when, ago, percent, words, decision (a link), markdown, plain (a title
// without Markdown). html/template escapes texts, and markdown.go renders Markdown; never convert stored text to
// template.HTML in another way. style/pages.css has the scales of colors, text sizes, spaces and corners as variables,
// and classes for tables (.rows), facts (dl.facts), badges (.badge.success), notes (.note) and charts (.chart). The
// page /styleguide shows all of them, and a test compares. The content security policy forbids inline scripts, styles
// and style attributes. Widths that depend on data are <meter>, <progress>, or attributes of an SVG.
//
// # Tests
//
// site_test.go opens a graph, a server and, if one is installed, a browser:
//
//	s := open(t)                          // a clean graph (s.graph) with its environment (s.env), served as on loopback
//	b := s.browse(t)                      // a signed-in tab of the package's browser; skips the test without a browser
//	b.to("/calibration")                  // waits until the page has loaded and its script has set document.body.dataset.done
//	b.text("h1"); b.fill("#reason", "why"); b.click("summary")
//	b.follow("form button")               // clicks and waits for the next page
//	eval[int](b, "document.links.length"); b.until(`document.querySelector(".chart canvas")`)
//	b.quiet(); b.accessible(); b.picture("calibration", "light")
//
// quiet fails on console messages. accessible runs axe-core in both color schemes and fails on every finding. picture
// writes docs/pictures/NAME-SCHEME.webp for TestPictures_Pages_AreWritten, which `make pictures` runs. s.get(t,
// "/path") is a request without a browser, and serve(t, g, env, callers) a server that requires tokens.
// TestPages_EachState_IsShown in pages_test.go opens every page of the table with hostile texts, on a small screen,
// with an empty graph and without a database; it needs an address for each path such as /decisions/{id}.
package pages
