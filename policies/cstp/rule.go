package cstp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nomograph/internal/document"
	"nomograph/internal/pattern"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// translate converts the guardrail. Its error says why that is impossible.
func (r *importedRule) translate() error {
	if err := r.head(); err != nil {
		return err
	}
	var unknown []string
	for _, item := range r.fields.Entries {
		key := item.Key
		known, err := r.part(key, item.Value)
		if err != nil {
			return err
		}
		if !known {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		r.note("has keys without a meaning in CSTP, which were left out: %s", strings.Join(unknown, ", "))
	}
	if len(r.applies)+len(r.requires) == 0 {
		r.note("has neither conditions nor requirements: every action violates it, as in CSTP")
	}
	if len(r.requires) == 0 {
		r.requires = []string{"false"}
	}
	r.advise()
	return r.compiles()
}

// head reads the metadata of the rule.
func (r *importedRule) head() error {
	switch action := textOf(r.fields, "action"); action {
	case "", rule.Warn:
		r.severity = rule.Warn
	case rule.Block:
		r.severity = rule.Block
	default:
		r.severity = rule.Warn
		r.note("only warns: its action '%s' is neither block nor warn", action)
	}
	switch value := r.fields.Get("scope").Value().(type) {
	case nil:
	case string:
		r.scope = []pack.Words{pack.Words(value)}
	case []any:
		for _, project := range value {
			name, ok := project.(string)
			if !ok {
				return fmt.Errorf("its scope contains a %s", formOf(project))
			}
			r.scope = append(r.scope, pack.Words(name))
		}
	default:
		return fmt.Errorf("its scope is a %s", formOf(value))
	}
	if slices.ContainsFunc(r.scope, func(s pack.Words) bool { return strings.ContainsAny(string(s), "*?") }) {
		r.note("has * or ? in its scope, which are wildcards here")
	}
	return nil
}

// unsupportedKeys are keys of evaluators that read more than the action.
var unsupportedKeys = []string{"conditions", "evaluator", "evaluators", "rules", "type"}

// part reads one key and reports whether it is known.
func (r *importedRule) part(key string, value *document.Node) (known bool, err error) {
	if field, ok := strings.CutPrefix(key, "condition_"); ok {
		return true, r.compare(&r.applies, field, value.Value())
	}
	if field, ok := strings.CutPrefix(key, "requires_"); ok {
		return true, r.compare(&r.requires, field, value.Value())
	}
	switch {
	case slices.Contains([]string{"id", "description", "action", "message", "scope"}, key):
		return true, nil
	case key == "requires":
		return true, r.requirements(value)
	case key == "condition":
		return true, r.condition(value)
	case slices.Contains(unsupportedKeys, key):
		return true, fmt.Errorf("its key '%s' belongs to an evaluator that Nomograph does not have; a rule with forbids_pattern can read the graph instead", key)
	}
	return false, nil
}

// compare adds a condition or a requirement of the older format: a field must be present and satisfy a comparison.
func (r *importedRule) compare(parts *[]string, name string, value any) error {
	f := fieldOf(name)
	operator, operand := operatorOf(value)
	comparison, err := r.comparison(f, operator, operand)
	if err != nil {
		return err
	}
	*parts = append(*parts, comparison...)
	if parts == &r.applies && f.kind == floatKind {
		field := strings.TrimPrefix(f.path, "action.")
		r.note("does not apply to an action without %s, as in CSTP; to change that, write !has(%s) || %s in applies_when", field, f.path, comparison[len(comparison)-1])
	}
	if base, suffix := suffixOf(name); suffix != "" {
		r.note("reads %s, a field with exactly that name, as in CSTP, and not %s", name, base)
	}
	return nil
}

func (r *importedRule) requirements(fields *document.Node) error {
	if !fields.IsMap() {
		return fmt.Errorf("its requires is a %s, not fields with values", formOf(fields.Value()))
	}
	for _, item := range fields.Entries {
		if err := r.compare(&r.requires, item.Key, item.Value.Value()); err != nil {
			return err
		}
	}
	return nil
}

// condition reads the newer format: CEL, or fields with values that mean CEL.
func (r *importedRule) condition(value *document.Node) error {
	cel := value
	if value.IsMap() {
		cel = value.Get("cel")
	}
	text, isText := cel.Value().(string)
	switch {
	case !value.IsMap() && !isText:
		return fmt.Errorf("its condition is a %s", formOf(value.Value()))
	case cel != nil && (!isText || len(value.Entries) > 1):
		return errors.New("its condition mixes cel with other keys")
	case cel != nil:
		return r.cel(text)
	}
	for _, item := range value.Entries {
		if err := r.addField(item.Key, item.Value.Value()); err != nil {
			return err
		}
	}
	return nil
}

var evaluators = []string{"field", "semantic_similarity", "temporal", "aggregate", "compound"}

// addField adds a field of a condition's mapping, in which an absent confidence or quality_score counts as 0.0.
func (r *importedRule) addField(key string, value any) error {
	if text, ok := value.(string); ok && (key == "type" || key == "evaluator") && slices.Contains(evaluators, text) {
		return fmt.Errorf("Nomograph does not have the evaluator %s; a rule with forbids_pattern can read the graph instead", text)
	}
	name, operator := suffixOf(key)
	if written, _ := operatorOf(value); operator == "" && written != "==" {
		r.note("compares %s with %v; CSTP treated the text as a value, so the rule never applied", key, value)
		return r.compare(&r.applies, key, value)
	}
	f := fieldOf(name)
	if f.kind == floatKind {
		r.zeroWhereAbsent(f)
		f.path, f.given = orZero(f), ""
	}
	comparison, err := r.comparison(f, cmp.Or(operator, "=="), value)
	r.applies = append(r.applies, comparison...)
	return err
}

func (r *importedRule) zeroWhereAbsent(f importedField) {
	r.note("treats an absent %s as 0.0, as CSTP does", strings.TrimPrefix(f.path, "action."))
}

func orZero(f importedField) string {
	return "(" + f.given + " ? " + f.path + " : 0.0)"
}

var suffixes = pattern.New(`^(.+)_(lte|gte|lt|gt)$`)

// suffixOf splits confidence_lt into confidence and <.
func suffixOf(key string) (name, operator string) {
	parts := suffixes.FindStringSubmatch(key)
	if parts == nil {
		return key, ""
	}
	return parts[1], map[string]string{"lt": "<", "lte": "<=", "gt": ">", "gte": ">="}[parts[2]]
}

// advise adds notes about the finished rule.
func (r *importedRule) advise() {
	if strings.Contains(allOf(slices.Concat(r.applies, r.requires)), "action.description") {
		r.note("reads the description, which CSTP always left empty in checks")
	}
}
