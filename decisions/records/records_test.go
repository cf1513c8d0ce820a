package records_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"nomograph/decisions/records"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

// written returns everything that a sequence yields, as JSON.
func written(t *testing.T, sequence records.Sequence) string {
	t.Helper()
	var b strings.Builder
	for e, err := range sequence {
		if err != nil {
			fmt.Fprintf(&b, "SKIPPED %v\n", err)
			continue
		}
		text, err := json.MarshalIndent(e, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n%s\n", e.Place, text)
		for _, l := range e.Links {
			fmt.Fprintf(&b, "-> %s %s %g\n", l.Type, l.Target, l.Weight)
		}
	}
	return b.String()
}

func TestRecords_EveryForm_IsRead(t *testing.T) {
	golden.Check(t, "testdata/adr.golden", written(t, records.ADR(os.DirFS("testdata/adr"), "", "shop")))
	golden.Check(t, "testdata/cstp.golden", written(t, records.CSTP(os.DirFS("testdata/cstp"), "cstp")))
	file, err := os.Open("testdata/records.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	golden.Check(t, "testdata/jsonl.golden", written(t, records.JSONL(file, "records.jsonl", "here")))
}

func TestRead_OneFileOfAFolder_IsRead(t *testing.T) {
	sequence, err := records.OpenADR("testdata/adr/0005-our-own-form.md", "shop")
	if err != nil {
		t.Fatal(err)
	}
	var ids, links []string
	for e, err := range sequence {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ExternalID)
		for _, l := range e.Links {
			links = append(links, l.Target)
		}
	}
	if fmt.Sprint(ids, links) != "[0005-our-own-form] [0003-madr-2 0004-use-a-log]" {
		t.Errorf("%v links to %v", ids, links)
	}
}

func TestRead_MissingPath_Fails(t *testing.T) {
	for name, open := range map[string]func(string, string) (records.Sequence,
		error){"adr": records.OpenADR, "jsonl": records.OpenJSONL, "cstp": records.OpenCSTP} {
		if _, err := open(filepath.Join(t.TempDir(), "nowhere"), ""); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("%s: got %v, want %s", name, err, apperr.NotFound)
		}
	}
	if _, err := records.OpenJSONL(t.TempDir(), ""); !apperr.Is(err, apperr.Validation) {
		t.Errorf("a folder for a file: %v", err)
	}
	if _, err := records.OpenCSTP("records_test.go", ""); !apperr.Is(err, apperr.Validation) {
		t.Errorf("a file for a folder: %v", err)
	}
	if _, err := records.OpenADR("records_test.go", ""); !apperr.Is(err, apperr.Validation) {
		t.Errorf("no Markdown: %v", err)
	}
}

func TestSource_EveryMachine_IsTheSame(t *testing.T) {
	root := filepath.Join(t.TempDir(), "clone")
	folder := filepath.Join(root, "docs", "adr")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := records.SourceOf(folder); got != "docs/adr" {
		t.Errorf("outside of a repository: %s", got)
	}
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: git init: %s", out)
	}
	if got := records.SourceOf(folder); got != "clone/docs/adr" {
		t.Errorf("without a remote: %s", got)
	}
	if out, err := exec.Command("git", "-C", root, "remote", "add", "origin", "git@example.com:acme/shop.git").
		CombinedOutput(); err != nil {
		t.Fatalf("got %s, want no error", out)
	}
	if got := records.SourceOf(folder); got != "acme/shop/docs/adr" {
		t.Errorf("with a remote: %s", got)
	}
}

