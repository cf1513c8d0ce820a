package pack_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// TestParse_BrokenPack_NamesTheLine compares the error of every file in testdata/broken with its first line: `# want:
// LINE:COLUMN: part of the message`.
func TestParse_BrokenPack_NamesTheLine(t *testing.T) {
	files, err := filepath.Glob("testdata/broken/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no broken packs: %v", err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		t.Run(strings.TrimSuffix(name, ".yaml"), func(t *testing.T) {
			text := graphtest.Must(os.ReadFile(path))(t)
			first, _, _ := strings.Cut(string(text), "\n")
			want, ok := strings.CutPrefix(first, "# want: ")
			if !ok {
				t.Fatalf("got first line %s, want one that begins with # want:", first)
			}
			_, err = parse(t, name, string(text))
			got := toolstest.ErrorWithCode(t, err, apperr.Validation)
			golden.Contains(t, "the message", got.Message, name+":"+strings.TrimSpace(want))
			if got.Hint == "" {
				t.Error("the hint is missing")
			}
		})
	}
}

func TestParse_SeveralProblems_AreAllReported(t *testing.T) {
	_, err := pack.Parse(t.Context(), "mine.yaml",
		"pack: mine\nversion: 1.0.0\nthresholds:\n  - name: a\n  - name: b\n    value: [1]\nrules: []\n")
	got := toolstest.ErrorWithCode(t, err, apperr.Validation)
	golden.Contains(t, "the message", got.Message, "mine.yaml:4:5: thresholds[0]: value is required",
		"mine.yaml:6:5: thresholds[1].value must be", `mine.yaml:7:1: "rules" is not known`)
	problems, _ := got.Details["problems"].([]map[string]any)
	if len(problems) != 3 {
		t.Fatalf("problems: %v", problems)
	}
	for _, p := range problems {
		if p["file"] != "mine.yaml" || p["line"] == 0 || p["column"] == 0 || p["message"] == "" {
			t.Errorf("problem: %v", p)
		}
	}
}

func TestParse_EmptyText_Fails(t *testing.T) {
	for _, text := range []string{"", "\n", "---\n", "# words\n", "null\n"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			_, err := parse(t, "empty.yaml", text)
			if got := toolstest.ErrorWithCode(t, err, apperr.Validation); !strings.HasPrefix(got.Message,
				"empty.yaml:1:1: ") {
				t.Error(got.Message)
			}
		})
	}
}

func TestParse_Pack_IsReadAsWritten(t *testing.T) {
	parsed := graphtest.Must(pack.Parse(t.Context(), "mine.yaml", `
pack: mine
version: 1.2.3
description: All kinds of values
decision_tables:
  - table_id: D1_first
    feeds_into: [D2_second]
  - table_id: D2_second
thresholds:
  - {name: whole, value: 1, decision_table: D1}
  - {name: float, value: 1.0, decision_table: D1_first}
  - {name: exponent, value: 1.0e3}
  - {name: negative, value: -7}
  - {name: text, value: "0.5"}
  - {name: truth, value: false, decision_table: D9}
policies:
  - name: p
    decision_table: D2
    uses_thresholds: [whole, elsewhere]
    day: 2024-01-31
    list: [a, b]
    feeds_into: 3
    more: |
      two
      lines
`))(t)
	if parsed.Name != "mine" || parsed.Version != "1.2.3" || parsed.Description != "All kinds of values" ||
		len(parsed.Checksum) != 64 {
		t.Errorf("head: %+v", parsed)
	}
	want := map[string]any{"whole": int64(1), "float": 1.0, "exponent": 1000.0, "negative": int64(-7), "text": "0.5",
		"truth": false}
	for key, value := range want {
		golden.Equal(t, key, itemOf(t, parsed, key).Properties["value"], value)
	}
	p := itemOf(t, parsed, "p").Properties
	if p["day"] != "2024-01-31" || fmt.Sprint(p["list"]) != "[a b]" || p["more"] != "two\nlines\n" ||
		p["uses_thresholds"] != nil || p["feeds_into"] != int64(3) {
		t.Errorf("properties: %v", p)
	}
	links := map[string]string{
		"p":         "[USES_THRESHOLD whole USES_THRESHOLD elsewhere GOVERNED_BY D2_second]",
		"D1_first":  "[FEEDS_INTO D2_second USES_THRESHOLD whole USES_THRESHOLD float]",
		"D2_second": "[]", "whole": "[]", "truth": "[]",
	}
	for key, want := range links {
		texts := []string{}
		for _, link := range itemOf(t, parsed, key).Links {
			texts = append(texts, link.Type+" "+link.Key)
		}
		golden.Equal(t, "links of "+key, fmt.Sprint(texts), want)
	}
}

