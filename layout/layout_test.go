package layout

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestATableFitsThePage(t *testing.T) {
	head := []string{"NAME", "WHEN", "WHAT", "RULES", "HASH"}
	rows := [][]string{
		{"first", "11 minutes ago", strings.Repeat("long words and more ", 20), "no-high-stakes-low-confidence", strings.Repeat("ab", 32)},
		{"日本語のデータ", "now", "👩‍💻 e\u0301 wide 日本語のデータベースを使う決定は長い、とても長い", "x", "-"},
	}
	for width := 20; width < 300; width++ {
		text := Page{Width: width}.Finish(Page{Width: width}.Table(head, rows))
		for line := range strings.Lines(text) {
			if n := columns(strings.TrimSuffix(line, "\n")); n > width {
				t.Fatalf("at %d columns a line has %d: %s", width, n, line)
			}
		}
	}
	want := "NAME            WHEN            WHAT                      RULES\n" +
		"first           11 minutes ago  long words and more lon…  no-high-stakes-…\n" +
		"日本語のデータ  now             👩‍💻 e\u0301 wide 日本語のデー…  x\n" +
		"(also HASH: -o wide)\n"
	if diff := cmp.Diff(want, Page{Width: 74}.Table(head, rows)); diff != "" {
		t.Error(diff)
	}
	if text := (Page{}).Table(head, rows); !strings.Contains(text, strings.Repeat("ab", 32)) || !strings.Contains(text, "no-high-stakes-low-confidence") {
		t.Errorf("without an end it cuts: %s", text)
	}
}

func TestALineIsBrokenBetweenWords(t *testing.T) {
	page := Page{Width: 20}
	got := page.Finish("title\n  to pass  confidence >= 0.5 and more\n" + strings.Repeat("x", 30) + "\n")
	want := "title\n  to pass\n    confidence >=\n    0.5 and more\n" + strings.Repeat("x", 18) + "\n  " + strings.Repeat("x", 12) + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTimesAreToldFromNow(t *testing.T) {
	now := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	at := now.Add(-72 * time.Hour)
	if got := (Page{Now: now}).Time(at); got != "3 days ago" {
		t.Errorf("it tells %q", got)
	}
	if got := (Page{Now: now}).Day(now.Add(49 * time.Hour)); got != "2 days from now" {
		t.Errorf("it tells %q", got)
	}
	if got, day := (Page{}).Time(at), (Page{}).Day(at); got != "2026-03-06T12:00:00Z" || day != "2026-03-06" {
		t.Errorf("without a clock it tells %q, %q", got, day)
	}
}

func TestColoursAreOursAlone(t *testing.T) {
	page := Page{Colour: true}
	if got := page.Finish(page.Word("denied") + " by \x1b[32mrule\u009b0m\ufdd0!\n" + page.Word("pending")); got != "\x1b[31mdenied\x1b[0m by [32mrule0m\x1b[32m!\x1b[0m\npending" {
		t.Errorf("%q", got)
	}
	if got := (Page{}).Finish((Page{}).Word("denied") + "\ufdd0\x07\u202e!"); got != "denied!" {
		t.Errorf("%q", got)
	}
	if got := cut(page.Word("half_open"), 5); got != "\ufdd2half…\ufdd3" {
		t.Errorf("%q", got)
	}
}

func TestJSONIsAsOneWouldWriteIt(t *testing.T) {
	said := map[string]string{"a": `x < y && y > z \u003c \\u003c`, "b": "\u009b31m\x7f\u202e\x1b[2J 👩‍💻"}
	text, err := JSON(said)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":"x < y && y > z \\u003c \\\\u003c","b":"\u009b31m\u007f\u202e\u001b[2J 👩‍💻"}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	var back map[string]string
	if err := json.Unmarshal(text, &back); err != nil || cmp.Diff(said, back) != "" {
		t.Errorf("it is read as %v (%v)", back, err)
	}
}
