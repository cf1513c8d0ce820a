package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nomograph/internal/golden"
)

func TestTable_Wide_FitsThePage(t *testing.T) {
	head := []string{"NAME", "WHEN", "WHAT", "RULES", "HASH"}
	rows := [][]string{
		{"first", "11 minutes ago", strings.Repeat("long words and more ", 20), "no-high-stakes-low-confidence",
			strings.Repeat("ab", 32)},
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
	golden.Contains(t, "the line without a width", (Page{}).Table(head, rows), strings.Repeat("ab", 32),
		"no-high-stakes-low-confidence")
}

func TestWrap_LongLine_BreaksBetweenWords(t *testing.T) {
	page := Page{Width: 20}
	got := page.Finish("title\n  to pass  confidence >= 0.5 and more\n" + strings.Repeat("x", 30) + "\n")
	want := "title\n  to pass\n    confidence >=\n    0.5 and more\n" + strings.Repeat("x", 18) + "\n  " +
		strings.Repeat("x", 12) + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTime_Recent_IsRelative(t *testing.T) {
	now := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	at := now.Add(-72 * time.Hour)
	golden.Equal(t, "time", (Page{Now: now}).Time(at), "3 days ago")
	golden.Equal(t, "day", (Page{Now: now}).Day(now.Add(49*time.Hour)), "2 days from now")
	if got, day := (Page{}).Time(at), (Page{}).Day(at); got != "2026-03-06T12:00:00Z" || day != "2026-03-06" {
		t.Errorf(`without a clock: got %q, %q, want got="2026-03-06T12:00:00Z", day=2026-03-06`, got, day)
	}
}

func TestPage_Finish_RemovesEscapesOfText(t *testing.T) {
	page := Page{Color: true}
	golden.Equal(t, "finish", page.Finish(page.ColorWord("denied")+" by \x1b[32mrule\u009b0m!\n"+
		page.ColorWord("pending")), "\x1b[31mdenied\x1b[0m by [32mrule0m!\npending")
	golden.Equal(t, "finish", (Page{}).Finish((Page{}).ColorWord("denied")+"\x07\u202e!"), "denied!")
	got, want := page.Finish(page.ColorWord("approved")+" "+page.ColorWord("rejected")+" "+page.ColorWord("approving")),
		"\x1b[32mapproved\x1b[0m \x1b[31mrejected\x1b[0m \x1b[33mapproving\x1b[0m"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	golden.Equal(t, "cut", cut(page.ColorWord("half_open"), 5), fair+"half…"+plain)
	narrow := Page{Color: true, Width: 16}
	golden.Equal(t, "a colored state", narrow.Finish(narrow.HangingIndent("state  ", narrow.ColorWord("on trial")+" "+
		narrow.ColorWord("half_open"))), "state  \x1b[33mon trial\x1b[0m\n       \x1b[33mhalf_open\x1b[0m")
}

// TestPrintable_RecordedText_HasNoColors checks that recorded text cannot contain our color markers.
func TestPrintable_RecordedText_HasNoColors(t *testing.T) {
	page := Page{Color: true, Width: 200}
	for sign := '\ufdd0'; sign <= '\ufdef'; sign++ {
		for length := range 20 {
			recorded := strings.Repeat(string(sign), length) + "allowed" + strings.Repeat(string(sign), length)
			shown := page.Finish(page.Table([]string{"A", "B"},
				[][]string{{recorded, page.ColorWord(recorded)}}) + page.HangingIndent("c ", recorded))
			if length > 0 && strings.Contains(shown, "\x1b") {
				t.Fatalf("%q is shown as %q", recorded, shown)
			}
		}
	}
	if first, second := colorMarker(), colorMarker(); first == second || good == bad {
		t.Error("color markers are predictable")
	}
}

// TestIDs_InList_AreCut: people see the unambiguous beginnings of ids, scripts the whole ids.
func TestIDs_InList_AreCut(t *testing.T) {
	ids := []string{"0193e5a0-0001-7000-8000-000000000001", "0193e5a0-0001-7000-8123-000000000001", "mine",
		"0193e5a0-0002-7000-8000-000000000001", "mine"}
	want := []string{"0193e5a0-0001-7000-80", "0193e5a0-0001-7000-81", "mine", "0193e5a0-0002-7000-80", "mine"}
	if diff := cmp.Diff(want, (Page{Now: time.Unix(0, 0)}).IDs(ids)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("0193e5a0-0002", (Page{Now: time.Unix(0, 0)}).IDs(ids[2:])[1]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(ids, (Page{}).IDs(ids)); diff != "" {
		t.Error(diff)
	}
}
