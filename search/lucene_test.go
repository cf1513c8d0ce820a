package search

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"nomograph/internal/golden"
)

func nasty() []string {
	return []string{"", " \n", "the and of", "!!! ???", "🎉🎉", `"`, `\`, "a\\", "(((", "a AND", "NOT", "OR OR", "*",
		"a* b?", "x~2 y^", "[a TO", "{a TO b}", "+", "-", "&&", "||",
		"facets:x", "decision:(", "/regex[/", "\x00\x01\u202e", "\xff\xfe", "日本語の決定", "é́́", "a'b''c", "'", "...", "_",
		"a._.b", "don’t", "\u200b", "ﬁ", "İ", "AND OR NOT TO",
		strings.Repeat("x", 40_000), strings.Repeat("é ", 40_000), strings.Repeat("(", 10_000)}
}

func TestTerms_Text_IsSplitIntoWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Use the Postgres, use it!":    {"use", "postgres"},
		"node.js & snake_case don't.":  {"node.js", "node", "js", "snake_case", "snake", "case", "don't", "don", "t"},
		"The contract's code":          {"contract", "code"},
		"a AND (b OR c) NOT d":         {"b", "c", "d"},
		"the of and":                   nil,
		"facets:x^2 \"y z\"~3 [q TO r": {"facets", "x", "2", "y", "z", "3", "q", "r"},
	} {
		got := []string(nil)
		for _, term := range terms(text) {
			got = append(got, term.word)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	golden.Equal(t, "terms", len(terms(strings.Join(strings.Fields(strings.Repeat("ab cd ef gh ", 3)), "")+" "+
		manyWords(500))), maxTerms)
}

func TestLuceneQueryLacking_MissingWords_SplitIntoGroups(t *testing.T) {
	for _, test := range []struct {
		missing    int
		text, want string
	}{
		{0, "Use the cache", "+(decision:(use)) +(decision:(cache))"},
		{1, "Keep orders in one queue", "+(decision:(keep orders)) +(decision:(one queue))"},
		{1, "Keep all orders in one queue", "+(decision:(keep all)) +(decision:(orders one queue))"},
		{3, "Keep orders", "+(decision:(keep orders))"},
		{0, "Use node.js", "+(decision:(use))"},
		{0, "node.js", "+(decision:(node.js node js))"},
		{0, "the of and", ""},
	} {
		golden.Equal(t, fmt.Sprint(test.text, " without ", test.missing),
			LuceneQueryLacking(test.missing, test.text, "decision"), test.want)
	}
}

func TestFullText_Terms_GiveALuceneQuery(t *testing.T) {
	want := `+(decision:(go went^1.41 home) context:(go went^1.41 home) terms:(go went^1.41 home)) +facets:(tag0)^0`
	golden.Equal(t, "full text", fullText(terms("Go! Went, went home"), "+facets:(tag0)^0", ofDecisions.fields...),
		want)
}

func manyWords(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(" w")
		b.WriteString(strings.Repeat("x", i%50))
		b.WriteString(time.Duration(i).String())
	}
	return b.String()
}

func TestFacet_Values_GiveDistinctTokens(t *testing.T) {
	word := regexp.MustCompile(`^[a-z]+[0-9a-f]*[0-9]$`)
	for _, kind := range []string{"category", "stakes", "status", "project", "agent", "tag", "feature", "pr", "pattern",
		"outcome", "has_outcome", "visibility"} {
		for _, value := range []string{"", "architecture", "owner/repo", "12", "a b", "ü\x00"} {
			if token := Facet(kind, value); !word.MatchString(token) {
				t.Errorf("%s %q: got %q, want word.MatchString(token)=true", kind, value, token)
			}
		}
	}
	if Facet("tag", "A ") != Facet("tag", "a") || Facet("tag", "a") == Facet("tag", "b") ||
		Facet("tag", "a") == Facet("agent", "a") {
		t.Error("facets do not tell values apart as they should")
	}
	at := time.Date(2026, 11, 1, 0, 30, 0, 0, time.FixedZone("", 3600))
	for got, want := range map[string]string{MonthFacet(at): "month202610", Facet("month", "2026-10"): "month202610",
		ConfidenceFacet(1):    "confidence10",
		ConfidenceFacet(0.09): "confidence00", ConfidenceFacet(0.7): "confidence07",
		MonthFacet(time.Time{}): "month000101"} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// FuzzFullText checks that Lucene's parser accepts the query for any input: our own clauses around words of letters,
// digits, marks and joiners.
func FuzzFullText(f *testing.F) {
	for _, text := range nasty() {
		f.Add(text)
	}
	word := regexp.MustCompile(`^[\p{L}\p{M}\p{Nd}]([\p{L}\p{M}\p{Nd}._'’]*[\p{L}\p{M}\p{Nd}])?$`)
	f.Fuzz(func(t *testing.T, text string) {
		words := terms(text)
		if len(words) > maxTerms {
			t.Fatalf("%d terms", len(words))
		}
		for _, term := range words {
			w := term.word
			if !word.MatchString(w) || !utf8.ValidString(w) || slices.Contains([]string{"AND", "OR", "NOT", "TO"}, w) {
				t.Fatalf("the term %q", w)
			}
		}
		if query := fullText(words, "", ofDecisions.fields...); strings.Count(query, "(") != 4 ||
			strings.Count(query, ")") != 4 {
			t.Fatalf(`got %q, want strings.Count(query, "(")=4, strings.Count(query, ")")=4`, query)
		}
	})
}
