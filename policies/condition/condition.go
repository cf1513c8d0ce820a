// Package condition compiles and evaluates the conditions of rules and decision tables: CEL expressions
// (https://cel.dev) over an action or a table's inputs, and live thresholds.
//
// It reads no graph. The caller passes the thresholds that Program.Thresholds and Program.Scoped name.
package condition

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"
	"cel.dev/cel-go/parser"
	lru "github.com/hashicorp/golang-lru/v2"
	"google.golang.org/protobuf/types/known/structpb"

	"nomograph/internal/pattern"
)

// Program is a compiled condition. It is safe for concurrent use.
type Program struct {
	// Text is the source of the condition.
	Text string
	// Thresholds are the names that threshold("name") reads; Scoped are those that it reads with a scope as second
	// argument.
	Thresholds, Scoped []string
	// Paths are the facts that the condition names, such as action.confidence or inputs.score.
	Paths []string

	program cel.Program
	grows   bool                // whether its evaluation can take long
	plain   string              // the text on one line with one style of quotes
	keys    map[string][]string // the steps of each path: a key may contain a dot
	checked *ast.AST
	clauses func() []*Program // the parts of a conjunction
}

// Facts are the inputs of a condition. Rules see Action, Agent, Project, Session and Now; rows of tables see Inputs and
// Now.
type Facts struct {
	Action                  *Action
	Agent, Project, Session string
	Now                     time.Time
	Inputs                  map[string]any
	// Threshold returns the live value of a threshold for a scope ("" for the plain one).
	Threshold func(name, scope string) (any, error)

	prepared cel.Activation
}

// Prepare computes what every evaluation over these facts needs. It must be called again after a change.
func (f *Facts) Prepare() {
	f.prepared, _ = cel.NewActivation(f.activation()) // cannot fail: a map converts
}

// Error is a compilation error with its position. Line and Column count from 1.
type Error struct {
	Message      string
	Line, Column int
}

// Error returns the message without the position.
func (e *Error) Error() string { return e.Message }

const (
	// MaxTextLength is the maximum length of a condition, in bytes: the index that finds guardrails holds no longer
	// text.
	MaxTextLength = 4000
	// maxCost bounds one evaluation, in CEL's units (about one for each operator): tens of milliseconds.
	maxCost    = 1_000_000
	checkEvery = 1000 // iterations between checks of the deadline
	maxCached  = 5000
)

type language struct {
	env        *cel.Env
	anyType    bool // the value need not be a boolean
	remembered *lru.Cache[string, compiled]
}

type compiled struct {
	program *Program
	err     error
}

var (
	rules = sync.OnceValue(func() *language {
		options := []cel.EnvOption{cel.Variable("action", cel.ObjectType(actionType)),
			cel.Variable("agent", cel.StringType),
			cel.Variable("project", cel.StringType), cel.Variable("session", cel.StringType)}
		for i, name := range stakes {
			options = append(options, cel.Constant(name, cel.IntType, types.Int(i+1)))
		}
		return newLanguage(options...)
	})
	rows = sync.OnceValue(func() *language {
		return newLanguage(cel.Variable("inputs", cel.MapType(cel.StringType, cel.DynType)))
	})
)

func newLanguage(options ...cel.EnvOption) *language {
	registry, _ := types.NewRegistry() // a registry without types never fails
	env, err := cel.NewEnv(append([]cel.EnvOption{
		cel.CustomTypeProvider(provider{registry}), cel.CustomTypeAdapter(registry),
		cel.Variable("now", cel.TimestampType), cel.Variable(thresholdsVariable, cel.DynType),
		cel.Macros(append(cel.StandardMacros, thresholdMacros...)...), thresholdFunction,
		cel.OptionalTypes(), cel.EnableMacroCallTracking(), ext.Strings(),
	}, slices.Concat(factFunctions, options)...)...)
	if err != nil { // cannot happen: constants of this package
		panic(err)
	}
	remembered, _ := lru.New[string, compiled](maxCached) // cannot fail: the size is positive
	return &language{env: env, remembered: remembered}
}

// Rule compiles a condition over an action. It returns an *Error.
func Rule(text string) (*Program, error) { return rules().compile(text) }

// Row compiles a condition of a decision table's row, over its inputs. It returns an *Error.
func Row(text string) (*Program, error) { return rows().compile(text) }

// Expression compiles an expression over an action with a value of any type. It returns an *Error.
func Expression(text string) (*Program, error) {
	l := *rules()
	l.anyType = true
	return l.parse(text, true)
}

// compile caches its results by text.
func (l *language) compile(text string) (*Program, error) {
	if known, ok := l.remembered.Get(text); ok {
		return known.program, known.err
	}
	program, err := l.parse(text, true)
	l.remembered.Add(text, compiled{program, err})
	return program, err
}

