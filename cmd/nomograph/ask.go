package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"nomograph/fault"
	"nomograph/layout"
	"nomograph/schema"
	"nomograph/tools"
)

// person is whoever sits at the terminal. Questions go to stderr: stdout is for the answer of the command.
type person struct {
	in     io.Reader
	out    io.Writer
	before func() // takes away what is in the way of a question, such as a progress bar
}

// Ask puts a question field by field. A required field is asked for until what is typed fits, any other may be left empty;
// the end of the input and an interrupt decline.
func (p *person) Ask(ctx context.Context, q tools.Question) (map[string]any, error) {
	p.before()
	lines := p.lines()
	fmt.Fprintln(p.out, layout.Visible(q.Message))
	answer := map[string]any{}
	for _, name := range q.Schema.PropertyOrder {
		property := q.Schema.Properties[name]
		required := slices.Contains(q.Schema.Required, name)
		for {
			fmt.Fprint(p.out, prompt(name, property, required))
			var line string
			var open bool
			select {
			case line, open = <-lines:
			case <-ctx.Done():
				fmt.Fprintln(p.out)
				return nil, tools.ErrNoAnswer
			}
			if !open {
				fmt.Fprintln(p.out)
				return nil, tools.ErrNoAnswer
			}
			if line == "" && !required {
				break
			}
			value := typed(property, line)
			if isObjects(property) {
				value = objectsOf(property, []string{line})
			}
			if line != "" && suits(property, value) {
				answer[name] = value
				break
			}
		}
	}
	return answer, nil
}

// lines reads in the background, since a read from a terminal cannot be interrupted; the process ends soon after.
func (p *person) lines() <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(p.in); scanner.Scan(); {
			lines <- strings.TrimSpace(scanner.Text())
		}
	}()
	return lines
}

// suits tells whether a value is what a property takes.
func suits(property *jsonschema.Schema, value any) bool {
	rules, err := json.Marshal(property)
	if err != nil { // a schema that we generated
		panic(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return false
	}
	var plain any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(&plain) == nil && len(schema.MustCompile(rules).Check(plain)) == 0
}

// someone is the person to ask; nil where nobody sits at a terminal.
func (a *app) someone(out io.Writer, before func()) *person {
	if a.in != nil {
		return &person{in: a.in, out: out, before: before}
	}
	if !isatty.IsTerminal(os.Stdin.Fd()) || !isatty.IsTerminal(os.Stderr.Fd()) {
		return nil
	}
	return &person{in: os.Stdin, out: out, before: before}
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
		return fault.New(fault.Validation, "There was no answer, so nothing was recorded").WithHint("%s", helpHint(o))
	}
	maps.Copy(given, answer)
	return nil
}

// prompt is what stands before the cursor.
func prompt(name string, property *jsonschema.Schema, required bool) string {
	what := property.Description
	if choices := choicesOf(property); len(choices) > 0 {
		what = strings.Join(choices, ", ")
	} else if isObjects(property) {
		what = form(property)
	}
	if !required {
		what += "; may be empty"
	}
	return fmt.Sprintf("  %s (%s): ", strings.ReplaceAll(name, "_", " "), what)
}
