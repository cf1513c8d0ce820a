package pages

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/parser"

	"nomograph/decisions"
	"nomograph/policies/check"
	"nomograph/policies/condition"
)

// step is one change that a violated rule asks for, in words, with names and values between backticks.
type step struct {
	Text  string
	Facts map[string]any // values with which the step is done; nil if none can be named
}

// stepsOf returns what would pass a violated rule, in words.
func stepsOf(v check.Violation) (steps []step) {
	r := reader(v.Values)
	clauses := map[string]ast.Expr{}
	compared := map[string]bool{} // facts to which a clause gives a value; a step for their presence would be redundant
	for _, text := range v.WouldPass {
		if clause, err := parsedClause(text); err == nil {
			clauses[text] = clause
			if path, ok := r.comparedPath(clause); ok {
				compared[path] = true
			}
		}
	}
	for _, text := range v.WouldPass {
		clause := clauses[text]
		if clause == nil { // it is already in words, as a limit's is
			steps = append(steps, step{Text: capital(text)})
			continue
		}
		if path, ok := presence(clause); ok && compared[path] {
			continue
		}
		words, facts, ok := r.describe(clause, true)
		if !ok {
			words = "make this condition true: `" + text + "`"
		}
		steps = append(steps, step{capital(words), facts})
	}
	return steps
}

// parsedClause parses CEL without expanding macros: has() and exists() stay as they are.
func parsedClause(text string) (ast.Expr, error) {
	p, err := parser.NewParser()
	if err != nil {
		return nil, err
	}
	tree, problems := p.Parse(common.NewTextSource(text))
	if all := problems.GetErrors(); len(all) > 0 {
		return nil, errors.New(all[0].Message)
	}
	return tree.Expr(), nil
}

// reader puts clauses into words. It holds the facts that the rule read.
type reader map[string]any

// describe describes how to make an expression true, or false. ok is false if it has no short description.
func (r reader) describe(e ast.Expr, want bool) (words string, facts map[string]any, ok bool) {
	if path, ok := presence(e); ok {
		return map[bool]string{true: "provide ", false: "leave out "}[want] + named(path), nil, true
	}
	if path, ok := pathOf(e); ok {
		return "set " + named(path) + " to " + valued(want) + r.now(path), map[string]any{path: want}, true
	}
	if e.Kind() != ast.CallKind {
		return "", nil, false
	}
	call := e.AsCall()
	args := call.Args()
	switch name := call.FunctionName(); name {
	case operators.LogicalNot:
		return r.describe(args[0], !want)
	case operators.LogicalOr, operators.LogicalAnd:
		return r.both(args, want, (name == operators.LogicalAnd) == want)
	case operators.In:
		return r.member(args, want)
	default:
		return r.compare(name, args, want)
	}
}

// both joins two parts: with "and" if both must hold, otherwise with "or".
func (r reader) both(args []ast.Expr, want, every bool) (words string, facts map[string]any, ok bool) {
	first, firstFacts, ok := r.describe(args[0], want)
	second, facts, also := r.describe(args[1], want)
	present, has := presence(args[0])
	path, compares := r.comparedPath(args[1])
	switch {
	case !ok || !also:
		return "", nil, false
	case !every && firstFacts == nil: // what has a value is better than leaving out a fact or lowering stakes
		return second + ", or " + first, facts, true
	case !every:
		return first + ", or " + second, firstFacts, true
	case has && want && compares && present == path, first == second: // present and not empty
		return second, facts, true
	case firstFacts == nil || facts == nil:
		return first + " and " + second, nil, true
	}
	maps.Copy(facts, firstFacts)
	return first + " and " + second, facts, true
}

