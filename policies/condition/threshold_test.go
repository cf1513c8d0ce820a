package condition_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/condition"
)

func TestThreshold_EveryType_IsRead(t *testing.T) {
	f := facts()
	f.Threshold = thresholds(map[string]any{"ratio": 0.25, "count": int64(2), "whole": int64(1), "word": "process",
		"on": true, "off": false, "none": nil})
	tests := map[string]string{
		`action.confidence >= threshold("ratio")`: "true",
		`action.confidence < threshold("ratio")`:  "false",
		// an integer instead of a float
		`action.confidence < threshold("whole")`:    "true",
		`action.reason_count >= threshold("count")`: "true",
		`action.reason_count > threshold("ratio")`:  "true",
		`action.tags.size() == threshold("count")`:  "true",
		`action.category == threshold("word")`:      "true",
		`threshold("on") && !threshold("off")`:      "true",
		`threshold("on")`:                           "true",
		`threshold("ratio")`:                        "gives a double, not true or false",
		`action.confidence >= threshold("word")`:    "has the wrong type for the condition",
		`action.confidence >= threshold("none")`:    "has the wrong type for the condition",
		`action.confidence >= threshold("gone")`:    "SYS_Threshold node 'gone' not found",
		// thresholds that do not affect the result are not read
		`has(action.name) || threshold("gone") > 1`:                                           "true",
		`action.tags.all(t, t.size() > threshold("count"))`:                                   "true",
		`action.context.lines > threshold('count') * 100 && threshold("ratio") + 0.25 == 0.5`: "true",
	}
	for text, want := range tests {
		wantVerdict(t, text, f, want)
	}
}

func TestThreshold_LookupFails_FailsCondition(t *testing.T) {
	down := errors.New("the database does not answer")
	f := facts()
	f.Threshold = func(string, string) (any, error) { return 0.0, down }
	_, err := rule(t, `action.confidence >= threshold("half")`).Eval(t.Context(), f)
	if err == nil || !strings.Contains(err.Error(), down.Error()) {
		t.Errorf("got %v", err)
	}
	if !errors.Is(err, down) {
		t.Errorf("the cause is lost: %#v", err)
	}
	f.Threshold = nil
	wantVerdict(t, `action.confidence >= threshold("half")`, f, "no thresholds are available")
}

func TestThreshold_ComputedName_IsRefused(t *testing.T) {
	for text, column := range map[string]int{
		`threshold(action.name) > 1`: 17, `threshold(1) > 1`: 11, `threshold("a" + "b") > 1`: 15,
		`threshold(project, "x") > 1`: 11, `threshold() > 1`: 10,
		`threshold("a", "b", "c") > 1`: 10, `threshold > 1`: 1, `threshold("a", 1) > 1`: 0,
		`["a"].exists(n, threshold(n) > 1)`: 27,
	} {
		_, err := condition.Rule(text)
		var where *condition.Error
		if !errors.As(err, &where) {
			t.Errorf("%s: got %v, want errors.As(err, &where)=true", text, err)
			continue
		}
		if where.Line != 1 || column > 0 && where.Column != column {
			t.Errorf("%s: %s at %d:%d, want 1:%d", text, where.Message, where.Line, where.Column, column)
		}
	}
}

func TestThreshold_NamesAndScopes_AreListed(t *testing.T) {
	tests := []struct {
		text          string
		plain, scoped []string
		asked         []string
		want          string
	}{
		{`true`, nil, nil, nil, "true"},
		{`threshold("b") > threshold("a") && threshold("b") > 0`, []string{"a", "b"}, nil, []string{"a", "b"}, "true"},
		{`action.confidence >= threshold("a", project)`, nil, []string{"a"}, []string{"a/acme/shop"}, "false"},
		{`threshold("b", "eu") > 0 && threshold("a", agent) > 0 && threshold("a", "eu") > 0`, nil, []string{"a", "b"},
			[]string{"a/ana", "a/eu", "b/eu"}, "true"},
		{`threshold("a") > 0 && threshold("a", project) > 0`, []string{"a"}, []string{"a"},
			[]string{"a", "a/acme/shop"}, "true"},
		{`threshold("a", "") > 0`, []string{"a"}, nil, []string{"a"}, "true"},
		{`action.tags.exists(t, threshold("a", t) > 5)`, nil, []string{"a"}, []string{"a/billing", "a/release"},
			"false"},
	}
	for _, test := range tests {
		f := facts()
		asked := []string{}
		f.Threshold = func(name, scope string) (any, error) {
			asked = append(asked, strings.TrimSuffix(name+"/"+scope, "/"))
			return map[string]any{"a": int64(1), "b": int64(2)}[name], nil
		}
		p := rule(t, test.text)
		graphtest.Values(t, test.text, p.Thresholds, test.plain, p.Scoped, test.scoped)
		wantVerdict(t, test.text, f, test.want)
		slices.Sort(asked)
		if asked = slices.Compact(asked); !slices.Equal(asked, test.asked) {
			t.Errorf("%s\n asked %v, want %v", test.text, asked, test.asked)
		}
	}
}

// TestThreshold_CachedCondition_ReadsCurrentValue: a compiled condition contains no values.
func TestThreshold_CachedCondition_ReadsCurrentValue(t *testing.T) {
	f := facts()
	for value, want := range map[float64]string{0.2: "true", 0.9: "false"} {
		f.Threshold = thresholds(map[string]any{"live": value})
		wantVerdict(t, `action.confidence >= threshold("live")`, f, want)
	}
}
