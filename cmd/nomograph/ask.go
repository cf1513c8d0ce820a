package main

import (
	"io"
	"maps"
	"os"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/fault"
	"nomograph/tools"
)

// someone is the person to ask; nil where nobody sits at a terminal.
func (a *app) someone(out io.Writer, before func()) *arguments.Person {
	if a.in != nil {
		return &arguments.Person{In: a.in, Out: out, Before: before}
	}
	if !isatty.IsTerminal(os.Stdin.Fd()) || !isatty.IsTerminal(os.Stderr.Fd()) {
		return nil
	}
	return &arguments.Person{In: os.Stdin, Out: out, Before: before}
}

// complete asks a person for what an operation asks for, where something that it requires was not given. Without a person the
// operation itself says what is missing. It returns a validation_error where there is no answer: nothing is recorded then.
func (a *app) complete(cmd *cobra.Command, o tools.Operation, given map[string]any) error {
	form := &jsonschema.Schema{Type: "object", Properties: o.Input.Properties}
	for _, name := range o.CLI.Asks {
		if given[name] != nil {
			continue
		}
		form.PropertyOrder = append(form.PropertyOrder, name)
		if o.Requires(name) {
			form.Required = append(form.Required, name)
		}
	}
	if len(form.Required) == 0 {
		return nil
	}
	who := a.someone(cmd.ErrOrStderr(), func() {})
	if who == nil {
		return nil
	}
	answer, err := who.Ask(cmd.Context(), tools.Question{Message: o.Title + " (Ctrl-C leaves without)", Schema: form})
	if err != nil {
		return fault.New(fault.Validation, "There was no answer, so nothing was recorded").WithHint("%s", arguments.HelpHint(o))
	}
	maps.Copy(given, answer)
	return nil
}
