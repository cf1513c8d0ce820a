package tools

import (
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// named is a word in backticks: in messages and hints of errors, operations, arguments and commands of the program stand so.
var named = pattern.New("`([a-z][a-z0-9_]*)`")

// Spell writes a text as a transport speaks: each word in backticks that means something there is replaced by what word gives for it. Of
// the others, a command of the program is written as in a shell, and the rest stay.
func Spell(text string, word func(name string) (string, bool)) string {
	return named.ReplaceAllStringFunc(text, func(quoted string) string {
		if spelled, known := word(quoted[1 : len(quoted)-1]); known {
			return "`" + spelled + "`"
		}
		if command := programCommand(quoted[1 : len(quoted)-1]); command != "" {
			return "`nomograph " + command + "`"
		}
		return quoted
	})
}

// Spelled is Spell for the message and hint of an error. It gives a copy, since others may be told of the same failure.
func Spelled(f *apperr.Error, word func(name string) (string, bool)) *apperr.Error {
	spelled := *f
	spelled.Message, spelled.Hint = Spell(f.Message, word), Spell(f.Hint, word)
	return &spelled
}

// programCommand is a command of the program that is no operation, by the name under which packages that know no commands mention it; "" for
// any other name.
func programCommand(name string) string {
	switch name {
	case "run_doctor":
		return "doctor"
	case "sign_pack":
		return "policy sign FILE --key NAME.key"
	case "create_pack_key":
		return "policy keygen NAME"
	case "get_pack_schema":
		return "policy schema"
	case "get_atlas_schema":
		return "atlas schema"
	case "export_graph":
		return "export FILE"
	}
	return ""
}

// Command gives the command of an operation of the catalog, for transports whose callers cannot name operations.
func Command(name string) (string, bool) {
	o, known := Find(Catalog, name)
	return o.Shell(), known
}

// Shell is how a command is written in a shell.
func (o Operation) Shell() string { return "nomograph " + o.CLI.Command }
