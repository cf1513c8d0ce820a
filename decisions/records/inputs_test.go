package records_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"nomograph/decisions/records"
	"nomograph/internal/document/documenttest"
)

// TestADR_Inputs_AreReadOrRefused has a row for each form that a reader of decision records got wrong. want is the
// title, status, date and typed links of the record, or the reason why it is refused.
func TestADR_Inputs_AreReadOrRefused(t *testing.T) {
	const madr = "# T\n\n## Context and Problem Statement\n\nWhich one?\n\n## Decision Outcome\n\nChosen option: \"A\", because it is fine.\n"
	nygard := func(status string) string {
		return "# 1. T\n\nDate: 2026-08-21\n\n## Status\n\n" + status + "\n\n## Context\n\nC.\n\n## Decision\n\nD.\n"
	}
	for name, tt := range map[string]struct{ text, want string }{
		// github.com/adr/madr/issues/150: front matter of version 3
		"front matter": {"---\nstatus: accepted\ndate: 2026-08-21\n---\n" + madr,
			"T|accepted|2026-08-21"},
		"front matter after comment": {"<!-- markdownlint-disable MD025 -->\n---\nstatus: accepted\ndate: 2026-08-21\n---\n" + madr, "T|accepted|2026-08-21"},
		"after comments of two lines": {"\n<!-- one\ntwo -->\n\n<!-- three -->\n---\nstatus: accepted\n---\n" + madr,
			"T|accepted"},
		"front matter with dots": {"---\nstatus: accepted\ndate: 2026-08-21\n...\n" + madr,
			"T|accepted|2026-08-21"},
		"blanks after the marks": {"--- \nstatus: accepted\n---\t\n" + madr, "T|accepted"},
		"front matter alone":     {"---\nstatus: accepted\ntitle: U\ndecision: x\n---", "U|accepted"},
		"time": {"---\nstatus: accepted\ndate: 2026-08-21T10:00:00+02:00\n---\n" + madr,
			"T|accepted|2026-08-21"},
		"date in words": {"---\nstatus: accepted\ndate: August 21, 2026\n---\n" + madr,
			"T|accepted|2026-08-21"},
		"date with one reading": {"---\nstatus: accepted\ndate: 21/08/2026\n---\n" + madr,
			"T|accepted|2026-08-21"},
		"American date": {"---\nstatus: accepted\ndate: 08/21/2026\n---\n" + madr,
			"T|accepted|2026-08-21"},
		"date with two readings": {"---\nstatus: accepted\ndate: 02/08/2026\n---\n" + madr,
			"T|accepted|date=02/08/2026"},
		"a key twice": {"---\nstatus: accepted\nstatus: rejected\n---\n" + madr,
			`! 0001-t.md: not YAML: line 3, column 1: the key "status" already exists`},
		"a colon in a text": {"<!-- c -->\n---\nstatus: accepted\ntitle: Use X: the fast one\n---\n" + madr,
			"! 0001-t.md: not YAML: line 4, column "},
		"a tab": {"---\nstatus: accepted\ntags:\n\t- a\n---\n" + madr,
			"! 0001-t.md: not YAML: line 4, column "},
		"empty values": {"---\nstatus:\ndate:\n---\n" + madr, "T"},
		"link in front matter": {"---\nstatus: superseded by [ADR-0005](0005-x.md)\n---\n" + madr,
			"T|superseded by [ADR-0005](0005-x.md)|superseded_by 0005-x"},
		"superseded-by": {"---\nstatus: superseded\nsuperseded-by: 5\n---\n" + madr,
			"T|superseded|superseded_by 0005-x"},
		"a rule, not front matter": {"Text\n\n---\n\n" + nygard("Accepted"), "T|Accepted|2026-08-21"},
		// github.com/npryce/adr-tools and Hugo use TOML: https://gohugo.io/content-management/front-matter/
		"TOML":                {"+++\nstatus = \"accepted\"\ndate = 2026-08-21\n+++\n" + madr, "T|accepted|2026-08-21"},
		"TOML with all kinds": {"+++\ntitle = 'U'\nstatus = \"accepted\" # yes\ndraft = false\ntags = [\n  \"a\",\n  \"b\",\n]\n\n[extra]\nsuperseded_by = \"5\"\n+++\n" + madr, "U|accepted|tags=a,b|draft=false|extra=map[superseded_by:5]"},
		"broken TOML": {"+++\nstatus = \"accepted\ndate = 2026\n+++\n" + madr,
			"! 0001-t.md: not YAML: line 2, column "},
		"TOML after CRLF": {"+++\r\nstatus = \"accepted\"\r\n+++\r\n" + madr, "T|accepted"},
		// github.com/npryce/adr-tools/issues/43: editors wrap the line that the tool wrote
		"wrapped status": {nygard("Accepted by the platform team\nafter two weeks of trial."),
			"T|Accepted by the platform team after two weeks of trial.|2026-08-21"},
		"link on the next line": {nygard("Superseded by\n[5. X](0005-x.md)"),
			"T|Superseded by [5. X](0005-x.md)|2026-08-21|superseded_by 0005-x"},
		"wrapped phrase": {nygard("Superseded\nby [5. X](0005-x.md)"),
			"T|Superseded by [5. X](0005-x.md)|2026-08-21|superseded_by 0005-x"},
		"link after a blank": {nygard("Superseded by\n\n[5. X](0005-x.md)"),
			"T|Superseded by|2026-08-21|superseded_by 0005-x"},
		"two statuses": {nygard("Accepted\nSuperseded by [5. X](0005-x.md)"),
			"T|Accepted|2026-08-21|superseded_by 0005-x"},
		"status and links": {nygard("Accepted\n\nSupersedes\n[5. X](0005-x.md)\n\nAmends\n[6. Y](0006-y.md)"),
			"T|Accepted|2026-08-21|supersedes 0005-x|amends 0006-y"},
		"list of links": {nygard("Accepted\n\nSupersedes:\n\n- [5. X](0005-x.md)\n- [6. Y](0006-y.md)\n\nSee [7](0007-z.md)"), "T|Accepted|2026-08-21|supersedes 0005-x|supersedes 0006-y"},
		"list as status": {nygard("* Accepted\n* Amends [6. Y](0006-y.md)"),
			"T|Accepted|2026-08-21|amends 0006-y"},
		"prose after a link": {nygard("Accepted\n\n- Supersedes [5. X](0005-x.md), because\n  [6. Y](0006-y.md) is new"), "T|Accepted|2026-08-21|supersedes 0005-x"},
		"checkboxes":         {nygard("- [ ] Proposed\n- [x] Accepted\n- [ ] Rejected"), "T|Accepted|2026-08-21"},
		"two checked boxes": {nygard("* [X] Proposed\n* [X] Superseded by [5. X](0005-x.md)\n\nLater."),
			"T|Superseded by [5. X](0005-x.md)|2026-08-21|superseded_by 0005-x"},
		"no checked box":       {nygard("- [ ] Proposed\n- [ ] Accepted"), "! 0001-t.md: it is a template"},
		"tasks below a status": {nygard("Proposed\n\n- [x] reviewed"), "T|Proposed|2026-08-21"},
		"inline checkboxes": {"# T\n\n- Status: [ ] Proposed [x] Accepted\n- Date: 2026-08-21\n\n## Decision\n\nY\n",
			"T|Accepted|2026-08-21"},
		"nested checkboxes": {"# T\n\n- Status:\n  - [ ] Proposed\n  - [x] Accepted\n- Date: 2026-08-21\n\n## Decision\n\nY\n", "T|Accepted|2026-08-21"},
		"struck text and a date": {strings.Replace(nygard("~~Proposed~~ **Accepted** on\n2024-09-09"),
			"Date: 2026-08-21", "", 1), "T|Accepted|2024-09-09"},
		"inline, struck": {"# T\n\n**Status:** ~~Proposed~~ **Accepted** on\n2024-09-09\n\n## Decision\n\nY\n",
			"T|Accepted|2024-09-09"},
		"a later status":      {nygard("~~Accepted~~\n\nRejected, 21 August 2026"), "T|Rejected|2026-08-21"},
		"another date":        {nygard("Accepted on 2024-09-09"), "T|Accepted on 2024-09-09|2026-08-21"},
		"struck list":         {nygard("- ~~Proposed~~\n- Accepted"), "T|Accepted|2026-08-21"},
		"struck alternatives": {nygard("~~proposed~~ | accepted | ~~rejected~~"), "T|accepted|2026-08-21"},
		"struck HTML": {nygard("<del>Superseded by ADR-0005</del> <ins>Accepted</ins>"),
			"T|Accepted|2026-08-21"},
		"struck in front matter": {"---\nstatus: \"~~proposed~~ accepted (2026-08-21)\"\n---\n" + madr,
			"T|accepted|2026-08-21"},
		"emphasis":         {nygard("_Accepted_"), "T|Accepted|2026-08-21"},
		"strong emphasis":  {nygard("__Accepted__ for the web"), "T|Accepted for the web|2026-08-21"},
		"a link as status": {nygard("[**Accepted**](https://example.com/vote)"), "T|Accepted|2026-08-21"},
		"a symbol":         {nygard("Accepted ✅"), "T|Accepted|2026-08-21"},
		"a symbol first":   {nygard("✔️ `Accepted` :tada:"), "T|Accepted|2026-08-21"},
		"label in the section": {nygard("**Status:** Accepted (supersedes ADR 5)"),
			"T|Accepted|2026-08-21|supersedes 0005-x"},
		"inline, a remark": {"# T\n\nStatus: Accepted (supersedes [ADR 5](0005-x.md))\n\n## Decision\n\nY\n",
			"T|Accepted|supersedes 0005-x"},
		"another remark": {nygard("Accepted (for the web)"), "T|Accepted (for the web)|2026-08-21"},
		"section of its own": {nygard("Superseded") + "\n## Superseded by\n\n[5. X](0005-x.md)\n",
			"T|Superseded|2026-08-21|superseded_by 0005-x"},
		"subsection of links": {nygard("Superseded") + "\n## Links\n\n### Superseded by\n\n- ADR-0005\n",
			"T|Superseded|2026-08-21|superseded_by 0005-x"},
		"inline":                 {"# ADR-0001 T\n\n**Status**: superseded by ADR-0005\n**Date**: 2026-08-21\n\n## Decision\n\nY\n", "T|superseded by ADR-0005|2026-08-21|superseded_by 0005-x"},
		"inline, next line":      {"# ADR-0001 T\n\n**Status**: superseded by\n[ADR-0005](0005-x.md)\n**Date**: 2026-08-21\n\n## Decision\n\nY\n", "T|superseded by [ADR-0005](0005-x.md)|2026-08-21|superseded_by 0005-x"},
		"inline, a list":         {"# T\n\n- Status: accepted\n- Superseded by:\n  - [ADR-0005](0005-x.md)\n- Date: 2026-08-21\n\n## Decision\n\nY\n", "T|accepted|2026-08-21|superseded_by 0005-x"},
		"table":                  {"# ADR-0001 T\n\n| Field | Value |\n|---|---|\n| Status | Accepted |\n| Date | 2026-08-21 |\n\n## Decision\n\nY\n", "T|Accepted|2026-08-21"},
		"underlined title":       {"---\nstatus: accepted\n---\nT\n====\n\n## Decision Outcome\n\nA\n", "T|accepted"},
		"Spanish":                {"# 1. T\n\n**Fecha:** 2026-02-01\n\n## Estado\n\nAceptado\n\n## Contexto\n\nX\n\n## Decisión\n\nY\n", "T|Aceptado|2026-02-01"},
		"French":                 {"# 1. T\n\nDate : 2026-02-01\n\n## Statut\n\nAcceptée\n\n## Contexte\n\nX\n\n## Décision\n\nY\n", "T|Acceptée|2026-02-01"},
		"Japanese":               {"# 1. T\n\n日付: 2026-02-01\n\n## ステータス\n\n承認済み\n\n## 決定\n\nY\n", "T|承認済み|2026-02-01"},
		"an unclosed comment":    {"<!-- c\n" + nygard("Accepted"), "! 0001-t.md: it contains no decision"},
		"a text of plus signs":   {"+++\n\n" + nygard("Accepted"), "T|Accepted|2026-08-21"},
		"Latin-1":                {nygard("Accept\xe9"), "! 0001-t.md: line 7, column 7: byte 44 (0xE9) is not UTF-8"},
		"a template of versions": {"---\nstatus: \"{proposed | rejected}\"\ndate: {YYYY-MM-DD when it was updated}\n---\n" + madr, "! 0001-t.md: it is a template"},
	} {
		if got := summary(tt.text); got != tt.want &&
			!(strings.HasPrefix(tt.want, "!") && strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
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
