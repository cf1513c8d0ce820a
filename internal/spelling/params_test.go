package spelling_test

import (
	"encoding/json"
	"fmt"
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
		golden.Equal(t, row[2]+": paths", strings.Join(paths, " "), strings.NewReplacer("_", " ", "-", "").
			Replace(row[0]))
		golden.Equal(t, row[2]+": commands", strings.Join(commands, "|"), row[1])
	}
}

func TestPathLike_AnySpelling_MatchesThePattern(t *testing.T) {
	for pattern, tt := range map[string]struct{ yes, no []string }{
		"/prod/*": {[]string{"/prod/x", "/prod", " /prod/x", "//prod///x", "/./prod/x", "/srv/../prod/x",
			"file:///prod/x", "/PROD/x", `\prod\x`, "%2Fprod%2Fx", "../x", "$X/y", "prod/x", "sftp://h/prod/x",
			"h1:/prod/x", "/tmp\n/prod/x"},
			[]string{"/production/x", "/tmp/prod/x", "/prod/../tmp/x", "x", "https://h/prod/x", ""}},
		"*.env": {[]string{".env", "/srv/.env", "a/.ENV", "/srv/x%2eenv", "/srv/*", "~/.env"},
			[]string{".env.example", "/env", "env"}},
		"/srv/*/prod/*.sql": {[]string{"/srv/a/prod/x.sql", "/srv/a/b/prod//c/x.SQL", "/srv/*/x.sql",
			"/srv/a/tmp/../prod/x.sql"}, []string{"/srv/prod/x.sql", "/srv/a/prod/x.txt"}},
		"*/.ssh/*": {[]string{"~/.ssh/id", "/home/ana/.ssh/id", "$HOME/.ssh/id", `C:\Users\ana\.ssh\id`},
			[]string{"~/ssh/id"}},
		"/etc/passwd": {[]string{"/etc/passwd", "/etc//passwd", "/etc/x/../passwd", "FILE:/etc/passwd",
			"/etc/pass*"}, []string{"/etc/passwd.bak", "/etc"}},
		"https://*.internal/*":   {[]string{"https://a.internal/x"}, []string{"https://a.example/x"}},
		"*":                      {[]string{"x", "/"}, nil},
		"/home/*/work/secrets/*": {[]string{"~/work/secrets/x", "/home/ana/work/secrets/x"}, []string{"~/work/x"}},
	} {
		for want, texts := range map[bool][]string{true: tt.yes, false: tt.no} {
			for _, text := range texts {
				golden.Equal(t, fmt.Sprint(text, " like ", pattern), spelling.PathLike(text, pattern), want)
			}
		}
	}
	for text, want := range map[string]bool{"/work/a": true, "/work/a/b/": true, "/work": false, "/work/../etc": false,
		"//work/a": false, " /work/a": false, "/WORK/a": false, "/work/%2e%2e/x": false, "/work/./a": true, "": false,
		"/work/$X": false} {
		golden.Equal(t, text+" is surely like", spelling.PathSurelyLike(text, "/work/*"), want)
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
		golden.Equal(t, text+" is surely like", spelling.CommandSurelyLike(text,
			[]string{"git status*", "make && make test"}), want)
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
