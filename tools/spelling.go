package tools

import (
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// named matches a word in backticks. Error messages and hints mark operations, arguments and commands this way.
var named = pattern.New("`([a-z][a-z0-9_-]*)`")

// Spell translates a text for a transport: word returns the replacement of a word in backticks. Commands that are not
// operations become shell commands. Other words remain.
func Spell(text string, word func(name string) (string, bool)) string {
	return named.ReplaceAllStringFunc(text, func(quoted string) string {
		if spelled, ok := word(quoted[1 : len(quoted)-1]); ok {
			return "`" + spelled + "`"
		}
		if command := programCommands[quoted[1:len(quoted)-1]]; command != "" {
			return "`nomograph " + command + "`"
		}
		return quoted
	})
}

// SpellError applies Spell to the message and hint of an error. It returns a copy, because the error may be shared.
func SpellError(f *apperr.Error, word func(name string) (string, bool)) *apperr.Error {
	spelled := *f
	spelled.Message, spelled.Hint = Spell(f.Message, word), Spell(f.Hint, word)
	return &spelled
}

// programCommands are the commands that are not operations, by the names that domain packages use.
var programCommands = map[string]string{
	"run_doctor":       "doctor",
	"sign_pack":        "policy sign FILE --key NAME.key",
	"create_pack_key":  "policy keygen NAME",
	"get_pack_schema":  "policy schema",
	"get_atlas_schema": "atlas schema",
	"export_graph":     "export FILE",
}

// Command returns the shell command of a catalog operation, for transports whose callers cannot call operations by
// name.
func Command(name string) (string, bool) {
	o, ok := Find(Catalog, name)
	return o.Shell(), ok
}

// Shell returns the command as written in a shell.
func (o Operation) Shell() string { return "nomograph " + o.Command }
