package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/document"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/internal/schema"
)

// Kind is how an operation runs.
type Kind string

// The kinds. Most operations are calls. A stream runs until its caller disconnects. A job takes long and reports
// progress.
const (
	Call   Kind = "call"
	Stream Kind = "stream"
	Job    Kind = "job"
)

// Scope defines what a caller with limited projects may do with an operation.
type Scope string

// The scopes. Operations without a scope reject such callers.
const (
	AllProjects Scope = "everybody" // its data belongs to no project
	Filtered    Scope = "filtered"  // its statements omit what the caller may not see
	OfProject   Scope = "project"   // it concerns the project in its argument project
)

// Prose is how an operation returns text over MCP instead of JSON, as the source document of the memory tools requires.
type Prose string

// The kinds of prose. Other operations return JSON, also for errors.
const (
	ProseAnswers    Prose = "answers"    // errors are protocol errors (-32002) that name the tool
	ProseThroughout Prose = "throughout" // errors are texts that start with "Error: "
)

// Hints are the annotations for MCP clients. All four are always sent. An operation with the REST method GET is
// read-only.
type Hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

// Hints of operations that change something: repeatable and replacing ones change nothing when they are repeated.
var (
	destructive = Hints{Destructive: true}
	repeatable  = Hints{Idempotent: true}
	replacing   = Hints{Destructive: true, Idempotent: true}
	reachingOut = Hints{Idempotent: true, OpenWorld: true} // to other servers
)

// CommandLine defines the arguments and the output of an operation's command where they differ from those of others.
type CommandLine struct {
	// Args are the positional arguments. A declaration writes them into Operation.Command, in capitals. A list as last
	// argument takes all remaining arguments.
	Args []string
	// Open names object fields whose own fields become flags or positional arguments.
	Open []string
	// Documents names a list field of {name, text}. An argument that looks like a file is read; others are names.
	Documents string
	// DocumentFlags are list fields of the same type whose documents are the values of a flag.
	DocumentFlags []string
	// Extensions are the file extensions to read if such an argument is a folder (default YAML).
	Extensions []string
	// Flags renames flags. See Operation.Flag for the names of others.
	Flags map[string]string
	// Asks are the input fields that the program asks for at a terminal if a required field is missing.
	Asks []string
	// Print is the output field shown at a terminal. Document is an output field that is a script, file or drawing and
	// printed unchanged. Value is the field that --value prints.
	Print, Document, Value string
	// Stdin is the positional argument for which - reads standard input.
	Stdin string
}

// Operation is one capability, independent of the transport.
type Operation struct {
	Name       string
	Title      string
	Toolset    string
	Use        string // one sentence for the person or model who selects a tool
	Kind       Kind
	Permission Permission
	Scope      Scope
	Hints      Hints
	Command    string // command and its positional arguments in capitals
	Names      string // kind of names in positional text arguments, for completion: a key of Names
	CLI        CommandLine
	REST       string // method and path, such as GET /v1/thresholds/{name}
	CSTP       string // JSON-RPC method of CSTP, if any
	// FailsClosed marks operations whose result permits an action: all their errors contain allowed: false.
	FailsClosed bool
	// Rules marks operations that change policies or thresholds. See App.RequireProposals.
	Rules bool
	// Listing is the condition for tools/list if the toolset is served by default and not selected by name.
	Listing Listing
	// Asked is the argument for which a person is asked if it is absent. tools/list requires it: few clients can ask.
	Asked string
	// Prose makes MCP return the text of an answer (its String) next to the structured content.
	Prose Prose
	// Ours names what answers consist of if they contain no recorded text, such as counts. Other answers are marked as
	// containing recorded text.
	Ours string

	in, out reflect.Type
	made    *derived
	opened  *jsonschema.Schema // input schema with the fields of objects moved to the top level; see Opened
	run     func(ctx context.Context, app *App, in any) (any, error)
	// OthersSessions is the permission to read sessions of other agents for callers that see all projects; "" for none.
	OthersSessions Permission
}

// derived is computed from the types of an operation on first use. A process uses few operations, and computing all of
// them took most of its start time.
type derived struct {
	input, output lazy[*jsonschema.Schema]
	claims        lazy[claims]
	check         lazy[schema.Schema]

	given      *jsonschema.Schema // input schema that is not that of the type
	properties bool               // the answer can have properties that its type does not name
}

// lazy is a value that is made on first use. It allocates nothing before, unlike sync.OnceValue.
type lazy[T any] struct{ made atomic.Pointer[T] }

func (l *lazy[T]) get(make func() T) T {
	if l.made.Load() == nil {
		value := make()
		l.made.CompareAndSwap(nil, &value)
	}
	return *l.made.Load()
}

// Input returns the JSON Schema of the arguments. It is shared and must not be changed.
func (o Operation) Input() *jsonschema.Schema {
	if o.opened != nil {
		return o.opened
	}
	return o.made.inputOf(o.in)
}

func (d *derived) inputOf(in reflect.Type) *jsonschema.Schema {
	if d.given != nil {
		return d.given
	}
	return d.input.get(func() *jsonschema.Schema { return schemaOf(in) })
}