func TestRecords_OversizedFile_IsRefused(t *testing.T) {
	long := `{"id": "A", "title": "` + strings.Repeat("x", 1<<20) + "\"}\n" + `{"id": "B", "title": "after it"}`
	var got []string
	for e, err := range records.JSONL(strings.NewReader(long), "f", "s") {
		got = append(got, fmt.Sprint(e.ExternalID, err))
	}
	if fmt.Sprint(got) != "[f:1: the line has more than the 1048576 bytes that documents.max_bytes allows B<nil>]" {
		t.Errorf(`got %v, want "[f:1: the line has more than the 1048576 bytes that documents.max_bytes allows B<nil>]"`, got)
	}
	for name, text := range map[string]string{"deep": "a: " + strings.Repeat("[", 100_000),
		"on one line": strings.Repeat("- ", 100_000),
		"aliases":     "a: &a [x, x]\nb: [" + strings.Repeat("*a, ", 101) + "]\ndecision: x\n",
		"a key twice": "decision: a\ndecision: b\n", "large": "decision: " + strings.Repeat("x", 1<<20),
		"documents": "decision: a\n---\ndecision: b\n"} {
		if _, problem := records.CSTPDecision("x-decision-0a1b2c3d.yaml", "cstp", text); problem == nil {
			t.Errorf("%s: got no error, want the file rejected", name)
		}
	}
	for e, err := range records.JSONL(strings.NewReader(`{"id": "A", "title": "one", "title": "two"}`), "f", "s") {
		if err == nil || !strings.Contains(err.Error(), `f:1: the key "title" already exists`) {
			t.Errorf("a key twice: %v, %v", e, err)
		}
	}
	twice := "tags: &id001 [a, b]\nkpi_indicators: *id001\ndecision: a list that is written once\n"
	if e, problem := records.CSTPDecision("x-decision-0a1b2c3d.yaml", "cstp", twice); problem != nil ||
		len(e.KPIIndicators) != 2 {
		t.Errorf("an alias: %v, %v", e, problem)
	}
	name := strings.Repeat("n", 201)
	if _, problem := records.CSTPDecision("x-decision-0a1b2c3d.yaml", "cstp", "decision: a\ntags: ["+name+
		"]\n"); problem == nil || strings.Contains(problem.Why, "nnn") {
		t.Errorf("a long tag: %v", problem)
	}
}

// wantImportable checks the properties of an entry on which the importer relies.
func wantImportable(t *testing.T, e records.Entry) {
	t.Helper()
	if e.ExternalID == "" || e.Title == "" && e.Decision == "" {
		t.Fatalf("an entry without id or text: %+v", e)
	}
	if e.Confidence != nil && !(*e.Confidence >= 0 && *e.Confidence <= 1) {
		t.Fatalf("confidence %g", *e.Confidence)
	}
	if _, err := json.Marshal(e); err != nil {
		t.Fatal(err)
	}
	for _, l := range e.Links {
		if l.Type == "" || l.Target == "" || l.Weight <= 0 || l.Weight > 1 {
			t.Fatalf("link %+v", l)
		}
	}
}

func fuzz(f *testing.F, files string, read func(text string) records.Sequence) {
	names, err := filepath.Glob(files)
	if err != nil || len(names) == 0 {
		f.Fatalf("no %s: %v", files, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for e, err := range read(text) {
			if err == nil {
				wantImportable(t, e)
			}
		}
	})
}

func folder(name, text string) fstest.MapFS {
	return fstest.MapFS{name: {Data: []byte(text)}, "0001-other.md": {Data: []byte("# Other")}}
}

func FuzzADR(f *testing.F) {
	fuzz(f, "testdata/adr/0*.md", func(text string) records.Sequence {
		return records.ADR(folder("0002-x.md", text), "0002-x.md", "s")
	})
}

func FuzzBlocks(f *testing.F) {
	fuzz(f, "testdata/adr/DECISIONS.md", func(text string) records.Sequence {
		return records.ADR(folder("DECISIONS.md", "**Decision ID:** A\n**Decision:** b\n"+text), "DECISIONS.md", "s")
	})
}

func FuzzCSTP(f *testing.F) {
	fuzz(f, "testdata/cstp/2026/03/*.yaml", func(text string) records.Sequence {
		return records.CSTP(folder("x-decision-0a1b2c3d.yaml", text), "cstp")
	})
}

func FuzzJSONL(f *testing.F) {
	fuzz(f, "testdata/*.jsonl", func(text string) records.Sequence {
		return records.JSONL(strings.NewReader(text), "f", "s")
	})
}
