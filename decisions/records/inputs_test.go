package records_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"nomograph/decisions/records"
	"nomograph/internal/document/documenttest"
	"nomograph/internal/golden"
)

// TestADR_Inputs_AreReadOrRefused reads all forms in testdata, and some that a text file cannot hold.
func TestADR_Inputs_AreReadOrRefused(t *testing.T) {
	const madr = "# T\n\n## Context and Problem Statement\n\nWhich one?\n\n## Decision Outcome\n\nChosen option: \"A\", because it is fine.\n"
	nygard := func(status string) string {
		return "# 1. T\n\nDate: 2026-08-21\n\n## Status\n\n" + status + "\n\n## Context\n\nC.\n\n## Decision\n\nD.\n"
	}
	cases := []golden.Case{
		{Name: "after comments of two lines", Want: "T|accepted",
			Text: "\n<!-- one\ntwo -->\n\n<!-- three -->\n---\nstatus: accepted\n---\n" + madr},
		{Name: "blanks after the marks", Want: "T|accepted", Text: "--- \nstatus: accepted\n---\t\n" + madr},
		{Name: "front matter alone", Want: "U|accepted", Text: "---\nstatus: accepted\ntitle: U\ndecision: x\n---"},
		{Name: "TOML after CRLF", Want: "T|accepted", Text: "+++\r\nstatus = \"accepted\"\r\n+++\r\n" + madr},
		{Name: "struck text and a date", Want: "T|Accepted|2024-09-09",
			Text: strings.Replace(nygard("~~Proposed~~ **Accepted** on\n2024-09-09"), "Date: 2026-08-21", "", 1)},
		{Name: "Latin-1", Want: "! 0001-t.md: line 7, column 7: byte 44 (0xE9) is not UTF-8",
			Text: nygard("Accept\xe9")},
	}
	for _, c := range golden.Cases(t, "testdata/forms.txt") {
		c.Text = strings.ReplaceAll(c.Text+"\n", "{{madr}}\n", madr)
		cases = append(cases, c)
	}
	for _, c := range golden.Cases(t, "testdata/statuses.txt") {
		c.Text = nygard(c.Text)
		cases = append(cases, c)
	}
	for _, c := range cases {
		if got := summary(c.Text); got != c.Want &&
			!(strings.HasPrefix(c.Want, "!") && strings.HasPrefix(got, c.Want)) {
			t.Errorf("%s: got %s, want %s", c.Name, got, c.Want)
		}
	}
	for name, encode := range documenttest.Accepted {
		if got := summary(string(encode(nygard("Acceptée 承認")))); got != "T|Acceptée 承認|2026-08-21" {
			t.Errorf("%s: got %s", name, got)
		}
		line := "{\"id\": \"a\", \"title\": \"é\"}\n"
		if got := written(t, records.JSONL(strings.NewReader(string(encode(line+line))), "f", "s")); strings.Count(got,
			`"title": "é"`) != 2 {
			t.Errorf("%s: got %s, want two records", name, got)
		}
	}
	for name, bad := range documenttest.Refused {
		if got := summary(nygard("Accept" + bad)); !strings.HasPrefix(got, "! 0001-t.md: line 7, column 7: byte 44 ") {
			t.Errorf("%s: got %s, want a refusal at byte 44", name, got)
		}
		got := written(t, records.JSONL(strings.NewReader("{\"id\": \"a\", \"title\": \"caf"+bad+
			"\"}\n{\"id\": \"b\", \"title\": \"next\"}\n"), "f", "s"))
		if !strings.HasPrefix(got, "SKIPPED f:1: byte 26 ") || !strings.Contains(got, "next") {
			t.Errorf("%s: got %s, want the first line refused at byte 26", name, got)
		}
	}
}

// summary reads a record among others and returns what the record says.
func summary(text string) string {
	folder := fstest.MapFS{"0001-t.md": {Data: []byte(text)}}
	for _, name := range []string{"0005-x.md", "0006-y.md", "0007-z.md"} {
		folder[name] = &fstest.MapFile{Data: []byte("# " + name + "\n\n## Decision\n\nD.\n")}
	}
	for e, err := range records.ADR(folder, "0001-t.md", "s") {
		if err != nil {
			return "! " + err.Error()
		}
		parts := []string{e.Title, e.Status}
		if !e.Date.IsZero() {
			parts = append(parts, e.Date.Format("2006-01-02"))
		}
		if len(e.Tags) > 0 {
			parts = append(parts, "tags="+strings.Join(e.Tags, ","))
		}
		for _, name := range []string{"date", "draft", "extra"} {
			if value := e.Extra[name]; value != nil {
				parts = append(parts, fmt.Sprintf("%s=%v", name, value))
			}
		}
		for _, l := range e.Links {
			if l.Type != records.Mention {
				parts = append(parts, l.Type+" "+l.Target)
			}
		}
		return strings.TrimRight(strings.Join(parts, "|"), "|")
	}
	return ""
}
