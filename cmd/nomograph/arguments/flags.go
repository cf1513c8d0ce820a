package arguments

import (
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

func flagName(o tools.Operation, field string) string {
	if renamed := o.CLI.Flags[field]; renamed != "" {
		return renamed
	}
	return strings.ReplaceAll(field, "_", "-")
}

// oneValue is the text of a flag that takes one value; the operation checks it. Its type is the form that help shows.
type oneValue struct{ text, form string }

func (s *oneValue) String() string { return s.text }

func (s *oneValue) Set(text string) error {
	s.text = text
	return nil
}

func (s *oneValue) Type() string { return s.form }

// AddFlags adds a flag for each argument that has no place between them.
func AddFlags(command *cobra.Command, o tools.Operation) {
	for _, field := range o.Input().PropertyOrder {
		if !slices.Contains(o.CLI.Args, field) && field != o.CLI.Documents {
			addFlag(command, o, field)
		}
	}
}

func addFlag(command *cobra.Command, o tools.Operation, field string) {
	name, property := flagName(o, field), o.Input().Properties[field]
	use := property.Description
	if choices := tools.Choices(property); len(choices) > 0 {
		use = strings.TrimPrefix(use+": ", ": ") + strings.Join(choices, ", ")
		defer func() { // there is such a flag by then
			_ = command.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
		}()
	}
	if len(property.Default) > 0 {
		use += " (default " + string(property.Default) + ")"
	}
	switch {
	case property.Type == "boolean":
		command.Flags().Bool(name, false, use)
	case slices.Contains(o.CLI.DocumentFlags, field):
		command.Flags().StringSlice(name, nil, use)
	case tools.IsObjects(property):
		command.Flags().StringArray(name, nil, use+objectForms(property))
	case property.Type == "array":
		command.Flags().StringSlice(name, nil, use)
	case property.Type == "object":
		command.Flags().Var(&oneValue{form: "FIELDS"}, name, use+objectForms(property))
	default:
		command.Flags().Var(&oneValue{form: kindOf(property)}, name, use)
	}
	if o.Requires(field) {
		command.Flags().Lookup(name).Usage += " (required)"
	}
}

// kindOf is the word that stands for a value in help.
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

// form is how the value of a flag is written, for messages.
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

// FlagFault says in at most three lines what is wrong with a flag: what, what was meant, and where all are shown.
func FlagFault(command *cobra.Command, err error, o tools.Operation) error {
	seeHelp := "\n  `" + command.CommandPath() + " --help` shows every flag"
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bare):
		name := bare.GetFlag().Name
		for _, field := range orderOf(o) {
			if flagName(o, field) == name {
				return Usagef("--%s needs a value: --%s %s%s", name, name, form(o.Input().Properties[field]), seeHelp)
			}
		}
		return Usagef("--%s needs a value%s", name, seeHelp)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		meant := map[string]string{} // by what may have been typed; arguments have other names over MCP
		var names []string           // the command's own in front of those that all have
		for _, field := range orderOf(o) {
			if argument := Written(o, field); strings.HasPrefix(argument, "--") && !o.Beside(field) {
				name := strings.ReplaceAll(field, "_", "-")
				meant[name], names = argument, append(names, name)
			}
		}
		command.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				meant[f.Name], names = "--"+f.Name, append(names, f.Name)
			}
		})
		if near := apperr.Nearest(unknown.GetSpecifiedName(), names); len(near) > 0 {
			return Usagef("%w\n  Did you mean %s?%s", err, meant[near[0]], seeHelp)
		}
	}
	return Usagef("%w%s", err, seeHelp)
}

func orderOf(o tools.Operation) []string {
	if o.Name == "" { // of a command that is no operation
		return nil
	}
	return o.Input().PropertyOrder
}
