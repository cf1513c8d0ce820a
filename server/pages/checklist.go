package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/parser"

	"nomograph/policies/check"
)

// step is one change that a violated rule asks for, in words.
type step struct {
	Words []phrase
	Facts map[string]any // values with which the step is done; nil if none can be named
}

// phrase is a part of a step: words, or the name of a fact or a value.
type phrase struct {
	Text string
	Code bool
}

// stepsOf returns what would pass a violated rule, in words.
func stepsOf(v check.Violation) []step {
	r := reader{values: v.Values}
	var clauses []ast.Expr
	var texts []string // texts of clauses
	var steps []step
	for _, clause := range v.WouldPass {
		tree, err := parsedClause(clause)
		if err != nil { // the clause is already in words, as a limit's is
			steps = append(steps, step{Words: []phrase{{Text: capital(clause)}}})
			continue
		}
		texts, clauses = append(texts, clause), append(clauses, tree.Expr())
	}
	compared := map[string]bool{} // facts to which a clause gives a value; a step for their presence would be redundant
	for _, clause := range clauses {
		if path, ok := r.comparedPath(clause); ok {
			compared[path] = true
		}
	}
	for i, clause := range clauses {
		if path, ok := presence(clause); ok && compared[path] {
			continue
		}
		if words, facts, ok := r.describe(clause, true); ok {
			words[0].Text = capital(words[0].Text)
			steps = append(steps, step{words, facts})
		} else {
			steps = append(steps, unreadable(texts[i]))
		}
	}
	return steps
}

func unreadable(clause string) step {
	return step{Words: []phrase{{Text: "Make this condition true: "}, {clause, true}}}
}

// parsedClause parses CEL without expanding macros: has() and exists() stay as they are.
func parsedClause(text string) (*ast.AST, error) {
	p, err := parser.NewParser()
	if err != nil {
		return nil, err
	}
	tree, problems := p.Parse(common.NewTextSource(text))
	if all := problems.GetErrors(); len(all) > 0 {
		return nil, fmt.Errorf("%s", all[0].Message)
	}
	return tree, nil
}

// reader puts clauses into words. values are the facts that the rule read.
type reader struct {
	values map[string]any
}

const leaveOut = "leave out "

// describe describes how to make an expression true, or false. ok is false if it has no short description.
func (r reader) describe(e ast.Expr, want bool) (words []phrase, facts map[string]any, ok bool) {
	if path, ok := presence(e); ok {
		if want {
			return []phrase{{Text: "provide "}, named(path)}, nil, true
		}
		return []phrase{{Text: leaveOut}, named(path)}, map[string]any{path: nil}, true
	}
	if path, ok := pathOf(e); ok {
		return r.describeValue(path, want)
	}
	if e.Kind() != ast.CallKind {
		return nil, nil, false
	}
	call := e.AsCall()
	args := call.Args()
	switch name := call.FunctionName(); name {
	case operators.LogicalNot:
		return r.describe(args[0], !want)
	case operators.LogicalOr, operators.LogicalAnd:
		return r.both(args, want, (name == operators.LogicalAnd) == want)
	case operators.In, operators.OldIn:
		return r.member(args, want)
	default:
		return r.compare(name, args, want)
	}
}

// both joins two parts: with "and" if both must hold, otherwise with "or".
func (r reader) both(args []ast.Expr, want, every bool) (words []phrase, facts map[string]any, ok bool) {
	first, firstFacts, ok := r.describe(args[0], want)
	second, secondFacts, also := r.describe(args[1], want)
	if !ok || !also {
		return nil, nil, false
	}
	if every {
		if path, ok := r.comparedPath(args[1]); ok && want {
			if present, ok := presence(args[0]); ok && present == path {
				return second, secondFacts, true
			}
		}
		if slices.Equal(first, second) { // a text that is present and not empty
			return first, firstFacts, true
		}
		if firstFacts == nil || secondFacts == nil {
			return join(first, " and ", second), nil, true
		}
		facts = map[string]any{}
		for _, from := range []map[string]any{firstFacts, secondFacts} {
			for path, value := range from {
				facts[path] = value
			}
		}
		return join(first, " and ", second), facts, true
	}
	if onlyLeavesOut(firstFacts) && secondFacts != nil { // prefer the step with a value to the step that leaves the fact out
		first, second, firstFacts, secondFacts = second, first, secondFacts, firstFacts
	}
	if len(second) == 2 && second[0].Text == leaveOut && slices.Contains(first, second[1]) {
		second = []phrase{{Text: "leave it out"}}
	}
	if _, weaker := firstFacts["action.stakes"]; firstFacts == nil || weaker && secondFacts != nil {
		firstFacts = secondFacts // prefer the other step: lower stakes only relabel the action
	}
	return join(first, ", or ", second), firstFacts, true
}

