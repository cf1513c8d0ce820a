package rule

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"nomograph/cypher/readonly"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/policies"
	"nomograph/policies/condition"
)

// Guardrail is a policy that is evaluated for actions: it is violated if it applies and its requirement does not hold,
// or if its pattern finds something in the graph.
type Guardrail struct {
	Name, Version, Description, message string
	Severity, Mode                      string // block, approve, warn or allow; enforce, shadow or off
	Scope, Actions, Alternatives        []string
	Applies, Requires                   *condition.Program // nil: applies always, requires nothing
	Pattern                             string             // read-only Cypher that returns rows if the rule is violated
	Uses                                []string           // parameters of Pattern
	numbers                             []string           // thresholds that Pattern reads
	Circuit                             *Breaker           // nil unless it is a circuit breaker
	Limit                               *Limit             // nil unless the guardrail is a limit
	Properties                          map[string]any     // properties of the policy, visible to its pattern
	// why the rule cannot be evaluated; other fields are then unreliable
	Broken error

	projects, names patterns // Scope and Actions, compiled
}

// Values of severity and mode. A violation of severity approve can be approved by a person; a rule of severity allow is
// never violated and says that the action is known.
const (
	Block   = "block"
	Approve = "approve"
	Warn    = "warn"
	Allow   = "allow"
	Enforce = "enforce"
	Shadow  = "shadow"
	Off     = "off"
)

// IsShadowOnly reports whether a rule must not be enforced: a rule on earned autonomy, because an action that forces
// or skips the check would pass it.
func IsShadowOnly(properties map[string]any) bool { return properties["earned_autonomy"] == true }

// AcceptMode returns a conflict for a mode that the rule must not have.
func AcceptMode(name, mode string, properties map[string]any) error {
	if mode != Enforce || !IsShadowOnly(properties) {
		return nil
	}
	return apperr.Newf(apperr.Conflict, "The rule '%s' cannot be enforced: earned autonomy runs in shadow mode only in this version", name).
		WithHint("Use the mode shadow or off. `get_autonomy` shows what the rule would have done")
}

// GuardrailOf compiles a policy. Errors make the rule broken: it is then as strict as possible, because its intention
// is unknown.
func GuardrailOf(properties map[string]any) Guardrail {
	p := &reading{properties: properties}
	r := Guardrail{Properties: properties, Name: p.text("name"), Description: p.text("description"),
		message: p.text("message"), Severity: p.choice("severity", Block, Block, Approve, Warn, Allow),
		Mode: p.choice("mode", Enforce, Enforce, Shadow, Off)}
	if r.Mode == Enforce && IsShadowOnly(properties) {
		p.wrong("mode", "must be shadow or off: a rule with earned_autonomy blocks nothing in this version")
	}
	r.Scope, r.Actions, r.Alternatives = p.selecting("scope"), p.selecting("actions"),
		NonEmpty(p.list("alternatives")...)
	if slices.ContainsFunc(r.Scope, func(project string) bool { return strings.Contains(project, ",") }) {
		p.wrong("scope", "has an entry with a comma in it; write a list")
		r.Scope = nil
	}
	r.projects, r.names = patternsOf(r.Scope, normalize.Forms),
		patternsOf(r.Actions, func(name string) []string { return []string{normalize.Name(name)} })
	if active := properties["active"]; active != nil && active != true && active != false {
		p.wrong("active", "is '%s' (%s), neither true nor false", policies.ShowValue(graph.JSON(active)),
			policies.JSONType(active))
	}
	r.Circuit, r.Limit = p.breaker(), p.limit()
	r.Applies, r.Requires, r.Pattern = p.condition("applies_when"), p.condition("requires"), p.text("forbids_pattern")
	if r.Pattern != "" {
		query, err := graph.CheckQuery(r.Pattern, nil)
		if err == nil {
			r.numbers, err = numbersRead(query, properties)
		}
		if err != nil {
			p.wrong("forbids_pattern", "%s", err)
		}
		r.Uses = query.Parameters
	}
	if r.Requires == nil && r.Pattern == "" && len(p.problems) == 0 {
		p.wrong("requires", "is empty")
	}
	r.Broken = errors.Join(p.problems...)
	return r
}

// reading reads the properties of a policy and collects their problems.
type reading struct {
	properties map[string]any
	problems   []error
}

func (p *reading) wrong(key, format string, args ...any) {
	p.problems = append(p.problems, Problem{key, fmt.Sprintf(format, args...)})
}

func (p *reading) text(key string) string {
	value, ok := p.properties[key].(string)
	if p.properties[key] != nil && !ok {
		p.wrong(key, "is a %s, not text", policies.JSONType(p.properties[key]))
	}
	return value
}

func (p *reading) list(key string) []string {
	value := p.properties[key]
	if text, ok := value.(string); ok {
		value = []any{text}
	}
	items, ok := value.([]any)
	texts := graph.Texts(items)
	if value != nil && (!ok || len(texts) < len(items)) {
		p.wrong(key, "is not a list of texts")
		return nil
	}
	return texts
}

