package arguments

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/render"
	"nomograph/internal/schema"
	"nomograph/tools"
)

// Prompter asks questions at the terminal. Questions go to stderr, because stdout is for the command's output.
type Prompter struct {
	In     io.Reader
	Out    io.Writer
	Before func() // removes other output, such as a progress bar, before a question
}

// Ask asks for the fields one by one. It repeats a required field until the value is valid; others can be left empty.
// The end of the input or an interrupt declines the question.
func (p *Prompter) Ask(ctx context.Context, q tools.Question) (map[string]any, error) {
	p.Before()
	lines := p.lines()
	fmt.Fprintln(p.Out, render.EscapeControl(q.Message))
	answer := map[string]any{}
	for _, name := range q.Schema.PropertyOrder {
		property := q.Schema.Properties[name]
		required := slices.Contains(q.Schema.Required, name)
		for {
			fmt.Fprint(p.Out, prompt(name, property, required))
			var line string
			var open bool
			select {
			case line, open = <-lines:
			case <-ctx.Done():
				fmt.Fprintln(p.Out)
				return nil, tools.ErrNoAnswer
			}
			if !open {
				fmt.Fprintln(p.Out)
				return nil, tools.ErrNoAnswer
			}
			if line == "" && !required {
				break
			}
			value := tools.FromText(property, line)
			why := refusal(name, property, line, value)
			if why == "" {
				answer[name] = value
				break
			}
			fmt.Fprintf(p.Out, "    %s\n", render.EscapeControl(why))
		}
	}
	return answer, nil
}

// lines reads in the background, because reading from a terminal cannot be interrupted. The process ends soon
// afterwards.
func (p *Prompter) lines() <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(p.In); scanner.Scan(); {
			lines <- strings.TrimSpace(scanner.Text())
		}
	}()
	return lines
}

// refusal returns why a value is invalid for a property, or "".
func refusal(name string, property *jsonschema.Schema, line string, value any) string {
	name = strings.ReplaceAll(name, "_", " ")
	if line == "" {
		return name + " is required; Ctrl-C leaves"
	}
	rules, err := json.Marshal(property)
	if err != nil { // generated schemas always encode
		panic(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%s is written %s", name, form(property))
	}
	var plain any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&plain); err != nil {
		return fmt.Sprintf("%s is written %s", name, form(property))
	}
	problems := schema.MustCompile(rules).Check(plain)
	switch {
	case len(problems) == 0:
		return ""
	case tools.IsObjects(property) && strings.Contains(problems[0].What, "must be object"), property.Type == "object" &&
		len(problems[0].Path) == 0:
		return fmt.Sprintf("%s is written %s", name, form(property))
	}
	if problems[0].What == "" {
		return problems[0].Message
	}
	return strings.Join(append([]string{name}, withoutIndexes(problems[0].Path)...), ": ") + " " +
		typeWords(problems[0].What)
}

// prompt returns the prompt for a field.
func prompt(name string, property *jsonschema.Schema, required bool) string {
	description := property.Description
	if choices := tools.Choices(property); len(choices) > 0 {
		description = strings.Join(choices, ", ")
	} else if tools.IsObjects(property) {
		description = form(property)
	}
	if !required {
		description += "; may be empty"
	}
	return fmt.Sprintf("  %s (%s): ", strings.ReplaceAll(name, "_", " "), description)
}
