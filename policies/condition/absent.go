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
		known, _ = factsRead(before.whole)
	}
	w.walk(p.whole, known)
	return slices.Sorted(maps.Keys(w.found))
}

// guards returns the facts that are present if the expression is true, and if it is false: those that it checks, such as
// with has().
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
		path, _ := pathOf(e)
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
			path, _ := pathOf(e)
			if path != nil && !optional(e) { // action.context["size"]
				if how == read {
					addWithParents(whenTrue, path)
					addWithParents(whenFalse, path)
				}
				break
			}
			if call.IsMemberFunction() {
				both(call.Target())
			}
			for _, arg := range args {
				both(arg)
			}
			if call.FunctionName() == operators.In {
				within, _ := pathOf(args[1])
				if key, ok := literalText(args[0]); ok && within != nil {
					addWithParents(whenTrue, append(within, key))
				}
			}
			if call.FunctionName() == "hasValue" && call.IsMemberFunction() {
				path, _ := pathOf(call.Target())
				addWithParents(whenTrue, path)
			}
		}
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
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

func literalText(e ast.Expr) (string, bool) {
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
	switch e.Kind() {
	case ast.SelectKind:
		if e.AsSelect().IsTestOnly() {
			w.walk(e.AsSelect().Operand(), known)
			return
		}
		if !w.fact(e, known) {
			w.walk(e.AsSelect().Operand(), known)
		}
	case ast.CallKind:
		args := e.AsCall().Args()
		switch name := e.AsCall().FunctionName(); {
		case (name == operators.LogicalAnd || name == operators.LogicalOr) && len(args) == 2: // either side may guard the other
			for i, arg := range args {
				whenTrue, whenFalse := guards(args[1-i])
				if name == operators.LogicalOr {
					whenTrue = whenFalse
				}
				w.walk(arg, with(whenTrue))
			}
			return
		case name == operators.Conditional:
			whenTrue, whenFalse := factsRead(args[0])
			w.walk(args[0], known)
			w.walk(args[1], with(whenTrue))
			w.walk(args[2], with(whenFalse))
			return
		case name == operators.OptSelect || name == operators.OptIndex:
			w.walk(args[0], known)
			return
		case name == operators.Index && w.fact(e, known):
			return
		}
		if e.AsCall().IsMemberFunction() {
			w.walk(e.AsCall().Target(), known)
		}
		for _, arg := range args {
			w.walk(arg, known)
		}
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			w.walk(item, known)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			w.walk(entry.AsMapEntry().Value(), known)
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		for _, part := range []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			w.walk(part, known)
		}
	}
}

// fact records the first optional and unguarded part of a path. It reports whether the expression is a path of an
// action.
func (w *unguardedReads) fact(e ast.Expr, known map[string]bool) bool {
	path, _ := pathOf(e)
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
		name := e.AsCall().FunctionName()
		return name == operators.OptSelect || name == operators.OptIndex || name == operators.Index && optional(e.AsCall().Args()[0])
	}
	return false
}
