package condition

import (
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"nomograph/internal/normalize"
	"nomograph/policies/targets"
)

// Rules see names in one spelling (package normalize). The constants that a condition compares them with are normalized,
// too: a rule about "Rollout" applies to every spelling of it.

// loops are the variables of the surrounding loops and their lists.
type loops map[string]ast.Expr

// spell normalizes the constants that an expression compares with names.
func spell(e ast.Expr, around loops) {
	if e.Kind() == ast.ComprehensionKind {
		loop := e.AsComprehension()
		spell(loop.IterRange(), around)
		inside := loops{loop.IterVar(): loop.IterRange()}
		for name, list := range around {
			if name != loop.IterVar() && name != loop.AccuVar() {
				inside[name] = list
			}
		}
		for _, part := range []ast.Expr{loop.AccuInit(), loop.LoopCondition(), loop.LoopStep(), loop.Result()} {
			spell(part, inside)
		}
		return
	}
	for _, part := range children(e) {
		spell(part, around)
	}
	if e.Kind() == ast.CallKind {
		spellOperands(e.AsCall(), around)
	}
}

// spellOperands normalizes what a call compares a name with.
func spellOperands(call ast.CallExpr, around loops) {
	operands := call.Args()
	if call.IsMemberFunction() {
		operands = append([]ast.Expr{call.Target()}, operands...)
	}
	whole := slices.Contains([]string{operators.Equals, operators.NotEquals, operators.In, operators.OldIn},
		call.FunctionName())
	part := slices.Contains([]string{"startsWith", "endsWith", "contains", "matches"}, call.FunctionName())
	if len(operands) != 2 || !whole && !part {
		return
	}
	for i, operand := range operands {
		form := nameForm(operand, around)
		if form == nil {
			continue
		}
		switch {
		case call.FunctionName() == "matches":
			form = func(expression string) string { return "(?i)" + strings.TrimPrefix(expression, "(?i)") }
		case part:
			form = normalize.Fold
		}
		rewrite(operands[1-i], form, around)
	}
}

// rewrite applies form to a string, to the strings of a list, or to the list of a loop variable.
func rewrite(e ast.Expr, form func(string) string, around loops) {
	switch e.Kind() {
	case ast.LiteralKind:
		if text, ok := e.AsLiteral().(types.String); ok {
			e.SetKindCase(ast.NewExprFactory().NewLiteral(e.ID(), types.String(form(string(text)))))
		}
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			rewrite(element, form, around)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			rewrite(entry.AsMapEntry().Key(), form, around)
		}
	case ast.IdentKind:
		if list := around[e.AsIdent()]; list != nil && list.Kind() != ast.IdentKind {
			rewrite(list, form, around)
		}
	}
}

// nameForm returns the normalization of the names that an expression yields; nil if it yields none.
func nameForm(e ast.Expr, around loops) func(string) string {
	if e.Kind() == ast.IdentKind {
		if list := around[e.AsIdent()]; list != nil {
			return nameForm(list, nil)
		}
	}
	if function(e) == operators.Index && nameForm(e.AsCall().Args()[0], around) != nil {
		return nameForm(e.AsCall().Args()[0], around) // an item of a list of names
	}
	if function(e) == "orValue" && e.AsCall().IsMemberFunction() {
		e = e.AsCall().Target()
	}
	if function(e) == branchFunction {
		return branchName
	}
	path, _ := PathOf(e)
	switch strings.Join(path, ".") {
	case "project":
		return normalize.Project
	case "agent", "action.category", "action.name", "action.pattern", "action.tags", "action.actors":
		return normalize.Name
	}
	return nil
}

// branchName is the spelling of a branch in git.branch.
func branchName(text string) string {
	if names := targets.Branches(text); len(names) == 1 {
		return names[0]
	}
	return normalize.Fold(text)
}