// selecting reads a list that selects actions: a list that selects nothing is a mistake.
func (p *reading) selecting(key string) []string {
	items := p.list(key)
	found := len(p.problems)
	if _, ok := p.properties[key].(string); ok && strings.Contains(items[0], ",") {
		p.wrong(key, "is one text with a comma in it; write a list")
	}
	if named := NonEmpty(items...); len(named) > 0 && len(named) < len(items) {
		p.wrong(key, "has an entry with only invisible text")
	}
	if len(p.problems) > found { // the scope of a rule with problems is unknown
		return nil
	}
	return NonEmpty(items...)
}

func (p *reading) choice(key, standard string, choices ...string) string {
	value := p.text(key)
	switch {
	case p.properties[key] == nil:
		return standard
	case !slices.Contains(choices, value):
		p.wrong(key, "must be %s, not '%s'", strings.Join(choices, " or "), value)
		return standard
	}
	return value
}

func (p *reading) condition(key string) *condition.Program {
	written := p.text(key)
	if written == "" {
		return nil
	}
	program, err := condition.Rule(written)
	if err != nil {
		p.wrong(key, "%s", err)
	}
	return program
}

// NonEmpty removes blank strings, which other programs write instead of an empty list: a scope of "" must not disable
// a rule.
func NonEmpty(list ...string) []string {
	return lists.Filter(list, func(text string) bool { return normalize.Name(text) != "" })
}

// numbersRead returns the thresholds that a pattern reads. It returns an error for a computed name: that threshold
// might not exist, and null matches nothing.
func numbersRead(query readonly.Query, properties map[string]any) ([]string, error) {
	var names []string
	for _, use := range query.Uses {
		if use.Parameter != "threshold" {
			continue
		}
		name := use.Key
		if use.Other != "" {
			name, _ = properties[use.Key].(string)
		}
		if name == "" || use.Other != "" && use.Other != "rule" {
			return nil, errors.New("reads $threshold dynamically; write $threshold.name or $threshold[$rule.property]")
		}
		names = append(names, name)
	}
	return lists.Union(names), nil
}

// Link sets the thresholds that the policy is linked to. A pattern that reads others cannot be evaluated, except for
// those that a circuit breaker names.
func (r *Guardrail) Link(thresholds []string) {
	if r.Circuit != nil {
		thresholds = append(r.Circuit.thresholds(), thresholds...)
	}
	for _, name := range r.numbers {
		if !slices.Contains(thresholds, name) {
			r.Broken = errors.Join(r.Broken, Problem{"forbids_pattern",
				fmt.Sprintf("reads the threshold '%s', to which the policy is not linked", name)})
		}
	}
}

// Problem says which property of a rule is wrong.
type Problem struct{ Key, message string }

// Error names the property and its error.
func (p Problem) Error() string { return p.Key + " " + p.message }

// WrongProperty returns the first property that prevents evaluation.
func (r Guardrail) WrongProperty() string {
	var problem Problem
	if errors.As(r.Broken, &problem) {
		return problem.Key
	}
	return "requires"
}

// Thresholds returns the names of the thresholds in the rule's conditions and texts, and those that its conditions read
// with a scope.
func (r Guardrail) Thresholds() (plain, scoped []string) {
	plain, scoped = r.thresholdsInTexts()
	plain = append(plain, r.Numbers()...)
	if r.Limit != nil && r.Limit.Threshold != "" {
		if plain = append(plain, r.Limit.Threshold); r.Limit.Scoped {
			scoped = append(scoped, r.Limit.Threshold)
		}
	}
	for _, program := range r.Conditions() {
		plain, scoped = append(plain, program.Thresholds...), append(scoped, program.Scoped...)
	}
	return plain, scoped
}

// Conditions returns the rule's conditions: whether it applies, and what it requires.
func (r Guardrail) Conditions() []*condition.Program {
	return slices.DeleteFunc([]*condition.Program{r.Applies, r.Requires},
		func(program *condition.Program) bool { return program == nil })
}

// Numbers returns the names of the thresholds in the pattern's parameter $threshold.
func (r Guardrail) Numbers() []string {
	if r.Circuit == nil {
		return r.numbers
	}
	return lists.Union(r.Circuit.thresholds(), r.numbers)
}

// Denies reports whether a violation of the rule denies the action.
func (r *Guardrail) Denies() bool {
	return r.Mode == Enforce && r.Severity != Warn && r.Severity != Allow
}

// InCircuit reports whether an action is in the scope of the rule's circuit, if it has one.
func (r *Guardrail) InCircuit(facts condition.Facts) bool {
	return r.Circuit == nil || r.Circuit.covers(facts)
}

// InScope reports whether the rule applies to a project, by its spellings. Without a project every rule applies, so
// that omitting it evades no rule.
func (r Guardrail) InScope(project []string) bool {
	return r.projects == nil || len(project) == 0 || r.projects.match(project...)
}

// AppliesTo reports whether the action's name, or without one its description, matches one of the rule's patterns.
func (r Guardrail) AppliesTo(action *condition.Action) bool {
	switch {
	case r.names == nil:
		return true
	case action.Name != "":
		return r.names.match(action.Name)
	}
	return r.names.match(normalize.Name(action.Description))
}
