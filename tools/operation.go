package tools

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/document"
	"nomograph/internal/render"
	"nomograph/internal/schema"
)

// Kind says how an operation runs.
type Kind string

// The kinds: most operations are calls. A stream goes on until its caller leaves; a job is long and reports progress.
const (
	Call   Kind = "call"
	Stream Kind = "stream"
	Job    Kind = "job"
)

// Scope says what an operation means for a caller who may see only some projects.
type Scope string

// The scopes. An operation that declares none is refused to such a caller.
const (
	Everybody Scope = "everybody" // what it gives belongs to no project
	Filtered  Scope = "filtered"  // its statements leave out what the caller may not see
	OfProject Scope = "project"   // it is about the one project that its argument project names
)

// Prose is how an operation whose source document has it speak in words does so over MCP.
type Prose string

// The ways. All others answer with JSON, also where they fail.
const (
	ProseAnswers    Prose = "answers"    // what goes wrong is an error of the protocol, -32002, that names the tool
	ProseThroughout Prose = "throughout" // what goes wrong is a text that begins with "Error: "
)

// Hints are what MCP clients are told about an operation. All four are always sent.
type Hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

// CommandLine is how the command line spells an operation: the words of the command, and the input fields that stand as
// positional arguments. A last field that is a list takes all arguments that are left.
type CommandLine struct {
	Command string
	Args    []string
	// Open names input fields that are objects, whose own fields get flags, and may stand in Args.
	Open []string
	// Documents names a list field of {name, text}: an argument that looks like a file is read, any other is a name.
	Documents string
	// DocumentFlags are fields of the same form whose documents are the values of a flag.
	DocumentFlags []string
	// Extensions are those of the files that such an argument means where it is a folder; YAML's unless given.
	Extensions []string
	// Flags renames the flags of input fields, which otherwise are the fields' names with dashes.
	Flags map[string]string
	// Names says what positional arguments that are texts name, for completion: a key of Names.
	Names string
	// Asks are the input fields that a person at a terminal is asked for, where one that is required was not given.
	Asks []string
	// Print is the output field that a person is shown; Document likewise one that is a script, a file or a drawing, written exactly
	// as it is where the answer has it. Value is the field that --value prints alone.
	Print, Document, Value string
	// Stdin names the positional field for which - reads standard input.
	Stdin string
}

// Operation is one capability, whatever door it is called through.
type Operation struct {
	Name       string
	Title      string
	Toolset    string
	Use        string // one sentence for the model or person who chooses
	Kind       Kind
	Permission Permission
	Scope      Scope
	Hints      Hints
	CLI        CommandLine
	REST       string // method and path, such as GET /v1/thresholds/{name}
	CSTP       string // JSON-RPC method, where CSTP has one
	// Gate says that whoever asks acts on the answer: every error of it says allowed: false.
	Gate bool
	// Core says that it is one of the dozen that an agent who writes code needs most, whatever its toolset.
	Core bool
	// Listing says when tools/list has it, where its toolset is served by default and not by name.
	Listing Listing
	// Prose says that over MCP the text of an answer is what people read (its String), beside the same facts as structured content.
	Prose Prose
	// Ours says why nothing in an answer is text that somebody recorded. Any other answer is marked as holding such text.
	Ours string

	in, out reflect.Type
	made    *derived
	run     func(ctx context.Context, env *Env, in any) (any, error)
	// OthersSessions is the permission with which a caller who sees all projects may name a session of another agent, to read it; "" for none.
	OthersSessions Permission
}

// derived is what follows from the types of an operation. It is made when it is first asked for: a process uses few of the operations,
// and all of them together took most of its start.
type derived struct {
	input, output func() *jsonschema.Schema
	claims        func() claims
	check         func() schema.Schema
}

// Input is the JSON Schema of the arguments. Callers share it, and do not change it.
func (o Operation) Input() *jsonschema.Schema { return o.made.input() }

// Output is the JSON Schema of an answer. Callers share it, and do not change it.
func (o Operation) Output() *jsonschema.Schema { return o.made.output() }

// withInput gives the operation with another schema for its arguments.
func (o Operation) withInput(input *jsonschema.Schema) Operation {
	made := *o.made
	made.input = func() *jsonschema.Schema { return input }
	o.made = &made
	return o
}

// define completes a declaration with its types and function.
func define[In, Out any](o Operation, run func(ctx context.Context, env *Env, in In) (Out, error)) Operation {
	o.in, o.out = reflect.TypeFor[In](), reflect.TypeFor[Out]()
	if o.Kind == "" {
		o.Kind = Call
	}
	o.complete(sync.OnceValue(func() *jsonschema.Schema { return schemaOf(o.in) }),
		func(ctx context.Context, env *Env, in any) (any, error) { return run(ctx, env, *in.(*In)) })
	return o
}

