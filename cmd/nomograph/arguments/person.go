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

	"nomograph/layout"
	"nomograph/schema"
	"nomograph/tools"
)

// Person is whoever sits at the terminal. Questions go to stderr: stdout is for the answer of the command.
type Person struct {
	In     io.Reader
	Out    io.Writer
	Before func() // takes away what is in the way of a question, such as a progress bar
}

// Ask puts a question field by field. A required field is asked for until what is typed fits, any other may be left empty;
// the end of the input and an interrupt decline.
func (p *Person) Ask(ctx context.Context, q tools.Question) (map[string]any, error) {
	p.Before()
	lines := p.lines()
	fmt.Fprintln(p.Out, layout.Visible(q.Message))
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
func (p *Person) lines() <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(p.In); scanner.Scan(); {
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

// prompt is what stands before the cursor.
func prompt(name string, property *jsonschema.Schema, required bool) string {
	what := property.Description
	if choices := Choices(property); len(choices) > 0 {
		what = strings.Join(choices, ", ")
	} else if isObjects(property) {
		what = form(property)
	}
	if !required {
		what += "; may be empty"
	}
	return fmt.Sprintf("  %s (%s): ", strings.ReplaceAll(name, "_", " "), what)
}
