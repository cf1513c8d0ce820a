package pages_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/server/pages"
	"nomograph/tools/toolstest"
)

func TestMarkdown_CommonForms_AreRendered(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"# Use it\n\nSo *far*, **good**, ~~bad~~ and `code`.",
			`<h3>Use it</h3>|<em>far</em>|<strong>good</strong>|<del>bad</del>|<code>code</code>`},
		{"- one\n- two\n\n1. a\n2. b", `<ul>|<li>one</li>|<ol>|<li>b</li>`},
		{"| a | b |\n|---|--:|\n| 1 | 2 |", `<table>|<th>a</th>|<td align="right">2</td>`},
		{"```go\nx := 1 < 2\n```", `<pre><code class="language-go">x := 1 &lt; 2`},
		{"> quoted", "<blockquote>"},
		{"one\ntwo", "<p>one\ntwo</p>"},
		{"[a](https://example.org/?a=1&b=2) <http://example.net> <ada@example.org> [m](mailto:bob@example.org)",
			`<a href="https://example.org/?a=1&amp;b=2" rel="nofollow noopener">a</a>|<a href="http://example.net" rel="nofollow noopener">http://example.net</a>|href="mailto:ada@example.org"|href="mailto:bob@example.org"`},
		{"[d](/decisions/0a1b2c3d) [p](/policy?name=x)",
			`<a href="/decisions/0a1b2c3d" rel="nofollow noopener">d</a>|<a href="/policy?name=x"`},
		{"a [record](0003-schemas.md) and ![a plot](https://example.org/x.png)",
			`a record and <a href="https://example.org/x.png" rel="nofollow noopener">a plot</a>`},
		{"List<T> and <b>bold</b>", "List&lt;T&gt; and &lt;b&gt;bold&lt;/b&gt;"},
	} {
		got := string(pages.Markdown(tt.text))
		graphtest.Contains(t, got, strings.Split(tt.want, "|")...)
	}
	for title, want := range map[string]string{"Use `x` and **y**, not [z](http://z.example)": "Use x and y, not z",
		"snake_case_name for *.env": "snake_case_name for *.env",
		"<script>alert(1)</script>": "<script>alert(1)</script>",
		"a & b &amp; c":             "a & b & c", "***": "***", "plain": "plain"} {
		graphtest.Equal(t, pages.Plain(title), want, fmt.Sprint("the title ", title))
	}
}

// allowed lists the allowed elements with their attributes.
var allowed = map[string][]string{"div": {"class", "dir"}, "p": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil,
	"ul": nil,
	"ol": {"start"}, "li": nil, "blockquote": nil, "pre": nil, "code": {"class"}, "em": nil, "strong": nil, "del": nil,
	"hr": nil, "br": nil,
	"a": {"href", "rel"}, "table": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"align"}, "td": {"align"}}

