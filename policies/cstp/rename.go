package cstp

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"nomograph/policies/condition"
)

// rename converts CSTP's names in an expression to Nomograph's.
func (t *celTranslation) rename(e ast.Expr) {
	for _, pass := range []func(ast.Expr){t.presence, t.operands, t.field} {
		ast.PostOrderVisit(e, ast.NewExprVisitor(pass))
	}
}

// presence replaces has() of a field of the action by true, because these fields are always present in CSTP.
func (t *celTranslation) presence(e ast.Expr) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "has" || len(e.AsCall().Args()) != 1 {
		return
	}
	asked := e.AsCall().Args()[0]
	for name := range ownFields {
		if isField(asked, name) {
			e.SetKindCase(ast.NewExprFactory().NewLiteral(e.ID(), types.True))
			return
		}
	}
}

// operands converts constants that are compared with stakes and ratios.
func (t *celTranslation) operands(e ast.Expr) {
	if e.Kind() != ast.CallKind || len(e.AsCall().Args()) != 2 {
		return
	}
	for i, this := range e.AsCall().Args() {
		for _, literal := range elements(e.AsCall().Args()[1-i]) {
			text, ok := condition.LiteralText(literal)
			_, known := condition.ParseStakes(text)
			switch {
			case isField(this, "stakes") && ok && known:
				literal.SetKindCase(ast.NewExprFactory().NewIdent(literal.ID(), text))
			case isField(this, "confidence") || isField(this, "quality_score"):
				if whole, ok := literal.AsLiteral().(types.Int); ok {
					literal.SetKindCase(ast.NewExprFactory().NewLiteral(literal.ID(), types.Double(whole)))
				}
			}
		}
	}
}

// elements returns a literal, or the literals of a list.
func elements(e ast.Expr) []ast.Expr {
	all := []ast.Expr{e}
	if e.Kind() == ast.ListKind {
		all = e.AsList().Elements()
	}
	return slices.DeleteFunc(slices.Clone(all), func(e ast.Expr) bool { return e.Kind() != ast.LiteralKind })
}

// field converts the name of a field.
func (t *celTranslation) field(e ast.Expr) {
	for name, f := range ownFields {
		if !isField(e, name) {
			continue
		}
		text := f.path
		switch f.kind {
		case floatKind:
			t.rule.zeroWhereAbsent(f)
			text = orZero(f)
		case flagKind:
			text = f.yes
		}
		if text == "action."+name {
			return
		}
		if tree, err := parseCEL(text); err == nil { // the texts are constants of this package
			e.SetKindCase(tree.Expr())
		}
		return
	}
}