func (l *language) parse(text string, split bool) (*Program, error) {
	if split && len(text) > MaxTextLength { // a normalized part may be longer than its source
		return nil, &Error{Message: fmt.Sprintf("the condition has %d bytes; at most %d are allowed", len(text),
			MaxTextLength), Line: 1, Column: 1}
	}
	checked, issues := l.env.Compile(text)
	if issues.Err() != nil {
		return nil, explain(issues)
	}
	if kind := checked.OutputType(); !l.anyType && kind != cel.BoolType && kind != cel.DynType {
		return nil, &Error{Message: fmt.Sprintf("the condition must be true or false, and is %s", kind), Line: 1,
			Column: 1}
	}
	tree := checked.NativeRep()
	spell(tree.Expr(), nil)
	plain, err := Unparse(tree.Expr(), tree.SourceInfo())
	if err != nil {
		return nil, &Error{Message: err.Error(), Line: 1, Column: 1}
	}
	p := &Program{Text: text, plain: plain, checked: tree}
	p.inspect(tree.Expr())
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize), cel.CustomDecoratorV2(boundCalls)}
	if p.grows = grows(tree.Expr()); p.grows { // count the cost of these conditions only, because counting doubles it
		options = append(options, cel.CostTracking(scanCost{}), cel.CostLimit(maxCost),
			cel.InterruptCheckFrequency(checkEvery))
	}
	program, err := l.env.Program(checked, options...)
	if err != nil {
		return nil, &Error{Message: err.Error(), Line: 1, Column: 1}
	}
	p.program = program
	if split { // on first use: compiling the parts takes as long as compiling the condition, and only a violation needs them
		p.clauses = sync.OnceValue(func() []*Program { return l.split(p, tree) })
	}
	return p, nil
}

// Unparse returns the text of an expression on one line: a line that begins with an operator would redirect in a shell.
func Unparse(e ast.Expr, source *ast.SourceInfo) (string, error) {
	return parser.Unparse(e, source, parser.WrapOnColumn(math.MaxInt))
}

// explain returns the first of CEL's errors, with a hint for newcomers.
func explain(issues *cel.Issues) *Error {
	first := issues.Errors()[0]
	message := first.Message
	if strings.Contains(message, "'(int, string)'") || strings.Contains(message, "'(string, int)'") {
		message += "; stakes compare with low, medium, high and critical without quotes: action.stakes >= high"
	}
	// An error about the whole text has no position.
	return &Error{Message: message, Line: max(first.Location.Line(), 1), Column: max(first.Location.Column()+1, 1)}
}

// split compiles each part of a conjunction, so that an answer can say which parts do not hold. It returns the
// condition if a part does not compile alone.
func (l *language) split(p *Program, tree *ast.AST) []*Program {
	parts := conjuncts(tree.Expr())
	if len(parts) == 1 {
		return []*Program{p}
	}
	clauses := make([]*Program, len(parts))
	for i, part := range parts {
		text, err := Unparse(part, tree.SourceInfo())
		if err != nil {
			return []*Program{p}
		}
		if clauses[i], err = l.parse(text, false); err != nil {
			return []*Program{p}
		}
	}
	return clauses
}

// grows reports whether an expression iterates over a list, builds a long text, or reads a text character by character.
func grows(e ast.Expr) bool {
	growing := append([]string{"replace", "join", "format"}, FactFunctions...)
	found := false
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		found = found || e.Kind() == ast.ComprehensionKind || slices.Contains(growing, function(e))
	}))
	return found
}

func conjuncts(e ast.Expr) []ast.Expr {
	if function(e) == operators.LogicalAnd {
		var parts []ast.Expr
		for _, argument := range e.AsCall().Args() {
			parts = append(parts, conjuncts(argument)...)
		}
		return parts
	}
	return []ast.Expr{e}
}

// Eval evaluates the condition. It returns an error if a fact is absent or has the wrong type, for a division by zero,
// above the cost limit, or if ctx ends.
func (p *Program) Eval(ctx context.Context, f Facts) (bool, error) {
	value, err := p.eval(ctx, f)
	if err != nil {
		return false, err
	}
	holds, isBool := value.Value().(bool)
	if !isBool {
		return false, fmt.Errorf("the condition gives a %s, not true or false", value.Type().TypeName())
	}
	return holds, nil
}

// Value evaluates an expression and returns its value as JSON and the name of its CEL type. It returns the errors of
// Eval, and one for a value without a JSON form.
func (p *Program) Value(ctx context.Context, f Facts) (value any, kind string, err error) {
	result, err := p.eval(ctx, f)
	if err != nil {
		return nil, "", err
	}
	kind = result.Type().TypeName()
	if optional, ok := result.(*types.Optional); ok {
		if !optional.HasValue() {
			return nil, kind, nil
		}
		result = optional.GetValue()
	}
	switch plain := result.Value().(type) { // unconverted: JSON numbers would lose integers
	case bool, int64, uint64, float64, string:
		return plain, kind, nil
	}
	native, err := result.ConvertToNative(types.JSONValueType)
	if err != nil {
		return nil, kind, fmt.Errorf("the expression gives %s, which cannot be shown", kind)
	}
	return native.(*structpb.Value).AsInterface(), kind, nil
}

