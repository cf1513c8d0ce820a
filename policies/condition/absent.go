package condition

import (
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Unguarded gives the facts that may be absent and that the condition reads without asking has() first, sorted: where one is
// absent, the condition cannot be evaluated. What before has made sure of, where it held, is there; before may be nil.
func (p *Program) Unguarded(before *Program) []string {
	w := absence{found: map[string]bool{}}
	known := map[string]bool{}
	if before != nil {
		known, _ = guards(before.whole)
	}
	w.walk(p.whole, known)
	return slices.Sorted(maps.Keys(w.found))
}

// guards are the facts that are there where the expression is true, and where it is false.
func guards(e ast.Expr) (whenTrue, whenFalse map[string]bool) {
	whenTrue, whenFalse = map[string]bool{}, map[string]bool{}
	switch e.Kind() {
	case ast.SelectKind:
		if e.AsSelect().IsTestOnly() {
			path, _ := pathOf(e)
			whenTrue[strings.Join(path, ".")] = true
		}
	case ast.CallKind:
		args := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
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
			path, _ := pathOf(args[1])
			if key, is := literalText(args[0]); is && path != nil {
				whenTrue[strings.Join(append(path, key), ".")] = true
			}
		}
	}
	return whenTrue, whenFalse
}

func literalText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, is := e.AsLiteral().Value().(string)
	return text, is
}

// absence finds what is read unguarded.
type absence struct{ found map[string]bool }

func (w *absence) walk(e ast.Expr, known map[string]bool) {
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
			whenTrue, whenFalse := guards(args[0])
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

// fact notes the first part of a path that may be absent and that nothing has asked for. It says whether the expression is a
// path of an action at all.
func (w *absence) fact(e ast.Expr, known map[string]bool) bool {
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

// optional tells whether a path has a step that may lead nowhere: action.context.?size.
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