// member describes `"a" in list` and `fact in ["a", "b"]`.
func (r reader) member(args []ast.Expr, want bool) (string, map[string]any, bool) {
	if path, ok := pathOf(args[1]); ok {
		value, ok := constant(args[0])
		if want {
			return "add " + valued(value) + " to " + named(path) + r.now(path), nil, ok
		}
		return "remove " + valued(value) + " from " + named(path) + r.now(path), nil, ok
	}
	path, ok := pathOf(args[0])
	if !ok || args[1].Kind() != ast.ListKind || args[1].AsList().Size() == 0 {
		return "", nil, false
	}
	var values []any
	var texts []string
	for _, element := range args[1].AsList().Elements() {
		value, ok := constant(element)
		if !ok {
			return "", nil, false
		}
		values, texts = append(values, value), append(texts, valued(value))
	}
	all := strings.Join(texts, ", or ") + r.now(path)
	if want {
		return "set " + named(path) + " to " + all, map[string]any{path: values[0]}, true
	}
	return "change " + named(path) + " to something other than " + all, nil, true
}

// comparison is an operator with its negation, the operator for exchanged sides, and its words around a fact.
// Exact comparisons are met by their own value.
type comparison struct {
	negated, mirrored, verb, bound string
	exact                          bool
}

var comparisons = map[string]comparison{
	operators.Equals:        {operators.NotEquals, operators.Equals, "set ", " to ", true},
	operators.NotEquals:     {operators.Equals, operators.NotEquals, "change ", " to something other than ", false},
	operators.GreaterEquals: {operators.Less, operators.LessEquals, "raise ", " to at least ", true},
	operators.Greater:       {operators.LessEquals, operators.Less, "raise ", " above ", false},
	operators.LessEquals:    {operators.Greater, operators.GreaterEquals, "lower ", " to at most ", true},
	operators.Less:          {operators.GreaterEquals, operators.Greater, "lower ", " below ", false},
}

func (r reader) compare(name string, args []ast.Expr, want bool) (string, map[string]any, bool) {
	c, ok := comparisons[name]
	if !ok {
		return "", nil, false
	}
	subject := args[0]
	value, ok := constant(args[1])
	if !ok {
		if value, ok = constant(args[0]); !ok {
			return "", nil, false
		}
		subject, c = args[1], comparisons[c.mirrored]
	}
	if !want {
		c = comparisons[c.negated]
	}
	path, ok := pathOf(subject)
	switch {
	case !ok:
		return "", nil, false
	case value == "" && c.verb == "change ":
		return "provide " + named(path), nil, true
	}
	words := c.verb + named(path) + c.bound + valued(value) + r.now(path)
	if !c.exact {
		return words, nil, true
	}
	return words, map[string]any{path: value}, true
}

// comparedPath returns the path of the only fact for which an expression implies a value.
func (r reader) comparedPath(e ast.Expr) (string, bool) {
	_, facts, ok := r.describe(e, true)
	for path := range facts {
		return path, ok && len(facts) == 1
	}
	return "", false
}

// now says which value a rule saw.
func (r reader) now(path string) string {
	value, seen := r[path]
	switch text := shownValue(value); {
	case !seen:
		return ""
	case text == "":
		return " (now absent)"
	default:
		return " (now `" + text + "`)"
	}
}

// named is a fact as people call it: action.context.ticket is context.ticket.
func named(path string) string { return "`" + strings.TrimPrefix(path, "action.") + "`" }

func valued(value any) string { return "`" + cmp.Or(shownValue(value), `""`) + "`" }

// presence returns the fact of has(fact).
func presence(e ast.Expr) (string, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Has || len(e.AsCall().Args()) != 1 {
		return "", false
	}
	return pathOf(e.AsCall().Args()[0])
}

// pathOf returns the path of a fact, such as action.context.ticket.
func pathOf(e ast.Expr) (string, bool) {
	path, _ := condition.PathOf(e)
	return strings.Join(path, "."), len(path) > 0 &&
		slices.Contains([]string{"action", "agent", "project", "session"}, path[0])
}

// constant returns a literal, or one of the stakes.
func constant(e ast.Expr) (any, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent(), slices.Contains(decisions.StakesValues, e.AsIdent())
	case ast.LiteralKind:
		switch value := e.AsLiteral().Value(); value.(type) {
		case bool, int64, float64, string:
			return value, true
		}
	}
	return nil, false
}
