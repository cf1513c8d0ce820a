package condition_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/condition"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// facts returns the facts of a complete action, which tests modify.
func facts() condition.Facts {
	confidence, quality := 0.3, 0.8
	return condition.Facts{
		Action: &condition.Action{
			Description: "deploy the billing service", Category: "process", Name: "deploy", Pattern: "blue-green",
			Phase:  "check",
			Stakes: condition.High, Confidence: &confidence, QualityScore: &quality,
			Params: map[string]any{"replicas": int64(3), "with-dots": "x"},
			Context: map[string]any{"affectsProduction": true, "lines": 420.0, "deep": map[string]any{"er": int64(1)},
				"list": []any{"a", "b"}},
			Tags:    []string{"billing", "release"},
			Reasons: []map[string]any{{"type": "analysis", "strength": 0.7}, {"type": "pattern"}},

			DeliberationCount: 2,
		},
		Agent: "ana", Project: "acme/shop", Session: "s1", Now: noon,
		Inputs:    map[string]any{"score": 0.7, "unit": "ratio"},
		Threshold: thresholds(map[string]any{"half": 0.5}),
	}
}

// thresholds returns a lookup in values, by "name" or "name/scope".
func thresholds(values map[string]any) func(name, scope string) (any, error) {
	return func(name, scope string) (any, error) {
		key := name
		if scope != "" {
			key += "/" + scope
		}
		value, ok := values[key]
		if !ok {
			return nil, fmt.Errorf("SYS_Threshold node '%s' not found", key)
		}
		return value, nil
	}
}

func rule(t testing.TB, text string) *condition.Program {
	t.Helper()
	p, err := condition.Rule(text)
	if err != nil {
		t.Fatalf("%s: got %v, want no error", text, err)
	}
	return p
}

// verdict returns true, false or the error text.
func verdict(t testing.TB, p *condition.Program, f condition.Facts) string {
	t.Helper()
	holds, err := p.Eval(t.Context(), f)
	if err != nil {
		if holds {
			t.Errorf("%s holds in spite of %v", p.Text, err)
		}
		return err.Error()
	}
	return fmt.Sprint(holds)
}

func wantVerdict(t testing.TB, text string, f condition.Facts, want string) {
	t.Helper()
	if got := verdict(t, rule(t, text), f); got != want &&
		(want == "true" || want == "false" || !strings.Contains(got, want)) {
		t.Errorf("%s\n is %s, want %s", text, got, want)
	}
}

func TestCompile_MeaninglessCondition_Fails(t *testing.T) {
	tests := []struct {
		text         string
		line, column int
		message      string
	}{
		{"action.stakes >= high &&\n  action.tag.size() > 0", 2, 9, "undefined field 'tag'"},
		{"action.stakes >= high\n\n  && (action.confidence > 0.5", 3, 30, "Syntax error"},
		{"// why\naction.name == name", 2, 16, "undeclared reference to 'name'"},
		{"", 1, 1, "Syntax error"},
		{`Action{name: "x"} == action`, 1, 0, ""},
		{strings.Repeat("(", 1000) + "true" + strings.Repeat(")", 1000), 1, 0, "recursion"},
		{"true" + strings.Repeat(" ", condition.MaxTextLength), 1, 1, "at most 4000 are allowed"},
		{`action.name.matches("(")`, 1, 0, "missing closing )"},
	}
	for _, row := range golden.Rows(t, "testdata/meaningless.txt") {
		_, err := condition.Rule(row[0])
		var where *condition.Error
		if !errors.As(err, &where) || fmt.Sprintf("%d:%d", where.Line, where.Column) != row[1] ||
			!strings.Contains(where.Message, row[2]) {
			t.Errorf("%s: got %+v, %v, want %s at %s", row[0], where, err, row[2], row[1])
		}
	}
	for _, test := range tests {
		_, err := condition.Rule(test.text)
		if err == nil && strings.HasPrefix(test.text, "Action{") {
			wantVerdict(t, test.text, facts(), "cannot make an action")
			continue
		}
		var where *condition.Error
		if !errors.As(err, &where) {
			t.Errorf("%.60s: got %v, want errors.As(err, &where)=true", test.text, err)
			continue
		}
		if !strings.Contains(where.Message, test.message) || where.Error() != where.Message {
			t.Errorf("%.60s\n says  %s\n wants %s", test.text, where.Message, test.message)
		}
		if where.Line != test.line || where.Column < 1 || test.column > 0 && where.Column != test.column {
			t.Errorf("%.60s: at %d:%d, want %d:%d", test.text, where.Line, where.Column, test.line, test.column)
		}
	}
}