func TestMarkdown_Attacks_StayText(t *testing.T) {
	// texts that run a script, load a resource or hide a link target in a careless renderer or browser
	attacks := graphtest.Must(os.ReadFile("testdata/attacks.txt"))(t)
	texts := slices.Clone(hostile)
	for line := range strings.Lines(string(attacks)) {
		text, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(line, err)
		}
		texts = append(texts, text)
	}
	for _, one := range slices.Clone(texts) { // also inside other text
		texts = append(texts, "before "+one+" after", "- "+one+"\n  "+one, "> "+one, "**"+one+"**", "["+one+
			"](https://example.org)", "|a|\n|-|\n|"+one+"|", "```\n"+one+"\n```")
	}
	for _, text := range texts {
		got := string(pages.Markdown(text))
		decoder := xml.NewDecoder(strings.NewReader(got))
		decoder.Strict, decoder.AutoClose, decoder.Entity = true, nil, map[string]string{"quot": `"`}
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil && utf8.ValidString(text) && !strings.ContainsAny(text,
				"\x00\x01\ufffe\ufffd") { // XML does not allow these characters
				t.Errorf("%q creates markup that does not nest: %v: %s", text, err, got)
			}
			if err != nil {
				break
			}
			switch e := token.(type) {
			case xml.Comment, xml.Directive, xml.ProcInst:
				t.Errorf("%q creates a %T: %s", text, e, got)
			case xml.StartElement:
				attributes, ok := allowed[e.Name.Local]
				if !ok {
					t.Errorf("%q creates a <%s>: %s", text, e.Name.Local, got)
				}
				for _, a := range e.Attr {
					if !slices.Contains(attributes, a.Name.Local) {
						t.Errorf("%q creates an attribute %s of <%s>: %s", text, a.Name.Local, e.Name.Local, got)
					}
					if a.Name.Local != "href" {
						continue
					}
					at, err := url.Parse(a.Value)
					own := err == nil && at.Scheme == "" && strings.HasPrefix(a.Value, "/") &&
						!strings.HasPrefix(a.Value, "//") && slices.Contains(pages.Linkable,
						strings.Split(at.Path, "/")[1])
					if err != nil || !own && !slices.Contains([]string{"http", "https", "mailto"}, at.Scheme) ||
						at.User != nil || strings.ContainsAny(a.Value, "\\\t\n ") || strings.Contains(a.Value, "..") ||
						at.Query().Has("open") {
						t.Errorf("%q leads to %s", text, a.Value)
					}
				}
			}
		}
	}
}

// TestMarkdown_NestedText_Ends: a parser that tries all combinations would not.
func TestMarkdown_NestedText_Ends(t *testing.T) {
	for _, unit := range []string{"> ", "- ", "[", "![", "*a ", "_a ", "`", "~~", "<", "(", "|", "[a](", "&#", "\\",
		"#", "**a", "a\n", "|a|\n|-|\n"} {
		if html := pages.Markdown(strings.Repeat(unit, 20_000/len(unit))); html == "" {
			t.Errorf("20 kB of %q: got nothing", unit)
		}
	}
}

func TestLinkable_EveryPage_Exists(t *testing.T) {
	s, known := open(t), map[string]bool{}
	for _, page := range pages.Table() {
		known[strings.Split(page.Path, "/")[1]] = true
	}
	for _, page := range pages.Linkable {
		if status, _, _ := s.get(t, "/"+page); status == 404 && !known[page] {
			t.Errorf("page /%s is missing", page)
		}
	}
}

// TestDecisionPage_Markdown_IsRendered checks every text of a decision that people and agents write.
func TestDecisionPage_Markdown_IsRendered(t *testing.T) {
	s := open(t)
	made := toolstest.Record(t, s.env, decisions.Record{Decision: "Keep `orders` in **PostgreSQL**\n\n## Why\n\n- one *store*", Confidence: 0.7, ExtraFields: decisions.ExtraFields{AgentID: "ada", Context: "See [the docs](https://example.org/docs)",
		Reasons:      []decisions.Reason{{Type: "analysis", Text: "It has `SERIALIZABLE`"}},
		Deliberation: &decisions.Deliberation{Steps: []decisions.DeliberationStep{{Thought: "A **queue** first"}}}}})
	graphtest.Must(s.env.Decisions.Review(t.Context(),
		decisions.Outcome{ID: made.ID, Outcome: "success", ActualResult: "It `held`",
			Lessons: "**Measure** first"}))(t)
	s.shows(t, "/decisions/"+made.ID, ">Keep orders in PostgreSQL</h1>", "<strong>PostgreSQL</strong>", "<h4>Why</h4>",
		"<em>store</em>", `<a href="https://example.org/docs" rel="nofollow noopener">the docs</a>`,
		"<code>SERIALIZABLE</code>", "<strong>queue</strong>", "<code>held</code>", "<strong>Measure</strong>")
	for _, path := range []string{"/", "/decisions", "/graph?node=" + made.ID} {
		s.shows(t, path, "Keep orders in PostgreSQL")
	}
	s.shows(t, "/graph/panel?select="+made.ID, "<em>store</em>", "<code>SERIALIZABLE</code>")
}
