package cstp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/parser"

	"nomograph/policies/condition"
)

// cel adds a CEL condition. In CSTP an error means that the rule does not apply; here it would deny. So each comparison
// first checks that its facts are present.
func (r *importedRule) cel(text string) error {
	if len(text) > condition.MaxTextLength {
		return errors.New("its condition is too long")
	}
	tree, err := parseCEL(text)
	if err != nil {
		return fmt.Errorf("its condition is not CEL: %w", err)
	}
	t := &celTranslation{rule: r, source: tree.SourceInfo(), room: 2 * condition.MaxTextLength}
	t.rename(tree.Expr())
	holds, err := t.truth(tree.Expr(), true)
	if err != nil {
		return err
	}
	if strings.Contains(holds, " || ") {
		holds = "(" + holds + ")"
	}
	r.applies = append(r.applies, holds)
	return nil
}

// parseCEL parses CEL without expanding macros: has() and exists() stay as they are.
func parseCEL(text string) (*ast.AST, error) {
	p, _ := parser.NewParser() // cannot fail without options
	tree, problems := p.Parse(common.NewTextSource(text))
	if all := problems.GetErrors(); len(all) > 0 {
		return nil, errors.New(all[0].Message)
	}
	return tree, nil
}

type celTranslation struct {
	rule   *importedRule
	source *ast.SourceInfo
	room   int // remaining bytes of the result
}

// truth returns a condition for "e is true", or "e is false" if want is false. The condition cannot fail.
func (t *celTranslation) truth(e ast.Expr, want bool) (string, error) {
	if e.Kind() == ast.CallKind {
		call := e.AsCall()
		args := call.Args()
		switch call.FunctionName() {
		case operators.LogicalNot:
			return t.truth(args[0], !want)
		case operators.LogicalAnd:
			return t.join(args, want, want)
		case operators.LogicalOr:
			return t.join(args, want, !want)
		case operators.Conditional:
			return t.conditional(args, want)
		}
	}
	text, err := condition.Unparse(e, t.source)
	if err != nil {
		return "", err
	}
	if !want {
		text = "!(" + text + ")"
	}
	text = strings.Join(append(t.presenceChecks(e), text), " && ")
	if t.room -= len(text); t.room < 0 {
		return "", errors.New("its condition is too long")
	}
	return text, nil
}

// join joins the conditions of the parts: with && if all must hold, else with ||.
func (t *celTranslation) join(parts []ast.Expr, want, every bool) (string, error) {
	texts := make([]string, len(parts))
	for i, part := range parts {
		text, err := t.truth(part, want)
		if err != nil {
			return "", err
		}
		if every && strings.Contains(text, " || ") {
			text = "(" + text + ")"
		}
		texts[i] = text
	}
	if every {
		return strings.Join(texts, " && "), nil
	}
	return strings.Join(texts, " || "), nil
}

// conditional translates c ? a : b.
func (t *celTranslation) conditional(args []ast.Expr, want bool) (string, error) {
	branches := make([]string, 2)
	for i, which := range []bool{true, false} {
		asked, err := t.truth(args[0], which)
		if err != nil {
			return "", err
		}
		then, err := t.truth(args[1+i], want)
		if err != nil {
			return "", err
		}
		branches[i] = "(" + asked + ") && (" + then + ")"
	}
	return strings.Join(branches, " || "), nil
}

// presenceChecks returns checks for all context facts that e reads, outermost first.
func (t *celTranslation) presenceChecks(e ast.Expr) []string {
	asked, skip := []string{}, map[ast.Expr]bool{}
	ask := func(text string) {
		if !slices.Contains(asked, text) {
			asked = append(asked, text)
		}
	}
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "has" && len(e.AsCall().Args()) == 1 {
			skip[e.AsCall().Args()[0]] = true
			return
		}
		steps := contextSteps(e)
		if skip[e] { // has() itself checks the last step
			steps = steps[:max(len(steps)-1, 0)]
		}
		at := "action.context"
		for _, step := range steps {
			if condition.Selectable(step) {
				at += "." + step
				ask("has(" + at + ")")
				continue
			}
			ask(strconv.Quote(step) + " in " + at)
			at += "[" + strconv.Quote(step) + "]"
		}
	}))
	return asked
}

// contextSteps returns the keys from action.context to e.
func contextSteps(e ast.Expr) []string {
	path, _ := condition.PathOf(e)
	if len(path) < 3 || path[0] != "action" || path[1] != "context" {
		return nil
	}
	return path[2:]
}

func isField(e ast.Expr, name string) bool {
	path, _ := condition.PathOf(e)
	return slices.Equal(path, []string{"action", name})
}