func TestCompile_LongestText_Succeeds(t *testing.T) {
	wantVerdict(t, "true"+strings.Repeat(" ", condition.MaxTextLength-4), facts(), "true")
	quotes := `action.name != '` + strings.Repeat(`"`, 2500) + `' && action.stakes >= low`
	wantVerdict(t, quotes, facts(), "true")
}

func TestCondition_ResultIsNotBoolean_Fails(t *testing.T) {
	wantVerdict(t, "action.context.lines", facts(), "gives a double, not true or false")
	wantVerdict(t, "action.context.list", facts(), "gives a list, not true or false")
	wantVerdict(t, "action.context.affectsProduction", facts(), "true")
	wantVerdict(t, "[false, true][1]", facts(), "true")
}

func TestCondition_DivisionByZero_Fails(t *testing.T) {
	f := facts()
	f.Action.Context = map[string]any{"none": int64(0), "nothing": 0.0}
	for _, text := range []string{"1 / 0 > 0", "1 % 0 == 0", "1.0 / 0.0 > 0.5", "0.0 / 0.0 != 1.0",
		"1 / action.context.none >= 1",
		"1.0 / action.context.nothing >= 0.5", "action.confidence / 0.0 >= 0.5", "[1.0, 2.0].exists(n, n / 0.0 > 1.0)",
		"-1.0 / 0.0 < 0.0"} {
		golden.Contains(t, text, verdict(t, rule(t, text), f), "by zero")
	}
	wantVerdict(t, "1.0 / 4.0 == 0.25 && 7 / 2 == 3", f, "true")
}

func TestCondition_CostAboveLimit_Fails(t *testing.T) {
	f := facts()
	many := make([]any, 2000)
	for i := range many {
		many[i] = int64(i)
	}
	f.Action.Context = map[string]any{"many": many}
	wantVerdict(t, "action.context.many.all(n, n >= 0)", f, "true")
	wantVerdict(t, "action.context.many.all(a, action.context.many.all(b, a + b >= 0))", f, "costs too much")

	long := `"` + strings.Repeat("a", 1000) + `"` // strings can grow without a loop
	wantVerdict(t, long+`.replace("a", `+long+`).size() > 0`, f, "costs too much")
	wantVerdict(t, long+`.split("").join(`+long+`).size() > 0`, f, "costs too much")
	wantVerdict(t, `action.description.replace("deploy", "stop") == "stop the billing service"`, f, "true")
}

func TestCondition_CanceledContext_StopsLoops(t *testing.T) {
	f := facts()
	many := make([]any, 5000)
	for i := range many {
		many[i] = int64(i)
	}
	f.Action.Context = map[string]any{"many": many}
	p := rule(t, "action.context.many.all(n, n >= 0)")
	if got := verdict(t, p, f); got != "true" {
		t.Fatalf("without a deadline: got %s, want true", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if holds, err := p.Eval(ctx, f); holds || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v, want holds=false, errors.Is(err, context.Canceled)=true", holds, err)
	}
	if failing := p.Failing(ctx, f); len(failing) != 1 {
		t.Errorf("failing: %v", texts(failing))
	}
}

func TestCondition_TableRow_SeesOnlyInputs(t *testing.T) {
	for text, want := range map[string]bool{`inputs.score >= 0.5 && inputs.unit == "ratio"`: true,
		`inputs["score"] > threshold("half") && now > now`: false} {
		p := graphtest.Must(condition.Row(text))(t)
		if holds, err := p.Eval(t.Context(), facts()); err != nil || holds != want {
			t.Errorf("%s is %v, %v", text, holds, err)
		}
		golden.Equal(t, "seen", p.Seen(facts())["inputs.score"], 0.7)
	}
	for _, text := range []string{"action.stakes == 1", "agent == 'x'", "project == 'x'", "session == 'x'",
		"inputs.score > high"} {
		if _, err := condition.Row(text); err == nil {
			t.Errorf("a row sees %s", text)
		}
	}
	p := graphtest.Must(condition.Row("inputs.gone > 1"))(t)
	if _, err := p.Eval(t.Context(), condition.Facts{}); err == nil ||
		!strings.Contains(err.Error(), "there is no gone") {
		t.Errorf("absent input: %v", err)
	}
}

func TestCondition_ConcurrentCalls_ShareOneProgram(t *testing.T) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 50 {
				p, err := condition.Rule(fmt.Sprintf(`size(action.tags) + %d > threshold("limit")`, n%5))
				if err != nil {
					t.Error(err)
					return
				}
				f := facts()
				f.Threshold = thresholds(map[string]any{"limit": int64(i)})
				if holds, err := p.Eval(t.Context(), f); err != nil || holds != (2+n%5 > i) {
					t.Errorf("%d of %d: %v, %v", n, i, holds, err)
				}
			}
		})
	}
	group.Wait()
}
