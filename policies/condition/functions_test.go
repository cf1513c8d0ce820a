package condition_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/condition"
)

// params returns facts with one parameter x.
func params(x any) condition.Facts {
	return condition.Facts{Action: &condition.Action{Params: map[string]any{"x": x}}}
}

func TestFactFunctions_AnySpelling_ReadTheSame(t *testing.T) {
	list := func(items ...any) []any { return items }
	forcedToMain := `git.branch(action.params.?x).exists(b, b in ["Main", "refs/heads/master", "HEAD", "*"])`
	inProd, onlyWork := `path.within(action.params.?x, "/Prod/")`, `path.onlyWithin(action.params.?x, "/work")`
	tests := map[string]struct{ yes, no []any }{
		forcedToMain: {
			yes: list("main", "MAIN", " main ", "refs/heads/main", "refs/heads/MAIN", "heads/main",
				"refs//heads/./main", `refs\heads\main`, "HEAD:main", "HEAD:refs/heads/main", "+main", "+HEAD:main",
				":main", "feature:main", "'main'", `"main"`, "main,feature", "feature main", "ｍａｉｎ", "ma\u200bin",
				"refs%2Fheads%2Fmain", "%6d%61%69%6e", "%256dain", "origin/main", "refs/remotes/up/main", "a:b:main",
				"HEAD", "@", "main~0", "main@{0}", "{feature,main}", "refs/heads/*", "*", "+refs/*:refs/*", ":",
				"main:", "--all", "--mirror", "$BRANCH", "`b`", "", "  ", nil, true, 7.5, map[string]any{"name": "x"},
				list(), list("feature", "main"), list(list("feature"), list("MAIN")), list("push", "--force", "master"),
				list(nil, 3), "^x", strings.Repeat("b ", 300)+"x0 x1 master"),
			no: list("feature", "feature/main", "main/feature", "main:feature", "mainline", "refs/heads/feature",
				"refs/tags/main", "HEAD:feature", list("a", "b"), list("-f", "feature"), "release/main-2"),
		},
		`truthy(action.params.?x)`: {
			yes: list(true, 1, 2.5, -1, "true", "TRUE", " True ", "yes", "Y", "on", "1", "1.0", "ｔｒｕｅ", "t\u200brue",
				list(true), list("yes", 1)),
			no: list(false, 0, 0.0, "false", "FALSE", "no", "off", "0", "0.0", "-0", "", " ", "null", "none", nil,
				list(), list(false, "no"), list(nil)),
		},
		`git.forced(action.params.?x)`: {
			yes: list("+main", ":main", "a +b", list("a", "+b"), "%2Bmain", "＋main", "'+main'", "+HEAD:x"),
			no:  list("main", "a:b", ":", "", nil, list(), "a+b"),
		},
		inProd: {
			yes: list("/prod", "/prod/", "/PROD/x", "//prod//x", "/./prod/x", "/tmp/../prod/x", `\prod\x`, `C:\prod\x`,
				`\\?\C:\Prod\x`, `\\host\c$\prod`, "file:///prod/x", "file:/prod", "FILE://localhost/prod/x",
				"/%70rod/x", "/%2570rod",
				"/tmp/%2e%2e/prod", "..%2f..%2fprod", "../prod", "a/../../x", "~/../prod", "~/../../x", "prod/x",
				"/pro?/x", "/*/x", "/**/x", "/{prod,tmp}/x", "$DIR/x", "/srv/$X/y", "${X}", "`pwd`/x", "/tmp\n/prod/x",
				"/tmp\x00/../prod",
				"/prod./x", "/prod /x", "'/prod/x'", "／prod／x", "/pr\u200bod/x", "/tmp/．．/prod", "/ｐｒｏｄ",
				list("/tmp", "/prod/x"), list(list("/prod")), "%PRODDIR%/x"),
			no: list("/production", "/tmp/prod", "/tmp/x", "/prod/../tmp", "src/main.go", "./...", "x/../y", "~/x",
				"~ana/prod", "file:///tmp/x", "/src/*.go", "/src/Foo$Bar.class", "D:/tmp", "", nil, list(),
				list("/tmp", "a"), "100%", "a%zz"),
		},
		onlyWork: {
			yes: list("/work", "/work/", "/work/a", "/work//a/./b", "/work/*.go", list("/work/a", "/work/b")),
			no: list("/Work/a", "/workshop", "/work/../etc", "/work/a/../b", "/work/%2e%2e/etc", `/work\..\etc`,
				"work/a", "a", "~/work", "/work/$X", "/work/\u200ba", " /work/a", "//work/a", "file:///work/a",
				"/work/a\n/etc", "", nil, list(),
				list("/work/a", "/etc"), "/work/a\xff"),
		},
		`path.within(action.params.?x, "/home/ana/.ssh")`: {
			yes: list("~/.ssh/id", "$HOME/.ssh", "${HOME}/.ssh/id", "~ana/.ssh", "%USERPROFILE%\\.ssh",
				"/home/ana/.SSH/x", ".ssh/id", "ana/.ssh/id"),
			no: list("~/x", "/home/bo/.ssh", "ssh/id"),
		},
		`path.within(action.params.?x, "~/.ssh")`: {
			yes: list("~/.ssh/id", "/home/ana/.ssh/id", "/Users/ana/.ssh", "/root/.ssh/id", ".ssh/id"),
			no:  list("/etc/.ssh", "~/x", "/home/.ssh"),
		},
		`path.within(action.params.?x, "deploy/prod")`: {
			yes: list("deploy/prod/x", "./deploy//prod", "/srv/app/deploy/prod/x", "prod/x", "../x", "~/deploy/prod"),
			no:  list("deploy/stage", "src/deploy", "/srv/deploy"),
		},
		`path.within(action.params.?x, "C:/prod")`: {yes: list(`c:\prod\x`, "/prod/x", "file:///C:/prod/x"),
			no: list(`d:\prod\x`, "c:/tmp")},
		`path.like(action.paths, ["/prod/*", "*.env"])`: {yes: list("/prod/x", " /prod//x",
			map[string]any{"filePath": "prod/x"}, map[string]any{"y": map[string]any{"Path": ".env"}},
			list("a", "file:///prod/x")),
			no: list("prod", "all of /prod/x", map[string]any{"content": "/prod/x"},
				map[string]any{"message": map[string]any{"path": "/prod/x"}}, nil, 7)},
		`path.onlyLike(action.paths, "/work/*")`: {yes: list("/work/a", list("/work/a", "/work/b")),
			no: list("/work/a/../../etc", nil, list("/work/a", "/etc/x"), "work/a", map[string]any{"path": "a"})},
		`command.like(action.commands, ["rm -rf *"])`: {yes: list("rm  -rf /",
			map[string]any{"cmd": "cd / && sudo rm -rf ."}, map[string]any{"command": "rm", "args": list("-rf", "/")},
			list("rm", "-rf", "/")),
			no: list(map[string]any{"message": "rm -rf /"}, "Never run rm -rf /", nil)},
		`command.onlyLike(action.commands, ["git status*", "git diff*"])`: {yes: list(map[string]any{"command": "git status && git diff"}, "git  status -s"), no: list(map[string]any{"command": "git status; rm x"}, nil, "git push x")},
		`path.onlyWithin(action.params.?x, ".")`: {yes: list("a", "a/b"),
			no: list("/a", "../a", "~/a", "C:/a")},
	}
	for text, tt := range tests {
		p := rule(t, text)
		for want, values := range map[bool][]any{true: tt.yes, false: tt.no} {
			for _, x := range values {
				if got, err := p.Eval(t.Context(), params(x)); err != nil || got != want {
					t.Errorf("%s of %q: got %v (%v), want %v", text, fmt.Sprint(x), got, err, want)
				}
			}
		}
		if _, err := p.Eval(t.Context(), condition.Facts{Action: &condition.Action{}}); err != nil {
			t.Errorf("%s of an absent value: got %v, want no error", text, err)
		}
	}
}