// onlyLeavesOut reports whether a step only leaves facts out.
func onlyLeavesOut(facts map[string]any) bool {
	for _, value := range facts {
		if value != nil {
			return false
		}
	}
	return len(facts) > 0
}

func join(first []phrase, between string, second []phrase) []phrase {
	return slices.Concat(first, []phrase{{Text: between}}, second)
}

// describeValue describes a boolean fact or an equality.
func (r reader) describeValue(path string, value any) ([]phrase, map[string]any, bool) {
	return slices.Concat([]phrase{{Text: "set "}, named(path), {Text: " to "}, valued(value)}, r.now(path)),
		map[string]any{path: value}, true
}

// member describes `"a" in list` and `fact in ["a", "b"]`.
func (r reader) member(args []ast.Expr, want bool) ([]phrase, map[string]any, bool) {
	if path, ok := pathOf(args[1]); ok {
		value, ok := constant(args[0])
		if !ok {
			return nil, nil, false
		}
		if want {
			return slices.Concat([]phrase{{Text: "add "}, valued(value), {Text: " to "}, named(path)}, r.now(path)),
				nil, true
		}
		return slices.Concat([]phrase{{Text: "remove "}, valued(value), {Text: " from "}, named(path)}, r.now(path)),
			nil, true
	}
	path, ok := pathOf(args[0])
	if !ok || args[1].Kind() != ast.ListKind || args[1].AsList().Size() == 0 {
		return nil, nil, false
	}
	words := []phrase{{Text: "set "}, named(path), {Text: " to "}}
	if !want {
		words = []phrase{{Text: "change "}, named(path), {Text: " to something other than "}}
	}
	var first any
	for i, element := range args[1].AsList().Elements() {
		value, ok := constant(element)
		if !ok {
			return nil, nil, false
		}
		if i == 0 {
			first = value
		} else {
			words = append(words, phrase{Text: ", or "})
		}
		words = append(words, valued(value))
	}
	if want {
		return append(words, r.now(path)...), map[string]any{path: first}, true
	}
	return append(words, r.now(path)...), nil, true
}

// opposite maps each comparison to its negation, and mirrored to the comparison with exchanged sides.
var (
	opposite = [][2]string{{operators.Equals, operators.NotEquals}, {operators.Less, operators.GreaterEquals},
		{operators.Greater, operators.LessEquals}}
	mirrored = [][2]string{{operators.Less, operators.Greater}, {operators.LessEquals, operators.GreaterEquals}}
)

func exchanged(name string, pairs [][2]string) string {
	for _, pair := range pairs {
		if name == pair[0] {
			return pair[1]
		}
		if name == pair[1] {
			return pair[0]
		}
	}
	return name
}

