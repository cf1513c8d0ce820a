package condition

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"nomograph/internal/normalize"
	"nomograph/policies/targets"
)

// Functions for facts that callers spell in many ways: a branch, a boolean and a path. Each accepts an absent fact
// (action.params.?branch), one value, or a list. For an unreadable value git.branch returns "any branch", and the
// others fail, so that the rule denies.
const (
	branchFunction = "git.branch"
	forcedFunction = "git.forced"
	truthyFunction = "truthy"
)

// FactFunctions are the functions that read facts in any spelling.
var FactFunctions = []string{branchFunction, forcedFunction, truthyFunction, "path.within", "path.onlyWithin",
	"path.like", "path.onlyLike", "command.like",
	"command.onlyLike"}

var factFunctions = []cel.EnvOption{
	factFunction(branchFunction, cel.ListType(cel.StringType), gitBranches),
	factFunction(forcedFunction, cel.BoolType, gitForced),
	factFunction(truthyFunction, cel.BoolType, truthy),
	textFunction("path.within", "paths", cel.StringType, possibly(targets.Within)),
	textFunction("path.onlyWithin", "paths", cel.StringType, certainly(targets.SurelyWithin)),
	textFunction("path.like", "paths", cel.DynType, possibly(targets.PathLike)),
	textFunction("path.onlyLike", "paths", cel.DynType, certainly(targets.PathSurelyLike)),
	textFunction("command.like", "commands", cel.DynType, possibly(targets.CommandLike)),
	textFunction("command.onlyLike", "commands", cel.DynType, all(targets.CommandSurelyLike)),
}

func factFunction(name string, result *cel.Type, read func(ref.Val) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.Overload(strings.ReplaceAll(name, ".", "_")+"_dyn", []*cel.Type{cel.DynType}, result,
		cel.UnaryBinding(read)))
}

// possibly returns whether a text may match a pattern.
func possibly(matches func(text, pattern string) bool) func(texts, patterns []string) bool {
	return func(texts, patterns []string) bool {
		return slices.ContainsFunc(texts, func(text string) bool {
			return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(text, pattern) })
		})
	}
}

// certainly returns whether there are texts, and each certainly matches a pattern.
func certainly(matches func(text, pattern string) bool) func(texts, patterns []string) bool {
	return all(func(text string, patterns []string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(text, pattern) })
	})
}

func all(matches func(text string, patterns []string) bool) func(texts, patterns []string) bool {
	return func(texts, patterns []string) bool {
		return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool { return !matches(text, patterns) })
	}
}

// textFunction declares a function that compares texts with patterns, in which only * is a wildcard, or with one
// folder.
func textFunction(name, subject string, second *cel.Type, holds func(texts, patterns []string) bool) cel.EnvOption {
	complaint := "patterns as its second argument, such as \"/prod/*\""
	if second == cel.StringType {
		complaint = "a folder as its second argument, such as \"/prod\""
	}
	compare := func(value, patterns ref.Val) ref.Val {
		wanted, wrong := textsIn(patterns)
		if wrong != nil || slices.ContainsFunc(wanted, func(text string) bool { return normalize.Name(text) == "" }) ||
			second == cel.StringType && len(wanted) != 1 {
			return types.NewErr("%s() takes %s", name, complaint)
		}
		texts, wrong := textsIn(value)
		if wrong != nil {
			return unreadableValue(name, subject, wrong)
		}
		return types.Bool(len(wanted) > 0 && holds(texts, wanted))
	}
	return cel.Function(name, cel.Overload(strings.ReplaceAll(name, ".", "_")+"_dyn", []*cel.Type{cel.DynType, second},
		cel.BoolType, cel.BinaryBinding(compare)))
}

