package condition_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/policies/condition"
)

// FuzzRule: compiling and evaluating never panics, every error has a position, compiled rules end within their cost
// limit, and the same text always has the same result.
func FuzzRule(f *testing.F) {
	for _, text := range []string{
		`action.stakes >= high && has(action.confidence) && action.confidence >= threshold("half")`,
		`action.stakes == "high"`, "action.stake >=\n high", "",
		`action.context.?x.orValue(false) || action.params["x"] == 1`, `threshold("half", project) / 0.0 > 1.0`,
		`action.tags.exists(t, t.startsWith("x"))`,
		`action.reasons.map(r, r.type).size() > 2 && [1, 2, 3].all(a, [a].all(b, a == b))`, `[action, 1] == [action]`,
		`dyn(action).confidence > 0.5`,
		`now - duration("24h") > now`, `action.description.matches("^[a-z]+$") && "%s".format([action.name]) == 'x'`,
		`"\x00é\U0001F600" == b'\377'`, `(((((true)))))`,
		`Action{name: "x"}.name == "x"`, `type(action) == int`,
		`has(action.context.list) && action.context.list[0] in ["a"]`,
		`git.branch([?action.params.?x]).exists(b, b in ["Main", "*"]) || git.forced(action.params.?x)`,
		`truthy(action.params.?x) && path.within(action.params.?x, "/prod") || !path.onlyWithin(action.tags, "~/.ssh")`,
		`path.like(action.paths, ["/prod/*"]) || command.onlyLike(action.commands, action.tags)`,
		`1 / 0 == 1 ? true : false`, `@thresholds == 1`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := condition.Rule(text)
		again, errAgain := condition.Rule(text)
		if fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Fatalf("two answers: %v, %v", err, errAgain)
		}
		if err != nil {
			var where *condition.Error
			if !errors.As(err, &where) || where.Message == "" || where.Line < 1 || where.Column < 1 {
				t.Fatalf("a poor refusal: %#v", err)
			}
			return
		}
		if p.Text != text || !sorted(p.Paths) || !sorted(p.Thresholds) || !sorted(p.Scoped) {
			t.Fatalf("%q names %q, %q, %q", p.Text, p.Paths, p.Thresholds, p.Scoped)
		}
		for _, facts := range []condition.Facts{facts(), {Action: &condition.Action{}, Threshold: thresholds(nil)}} {
			begin := time.Now()
			holds, err := p.Eval(t.Context(), facts)
			if took := time.Since(begin); took > 30*time.Second {
				t.Fatalf("took %v, want at most 30s", took)
			}
			holdsAgain, errAgain := again.Eval(t.Context(), facts)
			if holds != holdsAgain || (err == nil) != (errAgain == nil) {
				t.Fatalf("%v (%v), then %v (%v)", holds, err, holdsAgain, errAgain)
			}
			failing := p.Failing(t.Context(), facts)
			if err == nil && holds != (len(failing) == 0) {
				t.Fatalf("the condition is %v, but %d of its parts fail: %q", holds, len(failing), texts(failing))
			}
			for _, part := range failing {
				if needs := part.Needs(facts); strings.TrimSpace(needs) == "" {
					t.Fatalf("a part needs nothing: %q", part.Text)
				}
			}
			for path := range p.Seen(facts) {
				if !slices.Contains(p.Paths, path) {
					t.Fatalf("%s was seen and not named", path)
				}
			}
		}
	})
}

func sorted(names []string) bool {
	return slices.IsSorted(names) && len(slices.Compact(slices.Clone(names))) == len(names)
}
