package condition

import (
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// Comparisons are the comparisons in a condition.
type Comparisons struct {
	// Facts are the compared facts by path, such as action.confidence.
	Facts map[string]*Compared
	// Simple is true if every part of the condition compares one fact with a constant or a threshold, reads one boolean
	// fact, or checks whether a fact is present. Then its result changes only at those values.
	Simple bool
	// Numbers are all numbers in the condition.
	Numbers []Number
}

// Compared are the values that a fact is compared with.
type Compared struct {
	Values     []any // int64, float64, string, bool or nil
	Thresholds []string
	Truth      bool // whether the fact is read as a boolean
}

// Number is a number in a condition. Bound is true if it is used as a bound.
type Number struct {
	Value float64
	Bound bool
}

// Comparisons inspects the condition.
func (p *Program) Comparisons() Comparisons {
	found := comparing{Comparisons{Facts: map[string]*Compared{}}, p.checked}
	found.Simple = found.condition(p.checked.Expr())
	found.numbers(p.checked.Expr())
	return found.Comparisons
}

type comparing struct {
	Comparisons
	checked *ast.AST
}

var (
	bounds      = []string{operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals}
	comparators = append([]string{operators.Equals, operators.NotEquals}, bounds...)
)

// condition records the comparisons of a part and reports whether all of it is simple.
func (c *comparing) condition(e ast.Expr) bool {
	if e.Kind() == ast.CallKind {
		call := e.AsCall()
		switch name := call.FunctionName(); {
		case slices.Contains([]string{operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot,
			operators.Conditional}, name):
			simple := true
			for _, part := range call.Args() {
				simple = c.condition(part) && simple
			}
			return simple
		case slices.Contains(comparators, name):
			return c.comparison(call.Args()[0], call.Args()[1], slices.Contains(bounds, name))
		case name == operators.In:
			return c.membership(call.Args()[0], call.Args()[1])
		}
	}
	if e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() {
		path, simple := c.path(e)
		if simple {
			c.fact(path)
		}
		return simple
	}
	o, simple := c.operand(e)
	if simple && o.path != "" {
		c.fact(o.path).Truth = true
	}
	return simple
}

func (c *comparing) comparison(left, right ast.Expr, bound bool) bool {
	a, simpleA := c.operand(left)
	b, simpleB := c.operand(right)
	if !simpleA || !simpleB || a.path != "" && b.path != "" {
		return false
	}
	if a.path == "" {
		a, b = b, a
	}
	if a.path == "" { // two constants
		return true
	}
	if _, ok := b.value.(string); ok && bound { // two strings may have no value between them
		return false
	}
	fact := c.fact(a.path)
	if b.threshold != "" {
		fact.Thresholds = append(fact.Thresholds, b.threshold)
		return true
	}
	fact.Values = append(fact.Values, b.value)
	return true
}

func (c *comparing) membership(one, list ast.Expr) bool {
	o, simple := c.operand(one)
	if !simple || o.path == "" || list.Kind() != ast.ListKind {
		return false
	}
	for _, element := range list.AsList().Elements() {
		item, constant := c.operand(element)
		if !constant || item.path != "" || item.threshold != "" {
			return false
		}
		c.fact(o.path).Values = append(c.fact(o.path).Values, item.value)
	}
	return true
}

func (c *comparing) fact(path string) *Compared {
	if c.Facts[path] == nil {
		c.Facts[path] = &Compared{}
	}
	return c.Facts[path]
}

// operand is one side of a comparison: a fact, a threshold or a constant.
type operand struct {
	path      string
	threshold string
	value     any
}

func (c *comparing) operand(e ast.Expr) (operand, bool) {
	switch e.Kind() {
	case ast.LiteralKind:
		switch value := e.AsLiteral().(type) {
		case types.Int, types.Double, types.String, types.Bool:
			return operand{value: value.Value()}, true
		case types.Null:
			return operand{}, true
		}
		return operand{}, false
	case ast.IdentKind:
		if reference := c.checked.ReferenceMap()[e.ID()]; reference != nil && reference.Value != nil {
			return operand{value: reference.Value.Value()}, true
		}
	case ast.CallKind:
		call := e.AsCall()
		switch {
		case call.FunctionName() == thresholdCall:
			name, _ := call.Args()[1].AsLiteral().Value().(string)
			scope, constant := LiteralText(call.Args()[2])
			return operand{threshold: name}, constant && scope == ""
		case call.FunctionName() == "orValue" && call.IsMemberFunction() && call.Args()[0].Kind() == ast.LiteralKind:
			path, simple := c.path(call.Target())
			otherwise, constant := c.operand(call.Args()[0])
			if simple && constant {
				c.fact(path).Values = append(c.fact(path).Values, otherwise.value)
			}
			return operand{path: path}, simple && constant
		}
	}
	path, simple := c.path(e)
	return operand{path: path}, simple
}

// path returns a fact that stands alone: one input, one field of the action, one key of its params or context.
func (c *comparing) path(e ast.Expr) (string, bool) {
	path, _ := PathOf(e)
	if path == nil || !slices.Contains(roots, path[0]) ||
		slices.ContainsFunc(path, func(key string) bool { return strings.Contains(key, ".") }) {
		return "", false
	}
	depth := 1
	switch path[0] {
	case "now":
		return "", false
	case "inputs", "action":
		depth = 2
	}
	if path[0] == "action" && len(path) > 1 && (path[1] == "params" || path[1] == "context") {
		depth = 3
	}
	whole := []string{"tags", "reasons"} // lists, which are compared as a whole and not with a constant
	return strings.Join(path, "."), len(path) == depth && !slices.Contains(whole, path[len(path)-1])
}

func (c *comparing) numbers(e ast.Expr) {
	bounding := map[int64]bool{}
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.CallKind:
			for _, argument := range e.AsCall().Args() {
				bounding[argument.ID()] = slices.Contains(bounds, e.AsCall().FunctionName())
			}
		case ast.LiteralKind:
			switch value := e.AsLiteral().(type) {
			case types.Int:
				c.Numbers = append(c.Numbers, Number{float64(value), bounding[e.ID()]})
			case types.Double:
				c.Numbers = append(c.Numbers, Number{float64(value), bounding[e.ID()]})
			}
		}
	}))
}