// complete adds what follows from the types and the input schema.
func (o *Operation) complete(input func() *jsonschema.Schema, run func(ctx context.Context, env *Env, in any) (any, error)) {
	o.run = run
	in, out, recorded := o.in, o.out, o.Recorded()
	o.made = &derived{
		input:  input,
		output: sync.OnceValue(func() *jsonschema.Schema { return answerSchema(out, recorded) }),
		claims: sync.OnceValue(func() claims { return claimsOf(in) }),
		check: sync.OnceValue(func() schema.Schema {
			text, err := json.Marshal(input())
			if err != nil { // a schema that we generated
				panic(err)
			}
			return schema.MustCompile(text)
		}),
	}
}

// answerSchema is that of an answer's type, with the field that says what recorded text is where an answer can hold such text.
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

// Run checks that the caller may do this, and the arguments (a JSON object; empty means no arguments) against the input schema, and
// runs the operation. Recorded text in the answer comes without what its reader cannot see. Whatever goes wrong comes back as a
// *apperr.Error.
func (o Operation) Run(ctx context.Context, env *Env, arguments json.RawMessage) (out any, err error) {
	for _, watch := range env.Watches {
		watched, end := watch(ctx, o)
		ctx = watched
		defer func() {
			if problem := recover(); problem != nil { // it is told as what it is, and goes on to the door
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
	in, err := o.decode(ctx, arguments)
	if err != nil {
		return nil, o.failed(err)
	}
	if err := o.settleClaims(ctx, env, in); err != nil {
		return nil, o.failed(err)
	}
	out, err = o.run(ctx, env, in)
	if err != nil {
		return nil, o.failed(err)
	}
	return render.CleanValue(out), nil
}

// Watch is told of each call of an operation before it begins, and by what it returns of how it ended. It may add to the context.
type Watch func(ctx context.Context, o Operation) (context.Context, func(answer any, err error))

func (o Operation) failed(err error) error {
	f := render.CleanValue(apperr.From(err)).(*apperr.Error)
	if o.Gate {
		return f.Deny()
	}
	return f
}

// maxArgumentsLength bounds the bytes of a call's arguments, which may hold many documents.
const maxArgumentsLength = 64 << 20

func (o Operation) decode(ctx context.Context, arguments json.RawMessage) (any, error) {
	limits := document.DefaultLimits()
	limits.Bytes = maxArgumentsLength
	var refused *document.Error
	err := document.JSON(ctx, arguments, limits)
	switch {
	case errors.As(err, &refused) && refused.Problems[0].Path == nil:
		return nil, apperr.Newf(apperr.Validation, "The arguments of %s are not valid JSON: %s", o.Name, refused).WithHint(`Pass an object, such as {"name": "..."}`)
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
		return nil, apperr.Newf(apperr.Validation, "The arguments of %s are not valid JSON: %v", o.Name, err).WithHint(`Pass an object, such as {"name": "..."}`)
	}
	withoutNulls(value, o.Input())
	if problems := o.made.check().Check(value); len(problems) > 0 {
		return nil, o.misfit(problems)
	}
	in := reflect.New(o.in).Interface()
	if err := json.Unmarshal(arguments, in); err != nil {
		return nil, apperr.Newf(apperr.Validation, "%s: %v", o.Name, err).WithHint("Arguments: %s", o.signature())
	}
	return in, nil
}

// misfit is the error of arguments that do not fit the schema.
func (o Operation) misfit(problems []schema.Problem) error {
	messages := make([]string, len(problems))
	for i, p := range problems {
		messages[i] = p.Message
	}
	return apperr.Newf(apperr.Validation, "%s: %s", o.Name, strings.Join(messages, "; ")).WithHint("It takes %s", o.signature()).Because(Misfit{problems})
}

// withoutNulls takes out of arguments what is null, which many clients write for what they leave out, where the schema has an optional value that
// cannot be null.
func withoutNulls(value any, s *jsonschema.Schema) {
	switch value := value.(type) {
	case map[string]any:
		for name, item := range value {
			of := s.Properties[name]
			switch {
			case of == nil:
			case item == nil && !slices.Contains(s.Required, name) && nullless(of):
				delete(value, name)
			default:
				withoutNulls(item, of)
			}
		}
	case []any:
		if s.Items != nil {
			for _, item := range value {
				withoutNulls(item, s.Items)
			}
		}
	}
}

// nullless reports whether a schema names types, and null is none of them.
func nullless(s *jsonschema.Schema) bool {
	return s.Type != "" && s.Type != "null" || len(s.Types) > 0 && !slices.Contains(s.Types, "null")
}

// Misfit is why arguments were not taken, for a door that writes them in its own way.
type Misfit struct{ Problems []schema.Problem }

// Error says that, and no more: the fault that it causes has the words.
func (Misfit) Error() string { return "the arguments do not fit" }

// signature names the arguments, required ones first.
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

// Usage is the command with its positional arguments, as help shows it.
func (o Operation) Usage() string {
	o, _ = o.Opened()
	usage := o.CLI.Command
	for _, name := range o.CLI.Args {
		if o.Input().Properties[name].Type == "array" {
			usage += " [" + strings.ToUpper(strings.TrimSuffix(name, "s")) + "...]"
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

// Requires tells whether an argument must be given.
func (o Operation) Requires(name string) bool {
	for _, required := range o.Input().Required {
		if required == name {
			return true
		}
	}
	return false
}
