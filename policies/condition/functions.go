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

	"nomograph/internal/spelling"
)

// Functions for facts that callers spell in many ways: a branch, a boolean and a path. Each accepts an absent fact
// (action.params.?branch), one value, or a list. For an unreadable value git.branch returns "any branch", and the others
// fail, so that the rule denies.
const (
	branchFunction     = "git.branch"
	forcedFunction     = "git.forced"
	truthyFunction     = "truthy"
	withinFunction     = "path.within"
	onlyWithinFunction = "path.onlyWithin"
	likeFunction       = "path.like"
	onlyLikeFunction   = "path.onlyLike"
	commandFunction    = "command.like"
	onlyCommand        = "command.onlyLike"
)

// FactFunctions are the functions that read facts in any spelling.
var FactFunctions = []string{branchFunction, forcedFunction, truthyFunction, withinFunction, onlyWithinFunction, likeFunction, onlyLikeFunction, commandFunction, onlyCommand}

var factFunctions = []cel.EnvOption{
	cel.Function(branchFunction, cel.Overload("git_branch_dyn", []*cel.Type{cel.DynType}, cel.ListType(cel.StringType), cel.UnaryBinding(gitBranches))),
	cel.Function(forcedFunction, cel.Overload("git_forced_dyn", []*cel.Type{cel.DynType}, cel.BoolType, cel.UnaryBinding(gitForced))),
	cel.Function(truthyFunction, cel.Overload("truthy_dyn", []*cel.Type{cel.DynType}, cel.BoolType, cel.UnaryBinding(truthy))),
	cel.Function(withinFunction, cel.Overload("path_within_dyn_string", []*cel.Type{cel.DynType, cel.StringType}, cel.BoolType, cel.BinaryBinding(pathWithin))),
	cel.Function(onlyWithinFunction, cel.Overload("path_only_within_dyn_string", []*cel.Type{cel.DynType, cel.StringType}, cel.BoolType, cel.BinaryBinding(pathOnlyWithin))),
	cel.Function(likeFunction, cel.Overload("path_like_dyn_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.BoolType, cel.BinaryBinding(patternFunction(likeFunction, "paths", func(texts, patterns []string) bool {
		return slices.ContainsFunc(texts, func(text string) bool {
			return slices.ContainsFunc(patterns, func(pattern string) bool { return spelling.PathLike(text, pattern) })
		})
	})))),
	cel.Function(onlyLikeFunction, cel.Overload("path_only_like_dyn_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.BoolType, cel.BinaryBinding(patternFunction(onlyLikeFunction, "paths", func(texts, patterns []string) bool {
		return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool {
			return !slices.ContainsFunc(patterns, func(pattern string) bool { return spelling.PathSurelyLike(text, pattern) })
		})
	})))),
	cel.Function(commandFunction, cel.Overload("command_like_dyn_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.BoolType, cel.BinaryBinding(patternFunction(commandFunction, "commands", func(texts, patterns []string) bool {
		return slices.ContainsFunc(texts, func(text string) bool {
			return slices.ContainsFunc(patterns, func(pattern string) bool { return spelling.CommandLike(text, pattern) })
		})
	})))),
	cel.Function(onlyCommand, cel.Overload("command_only_like_dyn_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.BoolType, cel.BinaryBinding(patternFunction(onlyCommand, "commands", func(texts, patterns []string) bool {
		return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool { return !spelling.CommandSurelyLike(text, patterns) })
	})))),
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
			names = append(names, spelling.AnyBranch)
		}
	}
	names = append(names, spelling.Branches(strings.Join(texts, "\n"))...)
	slices.Sort(names)
	return types.DefaultTypeAdapter.NativeToValue(slices.Compact(names))
}

// gitForced is git.forced: whether a refspec begins with + or deletes a branch.
func gitForced(value ref.Val) ref.Val {
	found := false
	for _, v := range flatten(value) {
		text, ok := v.(types.String)
		if !ok {
			return unreadableValue(forcedFunction, "refspecs", v)
		}
		found = found || spelling.Forced(string(text))
	}
	return types.Bool(found)
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
			is, ok = spelling.Truth(string(v))
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

// pathWithin is path.within: whether one of the paths may be in a folder.
func pathWithin(value, root ref.Val) ref.Val {
	return onPaths(withinFunction, value, root, func(texts []string, root string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return spelling.Within(text, root) })
	})
}

// pathOnlyWithin is path.onlyWithin: whether there are paths, and all of them are certainly in a folder.
func pathOnlyWithin(value, root ref.Val) ref.Val {
	return onPaths(onlyWithinFunction, value, root, func(texts []string, root string) bool {
		return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool { return !spelling.SurelyWithin(text, root) })
	})
}

// patternFunction returns a function that compares texts with patterns, in which only * is a wildcard.
func patternFunction(function, subject string, holds func(texts, patterns []string) bool) func(value, patterns ref.Val) ref.Val {
	return func(value, patterns ref.Val) ref.Val {
		var texts, wanted []string
		for _, v := range flatten(patterns) {
			pattern, ok := v.(types.String)
			if !ok || spelling.Name(string(pattern)) == "" {
				return types.NewErr("%s() takes patterns as its second argument, such as \"/prod/*\"", function)
			}
			wanted = append(wanted, string(pattern))
		}
		for _, v := range flatten(value) {
			text, ok := v.(types.String)
			if !ok {
				return unreadableValue(function, subject, v)
			}
			texts = append(texts, string(text))
		}
		return types.Bool(len(wanted) > 0 && holds(texts, wanted))
	}
}

func onPaths(function string, value, root ref.Val, holds func(texts []string, root string) bool) ref.Val {
	folder, ok := root.(types.String)
	if !ok || spelling.Name(string(folder)) == "" {
		return types.NewErr("%s() takes a folder as its second argument, such as \"/prod\"", function)
	}
	var texts []string
	for _, v := range flatten(value) {
		text, ok := v.(types.String)
		if !ok {
			return unreadableValue(function, "paths", v)
		}
		texts = append(texts, string(text))
	}
	return types.Bool(holds(texts, string(folder)))
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
func (p *Program) Asks(function string) (plainly, denied bool) {
	var walk func(e ast.Expr, negated bool)
	walk = func(e ast.Expr, negated bool) {
		switch e.Kind() {
		case ast.CallKind:
			call := e.AsCall()
			switch call.FunctionName() {
			case function:
				plainly, denied = plainly || !negated, denied || negated
			case operators.LogicalNot:
				negated = !negated
			}
			for _, arg := range call.Args() {
				walk(arg, negated)
			}
			if call.IsMemberFunction() {
				walk(call.Target(), negated)
			}
		case ast.ComprehensionKind:
			walk(e.AsComprehension().LoopStep(), negated)
		}
	}
	walk(p.whole, false)
	return plainly, denied
}
