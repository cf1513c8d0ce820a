package policies

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/policies/condition"
)

// guardrail is a policy that judges actions: it is violated where it applies and what it requires does not hold, or where
// its pattern is found in the graph.
type guardrail struct {
	Name, Version, Description, Message string
	Severity, Mode                      string // block or warn; enforce, shadow or off
	Scope, Actions, Alternatives        []string
	Applies, Requires                   *condition.Program // nil: always, and nothing
	Pattern                             string             // read-only Cypher that returns rows when the rule is violated
	Uses                                []string           // the parameters of Pattern
	Circuit                             *circuit           // nil unless it is a circuit breaker
	Linked                              []string           // the thresholds that the policy is linked to
	Properties                          map[string]any     // of the policy, which its pattern sees
	Broken                              error              // why it cannot be evaluated; then it holds nothing else for sure
}

const (
	block   = "block"
	warn    = "warn"
	enforce = "enforce"
	shadow  = "shadow"
	off     = "off"
)

// guardrailOf reads a rule from a policy's properties. What cannot be understood makes the rule broken: it is then as
// strict as a rule can be, because nobody knows what it would have said.
func guardrailOf(properties map[string]any) guardrail {
	r := guardrail{Severity: block, Mode: enforce, Properties: properties}
	var problems []error
	text := func(key string) string {
		value, isText := properties[key].(string)
		if properties[key] != nil && !isText {
			problems = append(problems, ruleProblem{key, fmt.Sprintf("is a %s, not text", jsonType(properties[key]))})
		}
		return value
	}
	list := func(key string) []string {
		switch value := properties[key].(type) {
		case nil:
			return nil
		case string:
			return given(value)
		case []any:
			if slices.ContainsFunc(value, func(item any) bool { _, isText := item.(string); return !isText }) {
				break
			}
			return given(texts(value)...)
		}
		problems = append(problems, ruleProblem{key, "is not a list of texts"})
		return nil
	}
	choice := func(key, standard string, choices ...string) string {
		value := text(key)
		switch {
		case properties[key] == nil:
			return standard
		case !slices.Contains(choices, value):
			problems = append(problems, ruleProblem{key, fmt.Sprintf("must be %s, not '%s'", strings.Join(choices, " or "), value)})
			return standard
		}
		return value
	}
	r.Name, r.Description, r.Message = text("name"), text("description"), text("message")
	r.Severity, r.Mode = choice("severity", block, block, warn), choice("mode", enforce, enforce, shadow, off)
	r.Scope, r.Actions, r.Alternatives = list("scope"), list("actions"), list("alternatives")
	compile := func(key string) *condition.Program {
		written := text(key)
		if written == "" {
			return nil
		}
		program, err := condition.Rule(written)
		if err != nil {
			problems = append(problems, ruleProblem{key, err.Error()})
		}
		return program
	}
	r.Applies, r.Requires, r.Pattern = compile("applies_when"), compile("requires"), text("forbids_pattern")
	if r.Pattern != "" {
		uses, err := graph.Screen(r.Pattern, nil)
		if err != nil {
			problems = append(problems, ruleProblem{"forbids_pattern", err.Error()})
		}
		r.Uses = uses
	}
	var wrong []error
	r.Circuit, wrong = circuitOf(properties)
	problems = append(problems, wrong...)
	if r.Requires == nil && r.Pattern == "" && len(problems) == 0 {
		problems = append(problems, ruleProblem{"requires", "is empty"})
	}
	r.Broken = errors.Join(problems...)
	return r
}

// given leaves out empty texts, which foreign hands write for nothing: a scope of "" must not keep a rule from everybody.
func given(list ...string) []string {
	return filter(list, func(text string) bool { return strings.TrimSpace(text) != "" })
}

// ruleProblem says which property of a rule is wrong.
type ruleProblem struct{ key, message string }

func (p ruleProblem) Error() string { return p.key + " " + p.message }

// thresholds are the names of the thresholds that the rule reads or speaks of, and those that its conditions read for a scope.
func (r guardrail) thresholds() (plain, scoped []string) {
	plain = append(r.named(), r.numbers()...)
	for _, program := range []*condition.Program{r.Applies, r.Requires} {
		if program != nil {
			plain, scoped = append(plain, program.Thresholds...), append(scoped, program.Scoped...)
		}
	}
	return plain, scoped
}

// numbers are the names of the thresholds that the rule's pattern sees as $threshold.
func (r guardrail) numbers() []string {
	var names []string
	if r.Circuit != nil {
		names = r.Circuit.thresholds()
	}
	if slices.Contains(r.Uses, "threshold") {
		names = append(names, given(r.Linked...)...)
	}
	return names
}

// inCircuit tells whether an action is in the scope of the rule's circuit, if it has one.
func (r *guardrail) inCircuit(facts condition.Facts) bool {
	return r.Circuit == nil || r.Circuit.about(facts)
}

// inScope tells whether the rule concerns a project. Where nobody says which project it is, every rule does: leaving the
// project out must not be a way around.
func (r guardrail) inScope(project string) bool {
	return len(r.Scope) == 0 || project == "" || matchesAny(r.Scope, project)
}

// concerns tells whether the rule is about an action: its name, or where it has none, its description, matches one of the
// rule's patterns.
func (r guardrail) concerns(action *condition.Action) bool {
	if len(r.Actions) == 0 {
		return true
	}
	if action.Name != "" {
		return matchesAny(r.Actions, action.Name)
	}
	return matchesAny(r.Actions, action.Description)
}

var foundPlace = regexp.MustCompile(`\{found\.([A-Za-z0-9_]+)\}`)

// withFound puts what the rule's pattern found, in its first row, in the place of {found.column}. A column that the pattern
// does not have stays as it is written.
func withFound(message string, row map[string]any) string {
	return foundPlace.ReplaceAllStringFunc(message, func(place string) string {
		value, has := row[foundPlace.FindStringSubmatch(place)[1]]
		switch {
		case !has:
			return place
		case value == nil:
			return "(absent)"
		}
		return shown(value)
	})
}

// matchesAny compares with glob patterns, in which * stands for anything and ? for one character, whatever the case.
func matchesAny(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		expression := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
		matched, err := regexp.MatchString("(?is)^"+expression+"$", text)
		return matched || err != nil // a pattern that is no pattern limits nothing
	})
}
