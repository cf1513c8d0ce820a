package readonly_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/cypher/readonly"
	"nomograph/graph/graphtest"
)

const typical = `MATCH (a:Agent {name: $agent})-[:MADE]->(d:Decision)
WHERE d.stakes = 'high' AND d.confidence > 0.5 // only the risky ones
OPTIONAL MATCH (d)-[:TAGGED]->(t:Tag)
RETURN d.id AS id, collect(t.name) AS tags ORDER BY id LIMIT $n`

var typicalParams = map[string]any{"agent": "ada", "n": int64(20)}

func BenchmarkTypical(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		graphtest.OK(b, readonly.Check(typical, typicalParams))
	}
}

// shapes are queries of any length, valid and hostile.
var shapes = map[string]func(size int) string{
	"returns": func(n int) string { return "RETURN 1 AS x" + fill(", n.name = 'x' AND m.v > 3 AS y", n) },
	"clauses": func(n int) string {
		return fill("MATCH (n:A {x: 1})-[:R]->(m) WHERE n.x > $p WITH n ", n) + "RETURN n"
	},
	"union": func(n int) string { return "RETURN 1 AS x" + fill(" UNION RETURN 1 AS x", n) },
	"brackets": func(n int) string {
		return strings.Repeat("RETURN ", 1) + fill("(((((((((1))))))))) + ", n) + "1"
	},
	"open":     func(n int) string { return "RETURN " + fill("(", n) },
	"quotes":   func(n int) string { return "WITH 1 AS a RETURN ['x'" + fill(", '', \"'\", `a`", n) + "]" },
	"escapes":  func(n int) string { return "RETURN '" + fill(`\\\'`, n) + "'" },
	"comments": func(n int) string { return fill("/**/ // '\n", n) + "RETURN 1" },
	"stars":    func(n int) string { return "/*" + fill("* /", n) + "*/ RETURN 1" },
	"labels":   func(n int) string { return "MATCH (n:A" + fill("|B", n) + ") RETURN n" },
	"barred":   func(n int) string { return "RETURN [x IN l WHERE x:A" + fill("|B", n) + " | 1]" },
	"comprehension": func(n int) string {
		return "RETURN " + fill("[x IN [1] | [y IN [x] | [z IN [y] | z]]], ", n) + "1"
	},
	"reduces": func(n int) string {
		return "RETURN " + fill("reduce(a = 0, x IN [1] | a + reduce(b = 0, y IN [1] | b + y)), ", n) + "1"
	},
	"not":        func(n int) string { return "RETURN " + fill("NOT ", n) + "true" },
	"minus":      func(n int) string { return "RETURN " + fill("- ", n) + "1" },
	"case":       func(n int) string { return "RETURN " + fill("CASE WHEN ", n) },
	"names":      func(n int) string { return "WITH 1 AS a" + numbered(", a AS a%d", n) + " RETURN a" },
	"parameters": func(n int) string { return "RETURN 1" + numbered(", $p%d", n) },
	"stars in with": func(n int) string {
		return "CALL { WITH 1 AS a " + numbered("WITH *, 1 AS a%d ", n) + "RETURN * } RETURN 1"
	},
	"returned": func(n int) string {
		return "CALL { WITH 1 AS x RETURN 1 AS x" + fill(" UNION WITH 1 AS x RETURN *", n) + " } RETURN x"
	},
	"properties": func(n int) string { return "RETURN a" + fill(".b", n) },
	"unicode":    func(n int) string { return "RETURN '" + fill("é中", n) + "' AS é" },
	"word":       func(n int) string { return "RETURN " + fill("a", n) },
	"number":     func(n int) string { return "RETURN " + fill("1", n) },
	"semicolons": func(n int) string { return "RETURN 1" + fill(";", n) },
	"regex":      func(n int) string { return "RETURN 'x' =~ '" + fill("(a)", n) + "'" },
}

func fill(s string, size int) string { return strings.Repeat(s, max(1, size/len(s))) }

func numbered(format string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func BenchmarkLength(b *testing.B) {
	for _, name := range []string{"returns", "clauses", "quotes", "comments", "brackets", "reduces"} {
		for _, size := range []int{1_000, 10_000, 99_000} {
			query := shapes[name](size - 100)
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(len(query)))
				for b.Loop() {
					readonly.Check(query, nil)
				}
			})
		}
	}
}
