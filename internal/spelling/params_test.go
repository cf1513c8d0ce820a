package spelling_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"nomograph/internal/golden"
	"nomograph/internal/spelling"
)

func TestNamed_AnySpellingOfAKey_GivesPathsAndCommands(t *testing.T) {
	for _, row := range golden.Columns(t, "testdata/params.txt", 3) {
		var params map[string]any
		if err := json.Unmarshal([]byte(row[2]), &params); err != nil {
			t.Fatal(row[2], err)
		}
		paths, commands := spelling.Named(params)
		if got := strings.Join(paths, " "); got != strings.NewReplacer("_", " ", "-", "").Replace(row[0]) {
			t.Errorf("%s: got paths %q, want %q", row[2], got, row[0])
		}
		if got := strings.Join(commands, "|"); got != row[1] {
			t.Errorf("%s: got commands %q, want %q", row[2], got, row[1])
		}
	}
}

func TestPathLike_AnySpelling_MatchesThePattern(t *testing.T) {
	for _, row := range golden.Rows(t, "testdata/pathlike.txt") {
		if pattern, text := row[0], unquoted(row[2]); spelling.PathLike(text, pattern) != (row[1] == "yes") {
			t.Errorf("%q like %q: got %v, want %s", text, pattern, row[1] != "yes", row[1])
		}
	}
	for text, want := range map[string]bool{"/work/a": true, "/work/a/b/": true, "/work": false, "/work/../etc": false,
		"//work/a": false, " /work/a": false, "/WORK/a": false, "/work/%2e%2e/x": false, "/work/./a": true, "": false,
		"/work/$X": false} {
		if got := spelling.PathSurelyLike(text, "/work/*"); got != want {
			t.Errorf("%q is surely like: got %v, want got=%v", text, got, want)
		}
	}
}

func TestCommandLike_AnySpelling_MatchesThePattern(t *testing.T) {
	for _, text := range []string{"rm -rf /", "rm  -rf   /", " RM -rf /", "rm\t-rf /", "sudo rm -rf /", "/bin/rm -rf /",
		"cd / && rm -rf .", `bash -c "rm -rf /"`, "env A=b sudo -E rm -rf /", "x; rm -rf /", "x | xargs rm -rf /",
		`r\m -rf /`, `"rm" -rf /`, "$(rm -rf /)",
		"ｒｍ -rf /", "r\u200bm -rf /", "x\nrm -rf /", "nohup rm -rf / &", "timeout 5 rm -rf /",
		strings.Repeat("env ", 30) + "x"} {
		if !spelling.CommandLike(text, "rm  -rf *") {
			t.Errorf("%q passes", text)
		}
	}
	for _, text := range []string{"rm x", "echo rm", "grep -r rm -rf", "", "farm -rf /"} {
		if spelling.CommandLike(text, "rm -rf *") {
			t.Errorf("%q is denied", text)
		}
	}
	for text, want := range map[string]bool{"git status": true, "git  status -s": true, "git status; rm -rf /": false,
		"git status && git status -s": true, "git status `rm x`": false, "git status $(x)": false,
		"git status > /etc/x": false, "git push": false, "": false,
		"make && make test": true, "make": false, "Git status": false} {
		if got := spelling.CommandSurelyLike(text, []string{"git status*", "make && make test"}); got != want {
			t.Errorf("%q is surely like: got %v, want got=%v", text, got, want)
		}
	}
}

// FuzzNamed checks that no parameters cause a panic, that results are texts of the parameters, and that values under
// a content key are ignored.
func FuzzNamed(f *testing.F) {
	for _, text := range []string{`{"path": "/prod/x"}`, `{"a": [{"cmd": ["rm", "-rf"]}], "args": "x"}`,
		`{"x": "{\"y\": \"[1]\"}"}`, `{"": "", "Ünïcode Päth": ["~"]}`, `{"command": "x", "args": [1]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var params map[string]any
		if json.Unmarshal([]byte(text), &params) != nil {
			return
		}
		paths, commands := spelling.Named(params)
		again, commandsAgain := spelling.Named(params)
		if !slices.Equal(paths, again) || !slices.Equal(commands, commandsAgain) {
			t.Fatalf("got two answers: %q and %q", paths, again)
		}
		if p, c := spelling.Named(map[string]any{"content": params, "message": []any{params}}); len(p)+len(c) > 0 {
			t.Fatalf("contents count: %q %q", p, c)
		}
		deep, deepCommands := spelling.Named(map[string]any{"x": []any{params}})
		if !slices.Equal(paths, deep) || !slices.Equal(commands, deepCommands) {
			t.Fatalf("the depth changes the result: %q and %q", paths, deep)
		}
	})
}

// FuzzLike: a certain match is also a possible match, and repeated blanks and slashes do not change a denial.
func FuzzLike(f *testing.F) {
	for _, text := range []string{"/prod/x", "rm -rf /", "git status; x", "a/*/b", "~/x", "\x00", "{a,b}",
		"env x=y z"} {
		f.Add(text, "/prod/*")
		f.Add("/prod/x", text)
		f.Add(text, "rm *")
	}
	f.Fuzz(func(t *testing.T, text, pattern string) {
		if strings.TrimSpace(pattern) == "" {
			return
		}
		if spelling.PathSurelyLike(text, pattern) && !spelling.PathLike(text, pattern) {
			t.Fatalf("the path %q is surely like %q, and may not be", text, pattern)
		}
		if !spelling.CommandLike(text, pattern) && spelling.CommandSurelyLike(text, []string{pattern}) {
			t.Fatalf("the command %q is surely like %q, and may not be", text, pattern)
		}
		if spelling.CommandLike(text, pattern) != spelling.CommandLike(strings.ReplaceAll(text, " ", "   "), pattern) {
			t.Fatalf("blanks in %q make a difference for %q", text, pattern)
		}
		if spelling.Glob(pattern, text) && !spelling.Overlap(pattern, text) && !strings.Contains(text, "*") {
			t.Fatalf("%q means %q, and they have nothing in common", pattern, text)
		}
	})
}

func TestOverlap_Selectors_AreCompared(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"a", "a", true}, {"a", "b", false}, {"a*", "*b", true}, {"file.*", "*.delete", true}, {"file.*", "db.*", false},
		{"*", "", true}, {"a*c", "ab", false}, {"*a*", "*b*", true},
		{strings.Repeat("*a", 100), strings.Repeat("*b", 100), false}} {
		if got := spelling.Overlap(c.a, c.b); got != c.want || got != spelling.Overlap(c.b, c.a) {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