func (r reader) compare(name string, args []ast.Expr, want bool) ([]phrase, map[string]any, bool) {
	if len(args) != 2 {
		return nil, nil, false
	}
	subject := args[0]
	value, ok := constant(args[1])
	if !ok {
		if value, ok = constant(args[0]); !ok {
			return nil, nil, false
		}
		subject, name = args[1], exchanged(name, mirrored)
	}
	if !want {
		name = exchanged(name, opposite)
	}
	path, ok := pathOf(subject)
	counted := false
	if !ok && subject.Kind() == ast.CallKind && subject.AsCall().FunctionName() == "size" {
		of := subject.AsCall().Args()
		if subject.AsCall().IsMemberFunction() {
			of = []ast.Expr{subject.AsCall().Target()}
		}
		if len(of) == 1 {
			path, ok = pathOf(of[0])
			counted = true
		}
	}
	if !ok {
		return nil, nil, false
	}
	subjectWords := []phrase{named(path)}
	if counted {
		subjectWords = []phrase{{Text: "the number of "}, named(path)}
	}
	say := func(verb, bound string) []phrase {
		return slices.Concat([]phrase{{Text: verb + " "}}, subjectWords,
			[]phrase{{Text: " " + bound + " "}, valued(value)}, r.now(path))
	}
	facts := map[string]any{path: value}
	if counted {
		facts = nil
	}
	switch name {
	case operators.Equals:
		return say("set", "to"), facts, true
	case operators.NotEquals:
		if value == "" {
			return []phrase{{Text: "provide "}, named(path)}, nil, true
		}
		return say("change", "to something other than"), nil, true
	case operators.GreaterEquals:
		return say("raise", "to at least"), facts, true
	case operators.Greater:
		return say("raise", "above"), nil, true
	case operators.LessEquals:
		return say("lower", "to at most"), facts, true
	case operators.Less:
		if path == "action.stakes" {
			facts = map[string]any{path: lower(value)}
		} else {
			facts = nil
		}
		return say("lower", "below"), facts, true
	}
	return nil, nil, false
}

var stakes = []string{"low", "medium", "high", "critical"}

// lower returns the stakes below some stakes.
func lower(value any) any {
	return stakes[max(0, slices.Index(stakes, fmt.Sprint(value))-1)]
}

// comparedPath returns the path of the only fact for which an expression implies a value.
func (r reader) comparedPath(e ast.Expr) (string, bool) {
	if e.Kind() != ast.CallKind {
		return pathOf(e)
	}
	_, facts, ok := r.describe(e, true)
	if !ok || len(facts) != 1 {
		return "", false
	}
	for path, value := range facts {
		return path, value != nil
	}
	return "", false
}

// now says which value a rule saw.
func (r reader) now(path string) []phrase {
	value, seen := r.values[path]
	switch text := shownValue(value); {
	case !seen:
		return nil
	case text == "":
		return []phrase{{Text: " (now absent)"}}
	default:
		return []phrase{{Text: " (now "}, {text, true}, {Text: ")"}}
	}
}

// named is a fact as people call it: action.context.ticket is context.ticket.
func named(path string) phrase { return phrase{strings.TrimPrefix(path, "action."), true} }

func valued(value any) phrase { return phrase{cmp.Or(shownValue(value), `""`), true} }

// presence returns the fact of has(fact).
func presence(e ast.Expr) (string, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.Has || len(e.AsCall().Args()) != 1 {
		return "", false
	}
	return pathOf(e.AsCall().Args()[0])
}

// pathOf returns the path of a fact, such as action.context.ticket.
func pathOf(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		return name, slices.Contains([]string{"action", "agent", "project", "session"}, name)
	case ast.SelectKind:
		root, ok := pathOf(e.AsSelect().Operand())
		return root + "." + e.AsSelect().FieldName(), ok
	case ast.CallKind:
		if call := e.AsCall(); call.FunctionName() == operators.Index && len(call.Args()) == 2 {
			root, ok := pathOf(call.Args()[0])
			key, isText := constant(call.Args()[1])
			text, _ := key.(string)
			return root + "." + text, ok && isText && text != ""
		}
	}
	return "", false
}

// constant returns a literal, or one of the stakes.
func constant(e ast.Expr) (any, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent(), slices.Contains(stakes, e.AsIdent())
	case ast.LiteralKind:
		switch v := e.AsLiteral().(type) {
		case types.Bool:
			return bool(v), true
		case types.Int:
			return int64(v), true
		case types.Uint:
			return int64(v), true //nolint:gosec // a value on a page
		case types.Double:
			return float64(v), true
		case types.String:
			return string(v), true
		}
	case ast.CallKind:
		if call := e.AsCall(); call.FunctionName() == operators.Negate && len(call.Args()) == 1 {
			switch v, _ := constant(call.Args()[0]); n := v.(type) {
			case int64:
				return -n, true
			case float64:
				return -n, true
			}
		}
	}
	return nil, false
}