// Output returns the JSON Schema of an answer. It is shared and must not be changed.
func (o Operation) Output() *jsonschema.Schema {
	d, out, recorded := o.made, o.out, o.Recorded()
	return d.output.get(func() *jsonschema.Schema {
		s := answerSchema(out, recorded)
		if d.properties {
			s.AdditionalProperties = &jsonschema.Schema{}
		}
		return s
	})
}

// claims returns where the input names agents, sessions and projects.
func (o Operation) claims() claims {
	in := o.in
	return o.made.claims.get(func() claims { return claimsOf(in) })
}

// check returns the validator of the arguments.
func (o Operation) check() schema.Schema {
	d, in := o.made, o.in
	return d.check.get(func() schema.Schema {
		text, err := json.Marshal(d.inputOf(in))
		if err != nil { // generated schemas always encode
			panic(err)
		}
		return schema.MustCompile(text)
	})
}

// function carries out an operation.
type function[In, Out any] func(ctx context.Context, app *App, in In) (Out, error)

// define adds types and function to a declaration. A field By of the input that is not an argument gets the caller's
// name before run is called.
func define[In, Out any](o Operation, run function[In, Out]) Operation {
	o.finish(reflect.TypeFor[In](), reflect.TypeFor[Out](),
		func(ctx context.Context, app *App, in any) (any, error) { return run(ctx, app, *in.(*In)) })
	return o
}

// method returns the function of an operation that a method of one of the application's stores carries out.
func method[S, In, Out any](run func(*S, context.Context, In) (Out, error)) function[In, Out] {
	return func(ctx context.Context, app *App, in In) (Out, error) {
		return run(storeOf(app, reflect.TypeFor[*S]()).(*S), ctx, in)
	}
}

// storeOf returns the first field of an application with a type. Only search indexes share one, and no operation is a
// method of theirs. It panics without such a field, which every example of an operation would reveal.
func storeOf(app *App, wanted reflect.Type) any {
	for _, field := range reflect.ValueOf(app).Elem().Fields() {
		if field.Type() == wanted {
			return field.Interface()
		}
	}
	panic("the application has no " + wanted.String())
}

// finish is the part of define that the compiler need not make for every type.
func (o *Operation) finish(in, out reflect.Type, run func(ctx context.Context, app *App, in any) (any, error)) {
	o.in, o.out, o.run, o.made = in, out, run, &derived{}
	if o.Kind == "" {
		o.Kind = Call
	}
	if strings.HasPrefix(o.REST, "GET ") {
		o.Hints = readOnly
	}
	words := strings.Fields(o.Command)
	for len(words) > 0 && words[len(words)-1] == strings.ToUpper(words[len(words)-1]) {
		o.CLI.Args = append([]string{strings.ToLower(words[len(words)-1])}, o.CLI.Args...)
		words = words[:len(words)-1]
	}
	o.Command = strings.Join(words, " ")
}

// answerSchema returns the schema of an answer. If it can contain recorded text, the schema includes the notice.
func answerSchema(out reflect.Type, recorded bool) *jsonschema.Schema {
	s := schemaOf(out)
	if recorded {
		if s.Properties == nil {
			s.Properties = map[string]*jsonschema.Schema{}
		}
		s.Properties[render.RecordedField] = &jsonschema.Schema{Type: "string", Description: render.RecordedNotice}
	}
	return s
}

// Run checks the caller's permission, validates the arguments (a JSON object; empty means no arguments) and runs the
// operation. Invisible characters are removed from recorded text in the answer. All errors are *apperr.Error.
func (o Operation) Run(ctx context.Context, app *App, arguments json.RawMessage) (out any, err error) {
	for _, watch := range app.Watches {
		watched, end := watch(ctx, o)
		ctx = watched
		defer func() {
			if problem := recover(); problem != nil { // report the panic to the watch, then continue it
				end(nil, apperr.New(apperr.Internal, "The operation panicked"))
				panic(problem)
			}
			end(out, err)
		}()
	}
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	if err := o.Permitted(caller.From(ctx)); err != nil {
		return nil, o.failed(err)
	}
	if o.Rules && app.RequireProposals && caller.From(ctx).Transport != caller.CommandLine {
		return nil, o.failed(apperr.Newf(apperr.PermissionDenied,
			"`%s` is refused: rules change only through proposals (policies.require_proposals)", o.Name).
			WithHint("Propose packs, values and modes with `propose_change`; another person approves them. Other changes need the command line with access to the database"))
	}
	in, err := o.decode(ctx, arguments)
	if err != nil {
		return nil, o.failed(err)
	}
	if err := o.applyClaims(ctx, app, in); err != nil {
		return nil, o.failed(err)
	}
	out, err = o.run(ctx, app, in)
	if err != nil {
		return nil, o.failed(err)
	}
	return render.CleanValue(out), nil
}

// Watch is called before each operation. It may extend the context. The function that it returns is called with the
// result.
type Watch func(ctx context.Context, o Operation) (context.Context, func(answer any, err error))