func (p *Program) eval(ctx context.Context, f Facts) (value ref.Val, err error) {
	if f.prepared == nil {
		f.Prepare()
	}
	if p.grows {
		value, _, err = p.program.ContextEval(ctx, f.prepared)
	} else {
		value, _, err = p.program.Eval(f.prepared)
	}
	if err != nil {
		return nil, plainError(ctx, err)
	}
	return value, nil
}

func plainError(ctx context.Context, err error) error {
	switch text := err.Error(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case strings.Contains(text, "actual cost limit exceeded"):
		return errors.New("the condition costs too much to evaluate")
	case strings.Contains(text, "no such key: "):
		_, key, _ := strings.Cut(text, "no such key: ")
		return fmt.Errorf("there is no %s; ask has() first where it may be absent", key)
	case strings.Contains(text, "no such overload"):
		return errors.New("a value has the wrong type for the condition")
	default:
		return err
	}
}

// roots are the variables that hold facts.
var roots = []string{"action", "agent", "project", "session", "now", "inputs"}

func (f Facts) activation() map[string]any {
	return map[string]any{"action": f.Action, "agent": f.Agent, "project": f.Project, "session": f.Session,
		"now":    f.Now,
		"inputs": object(f.Inputs), thresholdsVariable: lookup{types.NullValue, f.Threshold}}
}

// ReadsParams reports whether the condition reads the parameters of the action.
func (p *Program) ReadsParams() bool {
	return slices.ContainsFunc(p.Paths, func(path string) bool {
		return path == "action" || path == "action.paths" || path == "action.commands" ||
			path == "action.force_pushed" || path == "action.params" || strings.HasPrefix(path, "action.params.")
	})
}

// Failing returns the parts of the condition that do not hold or cannot be evaluated.
func (p *Program) Failing(ctx context.Context, f Facts) []*Program {
	var failing []*Program
	for _, clause := range p.clauses() {
		if holds, err := clause.Eval(ctx, f); err != nil || !holds {
			failing = append(failing, clause)
		}
	}
	return failing
}

// Seen returns the facts of the condition by path; absent ones are nil.
func (p *Program) Seen(f Facts) map[string]any {
	seen := make(map[string]any, len(p.Paths))
	for _, path := range p.Paths {
		seen[path] = f.at(p.keys[path])
	}
	return seen
}

// At returns the fact of a path such as action.context.ticket, nil if absent, and whether the path begins with a known
// root.
func (f Facts) At(path string) (any, bool) {
	parts := strings.Split(path, ".")
	if parts[0] == "action" && (len(parts) == 1 || fields[parts[1]].get == nil || f.Action == nil) {
		return nil, false
	}
	return f.at(parts), slices.Contains(roots, parts[0])
}

func (f Facts) at(path []string) any {
	value := f.activation()[path[0]]
	if path[0] == "action" {
		if len(path) == 1 {
			return nil
		}
		if path[1] == "stakes" {
			return f.Action.Stakes.String()
		}
		value, path = fields[path[1]].get(f.Action), path[1:]
	}
	for _, key := range path[1:] {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[key]
	}
	return value
}

// ThresholdFor reads a threshold as a rule's text names it: without a scope, with a quoted one, or with one that a fact
// holds, such as project. ok is false if the threshold cannot be read, or the fact is unknown.
func (f Facts) ThresholdFor(name, scope string) (value any, ok bool) {
	if f.Threshold == nil {
		return nil, false
	}
	if quoted, isQuoted := strings.CutPrefix(scope, `"`); isQuoted {
		scope = strings.TrimSuffix(quoted, `"`)
	} else if scope != "" {
		fact, ok := f.At(scope)
		if !ok {
			return nil, false
		}
		scope, _ = fact.(string)
	}
	value, err := f.Threshold(name, scope)
	return value, err == nil
}

// thresholdText matches a call of threshold() in the form of Needs.
var thresholdText = pattern.New(`threshold\("([^"\\]+)"(?:, ("[^"\\]*"|[a-z_]+(?:\.[A-Za-z0-9_]+)*))?\)`)

// Needs returns the text of the condition with the current values of its thresholds.
func (p *Program) Needs(f Facts) string {
	return thresholdText.ReplaceAllStringFunc(p.plain, func(call string) string {
		parts := thresholdText.FindStringSubmatch(call)
		value, ok := f.ThresholdFor(parts[1], parts[2])
		if !ok {
			return call
		}
		if words, ok := value.(string); ok {
			return strconv.Quote(words)
		}
		return fmt.Sprint(value)
	})
}
