package condition

import (
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Unguarded returns the optional facts that the condition reads without checking has() first, sorted: if one is absent,
// the condition cannot be evaluated. Facts that before has checked are present; before may be nil.
func (p *Program) Unguarded(before *Program) []string {
	w := unguardedReads{found: map[string]bool{}}
	known := map[string]bool{}
	if before != nil {
		known, _ = factsRead(before.checked.Expr())
	}
	w.walk(p.checked.Expr(), known)
	return slices.Sorted(maps.Keys(w.found))
}

// guards returns the facts that are present if the expression is true, and if it is false: those that it checks, such
// as with has().
func guards(e ast.Expr) (whenTrue, whenFalse map[string]bool) { return facts(e, tested) }

// factsRead is like guards, and includes the facts that the expression always reads: a comparison without its fact is
// neither true nor false.
func factsRead(e ast.Expr) (whenTrue, whenFalse map[string]bool) { return facts(e, read) }

// presence is the evidence that a fact is present.
type presence int

const (
	tested presence = iota // by has(), in or hasValue()
	read                   // by tested checks, or because the expression reads the fact
)

func facts(e ast.Expr, how presence) (whenTrue, whenFalse map[string]bool) {
	whenTrue, whenFalse = map[string]bool{}, map[string]bool{}
	both := func(part ast.Expr) { // a part that is always evaluated
		if how != read {
			return
		}
		known, too := facts(part, how)
		for name := range known {
			if too[name] {
				whenTrue[name], whenFalse[name] = true, true
			}
		}
	}
	switch e.Kind() {
	case ast.SelectKind:
		path, _ := PathOf(e)
		if e.AsSelect().IsTestOnly() {
			addWithParents(whenTrue, path)
			if len(path) > 0 && how == read { // has() fails if the parent is absent
				addWithParents(whenFalse, path[:len(path)-1])
			}
			return whenTrue, whenFalse
		}
		if how == read && path != nil && !optional(e) {
			addWithParents(whenTrue, path)
			addWithParents(whenFalse, path)
		} else {
			both(e.AsSelect().Operand())
		}
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		switch call.FunctionName() {
		case operators.LogicalNot:
			whenFalse, whenTrue = facts(args[0], how)
		case operators.LogicalAnd:
			for _, arg := range args {
				known, _ := facts(arg, how)
				maps.Copy(whenTrue, known)
			}
		case operators.LogicalOr:
			for _, arg := range args {
				_, known := facts(arg, how)
				maps.Copy(whenFalse, known)
			}
		case operators.Conditional:
			both(args[0])
		case operators.OptSelect, operators.OptIndex:
			both(args[0])
		default:
			path, _ := PathOf(e)
			if path != nil && !optional(e) { // action.context["size"]
				if how == read {
					addWithParents(whenTrue, path)
					addWithParents(whenFalse, path)
				}
				break
			}
			for _, part := range children(e) {
				both(part)
			}
			if call.FunctionName() == operators.In {
				within, _ := PathOf(args[1])
				if key, ok := LiteralText(args[0]); ok && within != nil {
					addWithParents(whenTrue, append(within, key))
				}
			}
			if call.FunctionName() == "hasValue" && call.IsMemberFunction() {
				path, _ := PathOf(call.Target())
				addWithParents(whenTrue, path)
			}
		}
	case ast.ListKind:
		for _, item := range children(e) {
			both(item)
		}
	case ast.ComprehensionKind: // the loop may have no iteration
		both(e.AsComprehension().IterRange())
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
type unguardedReads struct{ found map[string]bool }

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
		whenTrue, whenFalse := factsRead(args[0])
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
			w.found[name] = true
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
