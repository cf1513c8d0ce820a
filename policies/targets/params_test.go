package targets_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/internal/normalize"
	"nomograph/policies/targets"
)

func TestNamed_AnySpellingOfAKey_GivesPathsAndCommands(t *testing.T) {
	for _, row := range golden.Columns(t, "testdata/params.txt", 3) {
		var params map[string]any
		if err := json.Unmarshal([]byte(row[2]), &params); err != nil {
			t.Fatal(row[2], err)
		}
		paths, commands := targets.Named(params)
		graphtest.Equal(t, strings.Join(paths, " "), strings.NewReplacer("_", " ", "-", "").Replace(row[0]), row[2],
			"paths", row[0])
		graphtest.Equal(t, strings.Join(commands, "|"), row[1], row[2], "commands")
	}
}

func TestPathLike_AnySpelling_MatchesThePattern(t *testing.T) {
	for _, row := range golden.Columns(t, "testdata/paths.txt", 3) {
		text := strings.NewReplacer("␣", " ", "⏎", "\n", "∅", "").Replace(row[2])
		switch row[1] {
		case "like", "unlike":
			graphtest.Equal(t, targets.PathLike(text, row[0]), row[1] == "like", row)
		default:
			graphtest.Equal(t, targets.PathSurelyLike(text, row[0]), row[1] == "surely", row)
		}
	}
}

func TestCommandLike_AnySpelling_MatchesThePattern(t *testing.T) {
	for _, text := range []string{"rm -rf /", "rm  -rf   /", " RM -rf /", "rm\t-rf /", "sudo rm -rf /", "/bin/rm -rf /",
		"cd / && rm -rf .", `bash -c "rm -rf /"`, "env A=b sudo -E rm -rf /", "x; rm -rf /", "x | xargs rm -rf /",
		`r\m -rf /`, `"rm" -rf /`, "$(rm -rf /)",
		"ｒｍ -rf /", "r\u200bm -rf /", "x\nrm -rf /", "nohup rm -rf / &", "timeout 5 rm -rf /",
		strings.Repeat("env ", 30) + "x"} {
		if !targets.CommandLike(text, "rm  -rf *") {
			t.Errorf("%q passes", text)
		}
	}
	for _, text := range []string{"rm x", "echo rm", "grep -r rm -rf", "", "farm -rf /"} {
		if targets.CommandLike(text, "rm -rf *") {
			t.Errorf("%q is denied", text)
		}
	}
	for text, want := range map[string]bool{"git status": true, "git  status -s": true, "git status; rm -rf /": false,
		"git status && git status -s": true, "git status `rm x`": false, "git status $(x)": false,
		"git status > /etc/x": false, "git push": false, "": false,
		"make && make test": true, "make": false, "Git status": false} {
		graphtest.Equal(t, targets.CommandSurelyLike(text, []string{"git status*", "make && make test"}), want, text,
			"is surely like")
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
		paths, commands := targets.Named(params)
		again, commandsAgain := targets.Named(params)
		if !slices.Equal(paths, again) || !slices.Equal(commands, commandsAgain) {
			t.Fatalf("got two answers: %q and %q", paths, again)
		}
		if p, c := targets.Named(map[string]any{"content": params, "message": []any{params}}); len(p)+len(c) > 0 {
			t.Fatalf("contents count: %q %q", p, c)
		}
		deep, deepCommands := targets.Named(map[string]any{"x": []any{params}})
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
		if targets.PathSurelyLike(text, pattern) && !targets.PathLike(text, pattern) {
			t.Fatalf("the path %q is surely like %q, and may not be", text, pattern)
		}
		if !targets.CommandLike(text, pattern) && targets.CommandSurelyLike(text, []string{pattern}) {
			t.Fatalf("the command %q is surely like %q, and may not be", text, pattern)
		}
		if targets.CommandLike(text, pattern) != targets.CommandLike(strings.ReplaceAll(text, " ", "   "), pattern) {
			t.Fatalf("blanks in %q make a difference for %q", text, pattern)
		}
		if normalize.Glob(pattern, text) && !normalize.Overlap(pattern, text) && !strings.Contains(text, "*") {
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
		got := normalize.Overlap(c.a, c.b)
		graphtest.Values(t, c.a, got, c.want, got, normalize.Overlap(c.b, c.a))
	}
}