// textsIn returns the texts within a value, and a value that is no text, if there is one.
func textsIn(value ref.Val) (texts []string, wrong ref.Val) {
	for _, v := range flatten(value) {
		text, ok := v.(types.String)
		if !ok {
			return nil, v
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// flatten returns the values within a value, recursively. Absent and null values return none.
func flatten(value ref.Val) []ref.Val {
	switch v := value.(type) {
	case *types.Optional:
		if v.HasValue() {
			return flatten(v.GetValue())
		}
		return nil
	case types.Null:
		return nil
	case traits.Lister:
		var all []ref.Val
		for it := v.Iterator(); it.HasNext() == types.True; {
			all = append(all, flatten(it.Next())...)
		}
		return all
	}
	return []ref.Val{value}
}

// gitBranches is git.branch: the branches that a push with these refspecs writes, any branch if unknown.
func gitBranches(value ref.Val) ref.Val {
	var names, texts []string
	for _, v := range flatten(value) {
		if text, ok := v.(types.String); ok {
			texts = append(texts, string(text))
		} else {
			names = append(names, targets.AnyBranch)
		}
	}
	names = append(names, targets.Branches(strings.Join(texts, "\n"))...)
	slices.Sort(names)
	return types.DefaultTypeAdapter.NativeToValue(slices.Compact(names))
}

// gitForced is git.forced: whether a refspec begins with + or deletes a branch.
func gitForced(value ref.Val) ref.Val {
	texts, wrong := textsIn(value)
	if wrong != nil {
		return unreadableValue(forcedFunction, "refspecs", wrong)
	}
	return types.Bool(slices.ContainsFunc(texts, targets.Forced))
}

// truthy reads booleans. A list is true if all of its values are true.
func truthy(value ref.Val) ref.Val {
	values := flatten(value)
	first := false
	for i, v := range values {
		is, ok := false, false
		switch v := v.(type) {
		case types.Bool:
			is, ok = bool(v), true
		case types.Int:
			is, ok = v != 0, true
		case types.Uint:
			is, ok = v != 0, true
		case types.Double:
			is, ok = v != 0, v == v
		case types.String:
			is, ok = normalize.Truth(string(v))
		}
		switch {
		case !ok:
			return types.NewErr("%s(): %s is neither true nor false", truthyFunction, describeValue(v))
		case i > 0 && is != first:
			return types.NewErr("%s(): of the list, one value is true and another is false", truthyFunction)
		}
		first = is
	}
	return types.Bool(first)
}

func unreadableValue(function, subject string, value ref.Val) ref.Val {
	return types.NewErr("%s() takes %s as text or a list of texts, not %s", function, subject, describeValue(value))
}

func describeValue(value ref.Val) string {
	if text, ok := value.(types.String); ok {
		return fmt.Sprintf("%.60q", string(text))
	}
	return "a value of the type " + value.Type().TypeName()
}

// scanCost is the cost of these functions: they read each character several times.
type scanCost struct{}

const costOfLetter = 10 // measured: about 300 ns; a CEL unit is about 30 ns

// CallCost implements CEL's cost estimator.
func (scanCost) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	if !slices.Contains(FactFunctions, function) {
		return nil
	}
	letters := 10
	for _, v := range flatten(args[0]) {
		letters++
		if text, ok := v.(types.String); ok {
			letters += len(text)
		}
	}
	if len(args) > 1 { // patterns
		letters *= max(1, len(flatten(args[1])))
	}
	cost := uint64(letters * costOfLetter)
	return &cost
}

// Asks reports whether the condition requires a function to be true (plainly) or false (denied).
func (p *Program) Asks(asked string) (plainly, denied bool) {
	var walk func(e ast.Expr, negated bool)
	walk = func(e ast.Expr, negated bool) {
		if e.Kind() == ast.ComprehensionKind { // the other parts of a loop only start and end it
			e = e.AsComprehension().LoopStep()
		}
		if function(e) == asked {
			plainly, denied = plainly || !negated, denied || negated
		}
		for _, part := range children(e) {
			walk(part, negated != (function(e) == operators.LogicalNot))
		}
	}
	walk(p.checked.Expr(), false)
	return plainly, denied
}