func TestShippedPacks_AreListedAndParse(t *testing.T) {
	golden.Equal(t, "shipped packs", strings.Join(pack.Shipped(), " "),
		"autonomy chrystallum core files git mcp releases shell")
	for _, name := range pack.Shipped() {
		parsed, err := pack.Parse(t.Context(), name, shippedText(t, name))
		if err != nil {
			t.Fatalf("%s: got %v, want no error", name, err)
		}
		if parsed.Name != name || len(parsed.Items) == 0 {
			t.Errorf("%s: name %q, %d items", name, parsed.Name, len(parsed.Items))
		}
	}
	for _, name := range []string{"nothing", "../core", ""} {
		_, err := pack.ShippedText(name)
		golden.Contains(t, name+": the hint", toolstest.ErrorWithCode(t, err, apperr.NotFound).Hint,
			"chrystallum, core")
	}
}

// TestShippedPack_ThresholdsOfR1_BelongToItsTable: the README exports the thresholds of R1, which the pack's table
// reads.
func TestShippedPack_ThresholdsOfR1_BelongToItsTable(t *testing.T) {
	parsed := graphtest.Must(pack.Parse(t.Context(), "releases", shippedText(t, "releases")))(t)
	belong := map[string]bool{}
	for _, item := range parsed.Items {
		if item.Properties["decision_table"] == "R1_DETERMINE_release_readiness" {
			belong[item.Key] = true
		}
	}
	for _, name := range []string{"error_budget_left_min", "flaky_test_rate_max", "rollout_percent_first"} {
		if !belong[name] {
			t.Errorf("`env --table R1` would not give %s", name)
		}
	}
}

// FuzzParsePack: parsing never panics, every error has a position, and accepted packs parse to the same result again.
func FuzzParsePack(f *testing.F) {
	for _, name := range pack.Shipped() {
		f.Add(shippedText(f, name))
	}
	broken, _ := filepath.Glob("testdata/broken/*.yaml")
	for _, path := range broken {
		text := graphtest.Must(os.ReadFile(path))(f)
		f.Add(string(text))
	}
	f.Add("pack: a\nversion: 1.0.0\npolicies:\n- &x {name: b, scope: [c], n: [1, 2.5], t: !!timestamp 2024-01-01}\n- <<: *x\n  name: d\n")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := pack.Parse(t.Context(), "fuzz.yaml", text)
		if err != nil {
			if got := toolstest.ErrorWithCode(t, err, apperr.Validation); !strings.HasPrefix(got.Message,
				"fuzz.yaml:") {
				t.Fatalf("without a place: %s", got.Message)
			}
			return
		}
		second := graphtest.Must(pack.Parse(t.Context(), "fuzz.yaml", text))(t)
		if a, b := contents(first), contents(second); a != b {
			t.Fatalf("read differently:\n%s\n%s", a, b)
		}
	})
}

// parse is pack.Parse. A panic fails only this test.
func parse(t *testing.T, name, text string) (parsed pack.Pack, err error) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("ParsePack panics: %v", p)
		}
	}()
	return pack.Parse(t.Context(), name, text)
}

func itemOf(t *testing.T, parsed pack.Pack, key string) pack.Item {
	t.Helper()
	for _, item := range parsed.Items {
		if item.Key == key {
			return item
		}
	}
	t.Fatalf("the pack has no %s", key)
	return pack.Item{}
}

// contents returns the content of a pack without fields that exist only in Go.
func contents(parsed pack.Pack) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q %s\n", parsed.Name, parsed.Version, parsed.Description, parsed.Checksum)
	for _, item := range parsed.Items {
		links := []string{}
		for _, link := range item.Links {
			links = append(links, link.Type+" "+link.Key)
		}
		fmt.Fprintf(&b, "%s %s\n", item.Key, policies.Version(item.Properties, links))
	}
	return b.String()
}

func shippedText(t testing.TB, name string) string {
	t.Helper()
	text := graphtest.Must(pack.ShippedText(name))(t)
	return text
}
