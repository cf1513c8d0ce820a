// Package arguments turns operations into shell commands. It makes flags from the input schema of an operation, reads
// flags and positional arguments into JSON arguments, prompts for missing values, and reports errors in terms of the
// flags.
//
//	arguments.AddFlags(command, o)
//	given, err := arguments.Read(command, o, args)
package arguments

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nomograph/cmd/nomograph/files"
	"nomograph/policies/pack"
	"nomograph/sessions/manifest"
	"nomograph/tools"
)

// Usage is the error of an invalid command line.
type Usage struct{ error }

// Usagef returns a Usage error with a formatted message for the terminal.
func Usagef(format string, values ...any) error { return Usage{fmt.Errorf(format, values...)} }

// OnlyOne returns a usage error if more than one of the flags is set. Cobra's own check gives an error without a type.
func OnlyOne(cmd *cobra.Command, names ...string) error {
	var given []string
	for _, name := range names {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() != "false" {
			given = append(given, "--"+name)
		}
	}
	if len(given) < 2 {
		return nil
	}
	return Usagef("use only one of %s", strings.Join(given, " and "))
}

// SharedFlags are the global flags with the same meaning as arguments of operations. A command defines them once for
// both.
var SharedFlags = []string{"agent", "project"}

// WithoutCollisions renames flags of an operation that would hide global flags, unless they have the same meaning or
// the operation names them explicitly.
func WithoutCollisions(o tools.Operation, root *cobra.Command) tools.Operation {
	flags := map[string]string{}
	maps.Copy(flags, o.CLI.Flags)
	for _, field := range o.Input().PropertyOrder {
		name := o.Flag(field)
		if name != strings.ReplaceAll(field, "_", "-") {
			continue
		}
		if name == "help" || root.PersistentFlags().Lookup(name) != nil && name != "project" {
			flags[field] = "param-" + name
		}
	}
	o.CLI.Flags = flags
	return o
}

// Check validates the number of positional arguments. It returns a Usage error that names a missing or extra one.
func Check(cmd *cobra.Command, o tools.Operation, args []string) error {
	minimum, limit := len(o.CLI.Args), len(o.CLI.Args)
	if n := len(o.CLI.Args); n > 0 && o.Input().Properties[o.CLI.Args[n-1]].Type == "array" {
		minimum, limit = n-1, len(args)
	}
	if n := len(o.CLI.Args); n > 0 && !o.Requires(o.CLI.Args[n-1]) { // the last argument is optional
		minimum = n - 1
	}
	if o.CLI.Documents != "" {
		minimum, limit = 0, len(args)
		if o.Requires(o.CLI.Documents) {
			minimum, limit = 1, max(len(args), 1)
		}
	}
	switch {
	case len(args) < minimum && o.CLI.Documents == "files":
		return Usagef("name a file")
	case len(args) < minimum && o.CLI.Documents == "atlases":
		return Usagef("name a shipped atlas (%s), a file or a folder", strings.Join(manifest.Shipped(), ", "))
	case len(args) < minimum && o.CLI.Documents != "":
		return Usagef("name a shipped pack (%s) or a file", strings.Join(pack.Shipped(), ", "))
	case len(args) < minimum:
		return Usagef("%s is missing\n  %s", strings.ToUpper(o.CLI.Args[len(args)]), cmd.UseLine())
	case len(args) > limit:
		return Usagef("%q is one argument too many\n  %s", args[limit], cmd.UseLine())
	}
	return nil
}

// maxStdin is more than any operation accepts as text; the operation reports texts that are too long.
const maxStdin = 1 << 20

// Read converts positional arguments and flags to the JSON arguments of an operation. The operation validates them.
func Read(cmd *cobra.Command, o tools.Operation, args []string) (map[string]any, error) {
	arguments := map[string]any{}
	for i, name := range o.CLI.Args {
		if o.Input().Properties[name].Type == "array" {
			if len(args) > i {
				arguments[name] = tools.FromTexts(o.Input().Properties[name], args[i:])
			}
			break
		}
		if i >= len(args) {
			break
		}
		arguments[name] = tools.FromText(o.Input().Properties[name], args[i])
		if name == o.CLI.Stdin && args[i] == "-" {
			text, err := files.Stdin(maxStdin)
			if err != nil {
				return nil, err
			}
			arguments[name] = strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		}
	}
	if o.CLI.Documents != "" {
		documents, err := files.Documents(args, o.CLI.Extensions...)
		if err != nil {
			return nil, err
		}
		arguments[o.CLI.Documents] = documents
	}
	for _, name := range o.Input().PropertyOrder {
		flag := cmd.Flags().Lookup(o.Flag(name))
		if flag == nil || !flag.Changed || slices.Contains(o.CLI.Args, name) {
			continue
		}
		property, texts := o.Input().Properties[name], []string(nil)
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			texts = list.GetSlice()
		}
		switch {
		case slices.Contains(o.CLI.DocumentFlags, name):
			documents, err := files.Documents(texts, o.CLI.Extensions...)
			if err != nil {
				return nil, err
			}
			arguments[name] = documents
		case property.Type == "boolean":
			arguments[name] = flag.Value.String() == "true"
		case property.Type == "array":
			arguments[name] = tools.FromTexts(property, texts)
		default:
			arguments[name] = tools.FromText(property, flag.Value.String())
		}
	}
	return arguments, nil
}
