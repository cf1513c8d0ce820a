package arguments

import (
	"strings"

	"github.com/spf13/cobra"

	"nomograph/internal/pattern"
)

// negative matches negative numbers. No flag starts like them, but a flag parser does not know that.
var negative = pattern.New(`^-\.?\d`)

// SeparateNegatives moves positional arguments after -- if one of them is a negative number, so that it is parsed as a
// value.
func SeparateNegatives(root *cobra.Command, args []string) []string {
	command, rest, err := root.Find(args)
	if err != nil || command == root {
		return args
	}
	command.InheritedFlags() // makes the flags of parent commands known
	var flags, places []string
	found := false
	for i := 0; i < len(rest); i++ {
		switch arg := rest[i]; {
		case arg == "--":
			places, i = append(places, rest[i+1:]...), len(rest)
		case negative.MatchString(arg):
			places, found = append(places, arg), true
		case strings.HasPrefix(arg, "-") && arg != "-":
			flags = append(flags, arg)
			if i+1 < len(rest) && takesNext(command, arg) {
				i++
				flags = append(flags, rest[i])
			}
		default:
			places = append(places, arg)
		}
	}
	if !found {
		return args
	}
	words := strings.Fields(command.CommandPath())[1:]
	return append(append(append(words, flags...), "--"), places...)
}

// takesNext reports whether a flag takes its value from the next argument.
func takesNext(command *cobra.Command, arg string) bool {
	if strings.Contains(arg, "=") {
		return false
	}
	flag := command.Flags().Lookup(strings.TrimPrefix(arg, "--"))
	if !strings.HasPrefix(arg, "--") && len(arg) == 2 { // a combination of several letters includes its value
		flag = command.Flags().ShorthandLookup(arg[1:])
	}
	return flag != nil && flag.NoOptDefVal == ""
}
