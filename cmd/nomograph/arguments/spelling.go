package arguments

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
	"nomograph/internal/schema"
	"nomograph/tools"
)

// TranslateError translates an error of an operation for the command line: arguments become flags and positional
// arguments.
func TranslateError(o tools.Operation, places tools.OpenedFields, err error) error {
	var failure *apperr.Error
	if !errors.As(err, &failure) { // the answer denies or failed
		return err
	}
	f := tools.SpellError(failure, func(name string) (string, bool) {
		if o.Input().Properties[name] == nil {
			return "", false
		}
		return Spelling(o, name), true
	})
	var misfit tools.InvalidArguments
	if errors.As(err, &misfit) {
		var messages []string
		for _, p := range misfit.Problems {
			if message := problem(o, places, p); !slices.Contains(messages, message) {
				messages = append(messages, message)
			}
		}
		f.Message, f.Hint = strings.Join(messages, "; "), HelpHint(o)
	}
	return f
}

// nameInHelp matches a name in a description: in backticks, or with dashes or underscores. Struct tags cannot contain
// backticks.
var nameInHelp = pattern.New("`[a-z][a-z0-9_-]*`|[a-z]+(?:[_-][a-z]+)+")

// Help writes a description for help: arguments as flags, operations as commands. It has no backticks: the library for
// flags takes a quoted word for the name of the value.
func Help(o tools.Operation, text string) string {
	// A description that begins with a name lists values, not operations.
	values := nameInHelp.FindString(text)
	if values == "" || values[0] == '`' || !strings.HasPrefix(text, values+",") {
		values = ""
	}
	return nameInHelp.ReplaceAllStringFunc(text, func(quoted string) string {
		name := strings.Trim(quoted, "`")
		if values == quoted {
			return name
		}
		if o.Input().Properties[name] != nil {
			return Spelling(o, name)
		}
		if command, ok := tools.Command(name); ok {
			return command
		}
		return name
	})
}

// HelpHint is the hint that names the help of an operation's command.
func HelpHint(o tools.Operation) string {
	return fmt.Sprintf("`%s --help` explains every flag", o.Shell())
}

// Spelling returns an argument as written on the command line: a flag, or the placeholder in the usage line.
func Spelling(o tools.Operation, field string) string {
	switch {
	case field == o.CLI.Documents:
		return "NAME|FILE"
	case slices.Contains(o.CLI.Args, field):
		return strings.ToUpper(field)
	}
	return "--" + o.Flag(field)
}

// problem describes a schema violation in terms of flags, with the expected format.
func problem(o tools.Operation, places tools.OpenedFields, p schema.Problem) string {
	path := p.Path
	for name, place := range places { // a field opened from its object
		if len(path) >= 2 && path[0] == place[0] && path[1] == place[1] {
			path = append([]string{name}, path[2:]...)
		}
	}
	if len(path) == 0 || o.Input().Properties[path[0]] == nil {
		return typeWords(p.Message)
	}
	property := o.Input().Properties[path[0]]
	written := strings.TrimSpace(Spelling(o, path[0]) + " " + form(property))
	if slices.Contains(o.CLI.Args, path[0]) || path[0] == o.CLI.Documents {
		written = Spelling(o, path[0])
	}
	inner := withoutIndexes(path[1:])
	switch {
	case len(inner) == 0 && p.What == "":
		return written + " is required"
	case len(inner) == 0 && strings.Contains(p.What, "must be object"):
		return "the form is " + written
	case len(inner) == 0:
		return Spelling(o, path[0]) + " " + typeWords(p.What)
	case p.What == "":
		return fmt.Sprintf("%s lacks %s: the form is %s", Spelling(o, path[0]), strings.Join(inner, "."), written)
	case strings.HasPrefix(p.What, strconv.Quote(inner[len(inner)-1])): // an unknown name
		return Spelling(o, path[0]) + ": " + p.What
	}
	return fmt.Sprintf("%s: %s %s", Spelling(o, path[0]), strings.Join(inner, "."), typeWords(p.What))
}

// withoutIndexes returns a path without the numbers of items in lists.
func withoutIndexes(path []string) []string {
	return slices.DeleteFunc(slices.Clone(path), func(part string) bool {
		_, err := strconv.Atoi(part)
		return err == nil
	})
}

var typeNames = map[string]string{"integer": "a whole number", "number": "a number", "string": "text",
	"boolean": "true or false", "array": "a list", "object": "an object"}

var typeName = pattern.New(`\b(integer|number|string|boolean|array|object)\b`)

// typeWords replaces JSON types with everyday words.
func typeWords(description string) string {
	if !strings.HasPrefix(description, "must be ") || strings.HasPrefix(description, "must be one of ") {
		return description
	}
	return typeName.ReplaceAllStringFunc(description, func(name string) string { return typeNames[name] })
}
