package shell_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/hooks/shell"
)

// nestedCalls returns commands with code of n nested or chained calls, by kind of nesting.
var nestedCalls = map[string]func(n int) string{
	"functions without a name": func(n int) string {
		return "node - <<'EOF'\natob('x')\n" + strings.Repeat("x=>", n) + "\nEOF"
	},
	"calls of one function": func(n int) string {
		return "python3 - <<'EOF'\nb64decode('x')\ndef f(a): pass\n" + strings.Repeat("f(", n) + "\nEOF"
	},
	"calls of four functions": func(n int) string {
		return "python3 - <<'EOF'\nb64decode('x')\ndef f(a): pass\ndef g(a): pass\ndef h(a): pass\ndef i(a): pass\n" +
			strings.Repeat("f(g(h(i(", n/4) + "1" + strings.Repeat("))))", n/4) + "\nEOF"
	},
	"parentheses of PowerShell": func(n int) string {
		return "pwsh -c 'A" + strings.Repeat("(", 8*n) + strings.Repeat(")", 8*n) + "'"
	},
	"an argument of Tcl": func(n int) string {
		return "tclsh - " + strings.Repeat("a", 5*n) + " <<'EOF'\n" + strings.Repeat("[lindex $argv 0]", n/4) + "\nEOF"
	},
	"words of a variable": func(n int) string { return "x='" + strings.Repeat("a ", 8*n) + "'; echo $x" },
	"one statement": func(n int) string {
		var b strings.Builder
		for i := range n / 4 {
			fmt.Fprintf(&b, "a%d=b=>b.map(c=>c+%d),", i%100, i%100)
		}
		return "node -e \"const k=atob(process.argv[1]);" + b.String() + "z=1\""
	},
	"texts in calls": func(n int) string {
		return "python3 - <<'EOF'\nimport base64\nd=base64.b64decode('x')\ndef get(a, b):\n    return a\n" +
			strings.Repeat("print(get(get(1, 2), 'abc'))\n", n/4) + "EOF"
	},
}

// Each nested call was once read to the end of the code, so that 9 kB took a minute.
func TestParse_CodeTwiceAsLong_TakesTwiceTheWork(t *testing.T) {
	allocated := func(command string) uint64 {
		least := uint64(math.MaxUint64)
		for range 3 { // a collection of garbage empties pools, which then allocate again
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			e := shell.Parse(command, "/w")
			runtime.ReadMemStats(&after)
			if slices.Contains(e.Unresolved, shell.TooComplex) {
				t.Errorf("%.60q with %d bytes: got too complex, want it evaluated", command, len(command))
			}
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		return least
	}
	for name, code := range nestedCalls {
		allocated(code(100)) // compiles the patterns
		if once, twice := allocated(code(1000)), allocated(code(2000)); twice > 3*once {
			t.Errorf("%s: %d bytes of code allocate %d, and %d allocate %d", name, len(code(1000)), once,
				len(code(2000)), twice)
		}
	}
}

func TestParse_NestedCalls_TakeSeconds(t *testing.T) {
	started := time.Now()
	for _, code := range nestedCalls {
		shell.Parse(code(3000), "/w")
	}
	if took := time.Since(started); took > time.Minute {
		t.Errorf("took %v, want at most 1m", took)
	}
}

func TestParse_LongOrdinaryCode_IsReadCompletely(t *testing.T) {
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "total_%d = compute(%d) + 1\n", i, i)
	}
	if e := shell.Parse("python3 - <<'EOF'\n"+lines.String()+"EOF", "/w"); lines.Len() < 20_000 ||
		len(e.Unresolved)+len(e.Flows) > 0 {
		t.Errorf("%d bytes: unresolved %v, flows %v, want none", lines.Len(), e.Unresolved, e.Flows)
	}
	if e := shell.Parse("python3 - <<'EOF'\n"+lines.String()+"import os\nos.system('rm -rf ~')\nEOF",
		"/w"); !slices.Contains(e.Deletes, "~") {
		t.Errorf("deletes are %v, want ~", e.Deletes)
	}
}

// TestParse_DeepestNesting_TakesLittleWork: parsing 65,536 parentheses once took three seconds, and as many braces a
// minute.
func TestParse_DeepestNesting_TakesLittleWork(t *testing.T) {
	for _, opening := range []string{"(", "((", "$(", "<(", "a=(", "{ ", "${a:-", "f(){ ", "{a,"} {
		command := strings.Repeat(opening, shell.MaxCommand/len(opening))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		e := shell.Parse(command, "/w")
		runtime.ReadMemStats(&after)
		if grown := after.Mallocs - before.Mallocs; grown > 20_000 {
			t.Errorf("%q: %d allocations, want at most 20000", opening, grown)
		}
		if !slices.Contains(e.Unresolved, shell.TooComplex) {
			t.Errorf("%q: unresolved are %v, want too complex", opening, e.Unresolved)
		}
	}
}