func (o Operation) failed(err error) error {
	f := render.CleanValue(apperr.From(err)).(*apperr.Error)
	if o.FailsClosed {
		return f.Deny()
	}
	return f
}

// maxArgumentsLength is the maximum number of bytes of arguments, which can contain many documents.
const maxArgumentsLength = 64 << 20

func (o Operation) decode(ctx context.Context, arguments json.RawMessage) (any, error) {
	limits := document.DefaultLimits()
	limits.Bytes = maxArgumentsLength
	var refused *document.Error
	err := document.JSON(ctx, arguments, limits)
	switch {
	case errors.As(err, &refused) && refused.Problems[0].Path == nil:
		return nil, apperr.Newf(apperr.Validation, "The arguments of %s are not valid JSON: %s", o.Name, refused).
			WithHint(`Pass an object, such as {"name": "..."}`)
	case refused != nil:
		problem := refused.Problems[0]
		where := "in the arguments"
		if n := len(problem.Path); n > 1 {
			where = "in " + schema.Place(problem.Path[:n-1])
		}
		return nil, apperr.Newf(apperr.Validation, "%s: %s, %s: %s", o.Name, where, problem.Position, problem.Message).
			WithHint("Pass each argument once")
	case err != nil:
		return nil, err
	}
	value, err := unmarshal(arguments)
	if err != nil {
		return nil, apperr.Newf(apperr.Validation, "The arguments of %s are not valid JSON: %v", o.Name, err).
			WithHint(`Pass an object, such as {"name": "..."}`)
	}
	value = fit(ctx, value, o.Input())
	if problems := o.check().Check(value); len(problems) > 0 {
		return nil, o.invalidArguments(problems)
	}
	in := reflect.New(o.in).Interface()
	if arguments, err = json.Marshal(value); err == nil {
		err = json.Unmarshal(arguments, in)
	}
	var beyond *json.UnmarshalTypeError
	if errors.As(err, &beyond) { // what the schema cannot say
		err = fmt.Errorf("%s does not fit 64 bits", beyond.Field)
	}
	if err != nil {
		return nil, apperr.Newf(apperr.Validation, "%s: %v", o.Name, err).WithHint("Arguments: %s", o.signature())
	}
	return in, nil
}

// invalidArguments returns the error for invalid arguments.
func (o Operation) invalidArguments(problems []schema.Problem) error {
	messages := lists.Map(problems, func(p schema.Problem) string { return p.Message })
	return apperr.Newf(apperr.Validation, "%s: %s", o.Name, strings.Join(messages, "; ")).
		WithHint("Pass %s", o.signature()).Because(InvalidArguments{problems})
}

// InvalidArguments holds the schema violations of arguments, for transports with their own error format.
type InvalidArguments struct{ Problems []schema.Problem }

// Error returns a short text. The error that wraps InvalidArguments has the details.
func (InvalidArguments) Error() string { return "the arguments do not fit" }

// signature lists the arguments, required ones first.
func (o Operation) signature() string {
	var required, optional []string
	for _, name := range o.Input().PropertyOrder {
		if o.Requires(name) {
			required = append(required, name)
		} else {
			optional = append(optional, name+" (optional)")
		}
	}
	if len(required)+len(optional) == 0 {
		return "no arguments"
	}
	return strings.Join(append(required, optional...), ", ")
}

// Usage returns the command with its positional arguments, as in help.
func (o Operation) Usage() string {
	o, _ = o.Opened()
	usage := o.Command
	for _, name := range o.CLI.Args {
		if o.Input().Properties[name].Type == "array" {
			usage += " [" + strings.ToUpper(singular(name)) + "...]"
			continue
		}
		if !o.Requires(name) {
			usage += " [" + strings.ToUpper(name) + "]"
			continue
		}
		usage += " " + strings.ToUpper(name)
	}
	if o.CLI.Documents != "" {
		if o.Requires(o.CLI.Documents) {
			usage += " NAME|FILE..."
		} else {
			usage += " [NAME|FILE...]"
		}
	}
	return usage
}

// singular returns the name of a list without its plural ending.
func singular(name string) string {
	if stem, ok := strings.CutSuffix(name, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(name, "s")
}

// flagNames are the flags of fields that many operations have.
var flagNames = map[string]string{"agent_id": "by", "session_id": "session", "date_after": "since",
	"date_before": "until", "reasons": "reason", "decision_table": "table"}

// Flag returns the name of an argument's flag: that of CLI.Flags, that of flagNames, or the field with dashes. The
// acting agent is --agent, a filter by agent --by. Named queries have the flags of their fields.
func (o Operation) Flag(field string) string {
	name := o.CLI.Flags[field]
	switch {
	case name != "" || o.made.given != nil:
	case field == "agent_id" && o.claims().agent != nil:
		name = "agent"
	default:
		name = flagNames[field]
	}
	return cmp.Or(name, strings.ReplaceAll(field, "_", "-"))
}

// Requires reports whether an argument is required.
func (o Operation) Requires(name string) bool {
	return slices.Contains(o.Input().Required, name)
}