func TestFactFunctions_UnreadableValue_Fails(t *testing.T) {
	for _, row := range golden.Rows(t, "testdata/unreadable.txt") {
		var x any
		graphtest.OK(t, json.Unmarshal([]byte(row[1]), &x))
		if holds, err := rule(t, row[0]).Eval(t.Context(), params(x)); holds || err == nil ||
			!strings.Contains(err.Error(), row[2]) {
			t.Errorf("%s of %s: got %v (%v), want an error that says %q", row[0], row[1], holds, err, row[2])
		}
	}
	for text, want := range map[string]string{
		`path.within("/x", 7)`:                 "no matching overload",
		`truthy()`:                             "no matching overload",
		`git.branch("x") == "x"`:               "no matching overload",
		`git.branches("x").size() > 0`:         "undeclared reference",
		`path.onlyWithin(action.params.paths)`: "no matching overload",
	} {
		if _, err := condition.Rule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestFactFunctions_ReadFactsAreKnown(t *testing.T) {
	p := rule(t, `truthy(action.params.force) && git.branch([?action.params.?branch, ?action.params.?ref]).exists(b, b == "main") && path.within(action.context.path, "/prod")`)
	golden.Equal(t, "the paths", strings.Join(p.Paths, " "),
		"action.context.path action.params.branch action.params.force action.params.ref")
	golden.Equal(t, "unguarded paths", strings.Join(p.Unguarded(nil), " "), "action.context.path action.params.force")
	needs := []string{}
	for _, part := range p.Failing(t.Context(), params("x")) {
		needs = append(needs, part.Needs(params("x")))
	}
	want := `truthy(action.params.force); git.branch([?action.params.?branch, ?action.params.?ref]).exists(b, b == "main"); path.within(action.context.path, "/prod")`
	golden.Equal(t, "would pass", strings.Join(needs, "; "), want)
	golden.Equal(t, "a row", strings.Join(graphtest.Must(condition.Row(`truthy(inputs.force) && path.onlyWithin(inputs.path, "/work")`))(t).Paths, " "), "inputs.force inputs.path")
}

func TestFactFunctions_LongTexts_CostTooMuch(t *testing.T) {
	long := strings.Repeat("a/%25/../", 7000) // close to the limit of 64 KiB for params
	for _, call := range []string{`git.branch(action.params.x).size() > 0`, `path.within(action.params.x, "/prod")`,
		`!truthy(action.params.?y)`} {
		many := rule(t, strings.TrimSuffix(strings.Repeat("("+call+" || true) && ", 30), " && "))
		if _, err := many.Eval(t.Context(), params(long)); strings.Contains(call, ".x") &&
			(err == nil || !strings.Contains(err.Error(), "costs too much")) {
			t.Errorf("30 times %s: %v", call, err)
		}
	}
	if _, err := rule(t, `path.within(action.params.x, "/prod")`).
		Eval(t.Context(), params(strings.Repeat("a/", 2000))); err != nil {
		t.Errorf("one path of 4,000 letters: %v", err)
	}
}

func TestProgramAsks_Negation_IsRecognized(t *testing.T) {
	for text, want := range map[string]string{
		`path.within(action.params.x, "/a")`:                                "true false",
		`!path.within(action.params.x, "/a")`:                               "false true",
		`!(agent == "a" || path.within(action.params.x, "/a"))`:             "false true",
		`action.params.xs.exists(x, path.within(x, "/a"))`:                  "true false",
		`!!path.within(action.params.x, "/a") && !path.within(agent, "/b")`: "true true",
		`path.onlyWithin(action.params.x, "/a")`:                            "false false",
	} {
		plainly, denied := rule(t, text).Asks("path.within")
		golden.Equal(t, text, fmt.Sprint(plainly, " ", denied), want)
	}
}

func BenchmarkFactFunctions(b *testing.B) {
	long := strings.Repeat("a/%25/../B", 1000)
	for _, text := range []string{`git.branch(action.params.x).size() > 0`, `path.within(action.params.x, "/prod")`,
		`git.forced(action.params.x)`} {
		p := graphtest.Must(condition.Rule(text))(b)
		f := params(long)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				_, _ = p.Eval(b.Context(), f)
			}
		})
	}
}
