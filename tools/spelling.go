package tools

import (
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// named is a word in backticks: in messages and hints of errors, and in advice that answers give, operations and arguments stand so.
var named = pattern.New("`([a-z][a-z0-9_]*)`")

// Spell writes a text as a door speaks: each word in backticks that means something there is replaced by what word gives for it, and
// the others stay.
func Spell(text string, word func(name string) (string, bool)) string {
	return named.ReplaceAllStringFunc(text, func(quoted string) string {
		if spelled, known := word(quoted[1 : len(quoted)-1]); known {
			return "`" + spelled + "`"
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

// Shell is how a command is written in a shell.
func (o Operation) Shell() string { return "nomograph " + o.CLI.Command }
