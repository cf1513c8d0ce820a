package arguments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nomograph/internal/apperr"
	"nomograph/tools"
)

// singleValue is a flag with a single value. The operation validates it. form is the value type shown in help.
type singleValue struct{ text, form string }

func (s *singleValue) String() string { return s.text }

func (s *singleValue) Set(text string) error {
	s.text = text
	return nil
}

func (s *singleValue) Type() string { return s.form }

// AddFlags adds a flag for each argument that is not positional.
func AddFlags(command *cobra.Command, o tools.Operation) {
	for _, field := range o.Input().PropertyOrder {
		if !slices.Contains(o.CLI.Args, field) && field != o.CLI.Documents {
			addFlag(command, o, field)
		}
	}
}

func addFlag(command *cobra.Command, o tools.Operation, field string) {
	name, property := o.Flag(field), o.Input().Properties[field]
	use := cmp.Or(Help(o, property.Description), tools.ReadableName(field))
	if choices := tools.Choices(property); len(choices) > 0 {
		use = strings.TrimPrefix(use+": ", ": ") + strings.Join(choices, ", ")
		defer func() { // registers after the flag exists
			_ = command.RegisterFlagCompletionFunc(name,
				cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
		}()
	}
	if len(property.Default) > 0 && string(property.Default) != `""` {
		use += " (default " + string(property.Default) + ")"
	}
	switch {
	case property.Type == "boolean":
		command.Flags().Bool(name, false, use)
	case tools.IsObjects(property) && !slices.Contains(o.CLI.DocumentFlags, field):
		command.Flags().StringArray(name, nil, use+objectForms(property))
	case property.Type == "array":
		command.Flags().StringSlice(name, nil, use)
	case property.Type == "object":
		command.Flags().Var(&singleValue{form: "FIELDS"}, name, use+objectForms(property))
	default:
		command.Flags().Var(&singleValue{form: kindOf(property)}, name, use)
	}
	if o.Requires(field) {
		command.Flags().Lookup(name).Usage += " (required)"
	}
}

// kindOf returns the placeholder for a value in help.
func kindOf(property *jsonschema.Schema) string {
	switch {
	case len(property.Enum) > 0:
		return "CHOICE"
	case property.Type == "integer":
		return "N"
	case property.Type == "number":
		return "NUMBER"
	case property.Type == "string":
		return "TEXT"
	}
	return "VALUE"
}

// form returns the format of a flag's value, for messages.
func form(property *jsonschema.Schema) string {
	object := property
	if tools.IsObjects(property) {
		object = property.Items
	}
	first, second := "", ""
	if object.Type == "object" {
		first, second = tools.TwoTexts(object)
	}
	switch {
	case property.Type == "boolean":
		return ""
	case first != "":
		return fmt.Sprintf(`"%s: %s"`, first, second)
	case object.Type == "object":
		return "name=value,... or JSON"
	case property.Type == "array":
		return kindOf(property.Items) + ",..."
	case len(property.Enum) > 0:
		return strings.Join(tools.Choices(property), "|")
	case property.Minimum != nil && property.Maximum != nil:
		return fmt.Sprintf("%s (%v to %v)", kindOf(property), *property.Minimum, *property.Maximum)
	}
	return kindOf(property)
}

// FlagError explains a flag error in at most three lines: the error, a suggestion, and the help command.
func FlagError(command *cobra.Command, err error, o tools.Operation) error {
	seeHelp := "\n  `" + command.CommandPath() + " --help` shows every flag"
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bare):
		name := bare.GetFlag().Name
		for _, field := range orderOf(o) {
			if o.Flag(field) == name {
				return Usagef("--%s needs a value: --%s %s%s", name, name, form(o.Input().Properties[field]), seeHelp)
			}
		}
		return Usagef("--%s needs a value%s", name, seeHelp)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		// suggestions by what may have been typed; arguments have other names over MCP
		suggestions := map[string]string{}
		var names []string // the command's own flags before the global ones
		for _, field := range orderOf(o) {
			if argument := Spelling(o, field); strings.HasPrefix(argument, "--") && !o.InOpenedObject(field) {
				name := strings.ReplaceAll(field, "_", "-")
				suggestions[name], names = argument, append(names, name)
			}
		}
		command.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				suggestions[f.Name], names = "--"+f.Name, append(names, f.Name)
			}
		})
		if near := apperr.Nearest(unknown.GetSpecifiedName(), names); len(near) > 0 {
			return Usagef("%w\n  Did you mean %s?%s", err, suggestions[near[0]], seeHelp)
		}
	}
	return Usagef("%w%s", err, seeHelp)
}

func orderOf(o tools.Operation) []string {
	if o.Name == "" { // the command is not an operation
		return nil
	}
	return o.Input().PropertyOrder
}
