package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/layout"
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
			if line != "" && (len(property.Enum) == 0 || slices.Contains(property.Enum, any(line))) {
				answer[name] = typed(property, line)
				break
			}
			if line == "" && !required {
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

// prompt is what stands before the cursor.
func prompt(name string, property *jsonschema.Schema, required bool) string {
	what := property.Description
	if len(property.Enum) > 0 {
		choices := make([]string, len(property.Enum))
		for i, choice := range property.Enum {
			choices[i] = fmt.Sprint(choice)
		}
		what = strings.Join(choices, ", ")
	}
	if !required {
		what += "; may be empty"
	}
	return fmt.Sprintf("  %s (%s): ", strings.ReplaceAll(name, "_", " "), what)
}
