package condition

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"nomograph/internal/pattern"
)

// A condition says threshold("name"), or threshold("name", scope). Both become a call of thresholdCall on the
// thresholds of an evaluation, so that a compiled condition contains no values. The name must be a literal, so that
// the thresholds of a rule are known without running it.
const (
	thresholdsVariable = "@thresholds"
	thresholdCall      = "@threshold"
)

var thresholdMacros = []cel.Macro{
	cel.GlobalMacro("threshold", 1, func(f cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
		return expand(f, args[0], f.NewLiteral(types.String("")))
	}),
	cel.GlobalMacro("threshold", 2, func(f cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
		return expand(f, args[0], args[1])
	}),
}

func expand(f cel.MacroExprFactory, name, scope ast.Expr) (ast.Expr, *cel.Error) {
	if name.Kind() != ast.LiteralKind || name.AsLiteral().Type() != types.StringType {
		return nil, f.NewError(name.ID(), `threshold() takes its name in quotes: threshold("error_rate_max")`)
	}
	return f.NewCall(thresholdCall, f.NewIdent(thresholdsVariable), name, scope), nil
}

var thresholdFunction = cel.Function(thresholdCall,
	cel.Overload("threshold_of_scope", []*cel.Type{cel.DynType, cel.StringType, cel.StringType}, cel.DynType,
		cel.FunctionBinding(func(args ...ref.Val) ref.Val {
			thresholds, ok := args[0].(lookup)
			if !ok || thresholds.read == nil {
				return types.NewErr("no thresholds are available")
			}
			name, _ := args[1].Value().(string)
			scope, _ := args[2].Value().(string)
			value, err := thresholds.read(name, scope)
			if err != nil {
				return types.WrapErr(err)
			}
			return types.DefaultTypeAdapter.NativeToValue(value)
		})))

// lookup passes the thresholds of one evaluation through CEL, as a value that no condition can name.
type lookup struct {
	ref.Val
	read func(name, scope string) (any, error)
}

// inspect records the thresholds and facts of the condition.
func (p *Program) inspect(e ast.Expr) {
	within := map[int64]bool{} // parts of a recorded path, and loop variables
	p.keys = map[string][]string{}
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if function(e) == thresholdCall {
			name, _ := e.AsCall().Args()[1].AsLiteral().Value().(string)
			scope := e.AsCall().Args()[2]
			if scope.Kind() == ast.LiteralKind && scope.AsLiteral().Value() == "" {
				p.Thresholds = append(p.Thresholds, name)
			} else {
				p.Scoped = append(p.Scoped, name)
			}
			return
		}
		if e.Kind() == ast.ComprehensionKind {
			for _, id := range loopVariables(e.AsComprehension()) {
				within[id] = true
			}
		}
		if within[e.ID()] {
			return
		}
		if path, parts := PathOf(e); path != nil && slices.Contains(roots, path[0]) && !within[parts[0]] {
			name := strings.Join(path, ".")
			p.Paths, p.keys[name] = append(p.Paths, name), path
			for _, id := range parts {
				within[id] = true
			}
		}
	}))
	for _, list := range []*[]string{&p.Thresholds, &p.Scoped, &p.Paths} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// loopVariables returns the uses of a loop's own variables, which may have the name of a fact.
func loopVariables(loop ast.ComprehensionExpr) (ids []int64) {
	for _, part := range []ast.Expr{loop.LoopCondition(), loop.LoopStep(), loop.Result()} {
		ast.PreOrderVisit(part, ast.NewExprVisitor(func(e ast.Expr) {
			if e.Kind() == ast.IdentKind && (e.AsIdent() == loop.IterVar() || e.AsIdent() == loop.IterVar2()) {
				ids = append(ids, e.ID())
			}
		}))
	}
	return ids
}

var (
	selectable = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// keywords are words that cannot follow a dot.
	keywords = []string{"true", "false", "null", "in"}
)

// Selectable reports whether a key can be selected with a dot.
func Selectable(key string) bool {
	return selectable.MatchString(key) && !slices.Contains(keywords, key)
}

// PathOf parses a.b.c, a["b"], a.?b and a[?"b"] as a path, with the ids of its parts.
func PathOf(e ast.Expr) (path []string, parts []int64) {
	var operand ast.Expr
	var key string
	switch e.Kind() {
	case ast.IdentKind:
		return []string{e.AsIdent()}, []int64{e.ID()}
	case ast.SelectKind:
		operand, key = e.AsSelect().Operand(), e.AsSelect().FieldName()
	case ast.CallKind:
		call := e.AsCall()
		if !slices.Contains([]string{operators.Index, operators.OptIndex, operators.OptSelect}, call.FunctionName()) {
			return nil, nil
		}
		literal := call.Args()[1]
		if literal.Kind() != ast.LiteralKind {
			return nil, nil
		}
		text, ok := literal.AsLiteral().Value().(string)
		if !ok {
			return nil, nil
		}
		operand, key = call.Args()[0], text
	default:
		return nil, nil
	}
	path, parts = PathOf(operand)
	if path == nil {
		return nil, nil
	}
	return append(path, key), append(parts, e.ID())
}
