package condition

import (
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Unguarded returns the optional facts that the condition reads without checking has() first, sorted: if one is absent,
// the condition cannot be evaluated. Facts that before has checked are present, and those that it reads unguarded count
// as read there; before may be nil.
func (p *Program) Unguarded(before *Program) []string {
	w := unguardedReads{found: map[string]bool{}}
	known := map[string]bool{}
	if before != nil {
		known, _ = guards(before.checked.Expr())
		w.before = before.Unguarded(nil)
	}
	w.walk(p.checked.Expr(), known)
	return slices.Sorted(maps.Keys(w.found))
}

// guards returns the facts that are present if the expression is true, and if it is false: those that it tests by has(),
// in or hasValue().
func guards(e ast.Expr) (whenTrue, whenFalse map[string]bool) {
	whenTrue, whenFalse = map[string]bool{}, map[string]bool{}
	if e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() {
		path, _ := PathOf(e)
		addWithParents(whenTrue, path)
	}
	if e.Kind() != ast.CallKind {
		return whenTrue, whenFalse
	}
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalNot:
		whenFalse, whenTrue = guards(args[0])
	case operators.LogicalAnd:
		for _, arg := range args {
			known, _ := guards(arg)
			maps.Copy(whenTrue, known)
		}
	case operators.LogicalOr:
		for _, arg := range args {
			_, known := guards(arg)
			maps.Copy(whenFalse, known)
		}
	case operators.In:
		within, _ := PathOf(args[1])
		if key, ok := LiteralText(args[0]); ok && within != nil {
			addWithParents(whenTrue, append(within, key))
		}
	case "hasValue":
		path, _ := PathOf(call.Target())
		addWithParents(whenTrue, path)
	}
	return whenTrue, whenFalse
}

// addWithParents records a path and its parents.
func addWithParents(known map[string]bool, path []string) {
	for n := 2; n <= len(path); n++ {
		known[strings.Join(path[:n], ".")] = true
	}
}

// LiteralText returns the value of a text literal; false for any other expression.
func LiteralText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().Value().(string)
	return text, ok
}

// unguardedReads finds unguarded reads.
type unguardedReads struct {
	found  map[string]bool
	before []string // unguarded reads of an earlier condition
}

func (w *unguardedReads) walk(e ast.Expr, known map[string]bool) {
	with := func(more map[string]bool) map[string]bool {
		all := maps.Clone(known)
		maps.Copy(all, more)
		return all
	}
	switch name := function(e); {
	case name == operators.LogicalAnd || name == operators.LogicalOr: // either side may guard the other
		args := e.AsCall().Args()
		for i, arg := range args {
			whenTrue, whenFalse := guards(args[1-i])
			if name == operators.LogicalOr {
				whenTrue = whenFalse
			}
			w.walk(arg, with(whenTrue))
		}
	case name == operators.Conditional:
		args := e.AsCall().Args()
		whenTrue, whenFalse := guards(args[0])
		w.walk(args[0], known)
		w.walk(args[1], with(whenTrue))
		w.walk(args[2], with(whenFalse))
	case name == operators.OptSelect || name == operators.OptIndex:
		w.walk(e.AsCall().Args()[0], known)
	case e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() || !w.fact(e, known):
		for _, part := range children(e) {
			w.walk(part, known)
		}
	}
}

// children returns the parts of an expression.
func children(e ast.Expr) []ast.NavigableExpr { return ast.NavigateExpr(nil, e).Children() }

// function returns the name of the function that an expression calls; "" for any other expression.
func function(e ast.Expr) string {
	if e.Kind() != ast.CallKind {
		return ""
	}
	return e.AsCall().FunctionName()
}

// fact records the first optional and unguarded part of a path. It reports whether the expression is a path of an
// action.
func (w *unguardedReads) fact(e ast.Expr, known map[string]bool) bool {
	path, _ := PathOf(e)
	if len(path) < 2 || path[0] != "action" || optional(e) {
		return false
	}
	for n := 2; n <= len(path); n++ {
		name := strings.Join(path[:n], ".")
		number := n == 2 && (path[1] == "confidence" || path[1] == "quality_score")
		inside := n > 2 && (path[1] == "context" || path[1] == "params")
		if (number || inside) && !known[name] {
			if !slices.Contains(w.before, name) {
				w.found[name] = true
			}
			return true
		}
	}
	return true
}

// optional reports whether a path has an optional step: action.context.?size.
func optional(e ast.Expr) bool {
	switch e.Kind() {
	case ast.SelectKind:
		return optional(e.AsSelect().Operand())
	case ast.CallKind:
		name := function(e)
		return name == operators.OptSelect || name == operators.OptIndex || name == operators.Index &&
			optional(e.AsCall().Args()[0])
	}
	return false
}
