package pages_test

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"nomograph/decisions"
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
		for _, part := range strings.Split(tt.want, "|") {
			if !strings.Contains(got, part) {
				t.Errorf("%q: got %s, want %s", tt.text, got, part)
			}
		}
	}
	for title, want := range map[string]string{"Use `x` and **y**, not [z](http://z.example)": "Use x and y, not z",
		"snake_case_name for *.env": "snake_case_name for *.env",
		"<script>alert(1)</script>": "<script>alert(1)</script>",
		"a & b &amp; c":             "a & b & c", "***": "***", "plain": "plain"} {
		if got := pages.Plain(title); got != want {
			t.Errorf("the title %q: got %q, want %q", title, got, want)
		}
	}
}

// attacks are texts that run a script, load a resource or hide a link target in a careless renderer or browser.
var attacks = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<svg/onload=alert(1)>`,
	`<iframe src="javascript:alert(1)"></iframe>`, `<a href="javascript:alert(1)">x</a>`,
	`<div style="background:url(javascript:alert(1))">`,
	`<math><mtext></mtext><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<form action=/signout method=post><button>x`,
	`<base href=//evil.example>`,
	`<meta http-equiv=refresh content="0;url=//evil.example">`, `<link rel=stylesheet href=//evil.example/x.css>`,
	`<object data=x>`, `<embed src=x>`, `<input autofocus onfocus=alert(1)>`, `<details open ontoggle=alert(1)>`,
	`<!--><img src=x onerror=alert(1)>-->`,
	`<![CDATA[<script>alert(1)</script>]]>`, `<?xml-stylesheet href="javascript:alert(1)"?>`,
	`</div></main><script>alert(1)</script>`, "<scr\nipt>alert(1)</script>",
	"<scr<script>ipt>alert(1)</scr</script>ipt>",
	`[x](javascript:alert(1))`, `[x](JaVaScRiPt:alert(1))`, `[x]( javascript:alert(1))`, "[x](java\tscript:alert(1))",
	`[x](java&#115;cript:alert(1))`, `[x](javascript&colon;alert(1))`, `[x](javascript&#x3A;alert(1))`,
	`[x](&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74:alert(1))`,
	`[x](<javascript:alert(1)>)`, `[x](\javascript:alert(1))`, "[x](\x01javascript:alert(1))",
	"[x](javascript\\:alert(1))", `[x](vbscript:msgbox(1))`,
	`[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`, `[x](data:image/svg+xml,<svg onload=alert(1)>)`,
	`[x](data:image/png;base64,AAAA)`, `[x](file:///etc/passwd)`, `[x](blob:https://evil.example/1)`,
	`[x](view-source:http://x)`, `[x](intent://x)`, `[x](about:blank)`, `[x](ws://evil.example)`,
	`[x](ftp://evil.example)`,
	`[x](//evil.example)`, `[x](/\evil.example)`, `[x](\\evil.example)`, `[x](/%5cevil.example)`,
	`[x](///evil.example)`, "[x](/\t/evil.example)", `[x](http:evil.example)`, `[x](http:///evil.example)`,
	`[x](https://bank.example@evil.example/)`, `[x](?act=grant)`, `[x](#x)`, `[x](..)`,
	`[x](/signout)`, `[x](/signin?to=/)`, `[x](/signin/provider)`, `[x](/query?q=MATCH+(n)+DETACH+DELETE+n)`,
	`[x](/?open=abc)`, `[x](/decisions/../signout)`, `[x](/decisions/%2e%2e/signout)`, `[x](/api/v1/decisions)`,
	`[x](https://example.org "onmouseover=alert(1) \"><script>alert(1)</script>")`,
	`[x](https://example.org/"onmouseover="alert(1))`, `[x](https://example.org/'><script>alert(1)</script>)`,
	"[x](<https://example.org/\"onmouseover=alert(1)>)",
	`![x](javascript:alert(1))`, `![x](https://evil.example/track.png)`, `!["onerror="alert(1)](x)`,
	`![x](x "onerror=alert(1)")`, `![<img src=x onerror=alert(1)>](https://a.example)`, `<javascript:alert(1)>`,
	`<data:text/html,x>`, `<vbscript:x>`, `<x@y.z" onclick=alert(1)>`,
	"[x][1]\n\n[1]: javascript:alert(1)", "[x][1]\n\n[1]: <javascript:alert(1)> \"t\"",
	"[x]\n\n[x]: data:text/html,<script>alert(1)</script>",
	"[1]: https://a.example '\"><script>alert(1)</script>'\n\n[1]",
	"```\"><script>alert(1)</script>\nx\n```", "```js onload=alert(1)\nx\n```", "~~~<img/onerror=alert(1)>\nx\n~~~",
	"`<script>alert(1)</script>`", "    <script>alert(1)</script>", "# <img src=x onerror=alert(1)>",
	"x\n<script>alert(1)</script>\n===", "> <script>alert(1)</script>", "- <script>alert(1)</script>",
	"| <script>alert(1)</script> | b |\n|:-:|---|\n| <img src=x onerror=alert(1)> | [x](javascript:alert(1)) |",
	"~~<script>alert(1)</script>~~", "**[x](javascript:alert(1))**", "[**x**](javascript:alert(1))",
	"[![x](javascript:a)](javascript:b)", "&lt;script&gt;alert(1)&lt;/script&gt;",
	"&#60;script&#62;alert(1)&#60;/script&#62;",
	"\u202ejavascript:alert(1)", "\x00<script>\x00alert(1)</script>", "<script\x00>alert(1)</script>",
	"\xff\xfe<script>alert(1)</script>", "{{.Secret}}", "${alert(1)}", `"><img src=x onerror="document.title='taken'">`,
}

// allowed lists the allowed elements with their attributes.
var allowed = map[string][]string{"div": {"class", "dir"}, "p": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil,
	"ul": nil,
	"ol": {"start"}, "li": nil, "blockquote": nil, "pre": nil, "code": {"class"}, "em": nil, "strong": nil, "del": nil,
	"hr": nil, "br": nil,
	"a": {"href", "rel"}, "table": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"align"}, "td": {"align"}}

func TestMarkdown_Attacks_StayText(t *testing.T) {
	texts := slices.Concat(attacks, hostile)
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
	if _, err := s.env.Decisions.Review(t.Context(),
		decisions.Outcome{ID: made.ID, Outcome: "success", ActualResult: "It `held`",
			Lessons: "**Measure** first"}); err != nil {
		t.Fatal(err)
	}
	_, _, page := s.get(t, "/decisions/"+made.ID)
	for _, want := range []string{">Keep orders in PostgreSQL</h1>", "<strong>PostgreSQL</strong>", "<h4>Why</h4>",
		"<em>store</em>", `<a href="https://example.org/docs" rel="nofollow noopener">the docs</a>`,
		"<code>SERIALIZABLE</code>",
		"<strong>queue</strong>", "<code>held</code>", "<strong>Measure</strong>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the decision lacks %s: %s", want, page)
		}
	}
	for _, path := range []string{"/", "/decisions", "/graph?node=" + made.ID} {
		if _, _, page := s.get(t, path); !strings.Contains(page, "Keep orders in PostgreSQL") {
			t.Errorf("%s shows the marks of a title: %s", path, page)
		}
	}
	if _, _, panel := s.get(t, "/graph/panel?select="+made.ID); !strings.Contains(panel, "<em>store</em>") ||
		!strings.Contains(panel, "<code>SERIALIZABLE</code>") {
		t.Errorf("the panel beside the graph shows %s", panel)
	}
}
