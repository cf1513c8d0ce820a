package readonly_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"nomograph/cypher/readonly"
	"nomograph/internal/golden"
)

// This scan is independent of the guard's lexer and parser. It removes strings, quoted names and comments with one
// regular expression. Then it searches for the first words of writing clauses where they cannot be names: at the
// beginning, after a closing bracket, after a number, or after a word that is not an operator.
var (
	quotedPart = regexp.MustCompile("(?s)'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|`(?:[^`]|``)*`|//[^\n]*|/\\*.*?\\*/")
	writeWord  = regexp.MustCompile(`(?i)(?:^|[)}\]'"0-9]\s*|\b(\w+)\s+)(CREATE|MERGE|SET|DELETE|REMOVE|DETACH|INSERT|FOREACH|LOAD|DROP|ALTER|GRANT|DENY|REVOKE)\s+(?:[a-z(:]|$)`)
	calledName = regexp.MustCompile(`(?i)\b((?:\w+\s*\.\s*)*\w+)\s*\(`)
)

// beforeName lists the words that precede a name, so that the next word is not a clause.
var beforeName = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`AS IN WITH RETURN UNWIND WHERE AND OR XOR NOT BY CALL YIELD DISTINCT WHEN THEN ELSE CASE CONTAINS
		SKIP LIMIT OFFSET IS ON SCAN SEEK INDEX MATCH ALL ANY TYPED FROM BOTH LEADING TRAILING`) {
		beforeName[w] = true
	}
}

func suspicious(query string) string {
	bare := quotedPart.ReplaceAllStringFunc(query, func(s string) string {
		if s[0] == '/' {
			return " "
		}
		return "'"
	})
	for _, m := range writeWord.FindAllStringSubmatch(bare, -1) {
		if m[1] == "" || !beforeName[strings.ToUpper(m[1])] {
			return m[0]
		}
	}
	for _, m := range calledName.FindAllStringSubmatch(bare, -1) {
		name := strings.ToLower(strings.Join(strings.Fields(m[1]), ""))
		for _, bad := range []string{"apoc.", "gds.", "dbms.", "tx.", "file", "linenumber", "db.create", "db.stats",
			"graph."} {
			if (name == bad || strings.HasSuffix(bad, ".") && strings.HasPrefix(name, bad)) &&
				name != "dbms.components" {
				return m[0]
			}
		}
	}
	return ""
}

func FuzzCheck(f *testing.F) {
	for _, folder := range []string{"reads", "attacks"} {
		for _, e := range corpus(f, folder) {
			f.Add(e.query)
		}
	}
	f.Fuzz(func(t *testing.T, query string) {
		params := map[string]any{"n": int64(10), "q": "x", "list": []any{int64(1), "a"}}
		begin := time.Now()
		err := readonly.Check(query, params)
		if took := time.Since(begin); took > 20*time.Second+time.Duration(len(query))*10*time.Microsecond {
			t.Errorf("took %v for %d bytes, want at most 20s plus 10µs per byte", took, len(query))
		}
		again := readonly.Check(query, params)
		if (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Errorf("two answers: %v, %v", err, again)
		}
		if err == nil {
			golden.Equal(t, "accepted: "+query, suspicious(query), "")
			return
		}
		r, ok := err.(*readonly.Refusal)
		if !ok || r.Reason == "" || r.Line < 1 || r.Column < 1 || r.Offset < 0 || r.Offset > len(query) ||
			!utf8.ValidString(r.Error()) {
			t.Errorf("a poor refusal: %#v", err)
		}
	})
}

func TestCheck_Reads_AreNotSuspicious(t *testing.T) {
	for _, e := range corpus(t, "reads") {
		if s := suspicious(e.query); s != "" && readonly.Check(e.query, e.params) == nil {
			t.Errorf("%s: the second scan is wrong about %q\n%s", e.name, s, e.query)
		}
	}
}

// piece matches parts of a query between which blanks and comments are allowed.
var piece = regexp.MustCompile("(?s)'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|`(?:[^`]|``)*`|//[^\n]*\n?|/\\*.*?\\*/|[\\pL\\pN\\pM_]+(?:\\.\\pN[\\pL\\pN_-]*)?|\\s+|<>|<=|>=|=~|\\.\\.|\\|\\||::|.")

// TestCheck_BlanksAndCase_DoNotMatter inserts blanks and comments into the queries of the corpora and changes their
// case.
func TestCheck_BlanksAndCase_DoNotMatter(t *testing.T) {
	reads, attacks := corpus(t, "reads"), corpus(t, "attacks")
	word := regexp.MustCompile(`^(?i:MATCH|RETURN|WHERE|WITH|UNWIND|CREATE|MERGE|SET|DELETE|REMOVE|LOAD|CALL|AND|OR|AS|LIMIT|UNION|ORDER|BY)$`)
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(reads).Draw(t, "read")
		honest := rapid.Bool().Draw(t, "honest")
		if !honest {
			e = rapid.SampledFrom(attacks).Draw(t, "attack")
		}
		if strings.Contains(e.query, `\u`) || !utf8.ValidString(e.query) {
			return
		}
		var b strings.Builder
		named := false
		for _, s := range piece.FindAllString(e.query, -1) {
			if word.MatchString(s) && !named && rapid.Bool().Draw(t, "case") {
				s = strings.ToLower(s)
			}
			named = s == "." || s == ":" || s == "$"
			b.WriteString(s)
			if strings.HasPrefix(s, "//") && !strings.HasSuffix(s, "\n") {
				b.WriteByte('\n')
			}
			if s == "/" {
				b.WriteByte(' ') // otherwise the next character could complete a comment
			}
			if s != "." && !named {
				b.WriteString(rapid.SampledFrom([]string{"", "", " ", "\n", "\t", "/**/", "/* SET */", "// ' DELETE\n",
					"\u00a0", "\u2003"}).Draw(t, "blank"))
			}
		}
		changed := b.String()
		if honest && regexp.MustCompile(`\d(\.\d|[eE][-+])|\.\d`).MatchString(e.query) {
			return // a blank inside a number changes it
		}
		if err := readonly.Check(changed, e.params); (err == nil) != honest {
			t.Fatalf("%s: %v\n%s", e.name, err, changed)
		}
	})
}
