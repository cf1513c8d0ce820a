package rest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/pattern"
	"nomograph/internal/schema"
	"nomograph/tools"
)

// example returns the arguments of the example command line; nil if a request cannot express them, such as a file to
// read.
func (rt *route) example() map[string]any {
	opened, places := rt.operation.Opened()
	values := map[string]any{}
	args := slices.Clone(opened.CLI.Args)
	words := words(rt.operation.Example())[len(strings.Fields(opened.Command)):]
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		flag, ok := strings.CutPrefix(word, "--")
		switch {
		case ok:
			field := fieldFor(opened, flag)
			property := opened.Input().Properties[field]
			switch {
			case property == nil:
				continue // a flag that only the command line has, such as --value
			case property.Type == "boolean":
				values[field] = true
				continue
			case len(words) == 0:
				return nil
			}
			addArgument(values, field, property, words[0])
			words = words[1:]
		case len(args) > 0:
			property := opened.Input().Properties[args[0]]
			addArgument(values, args[0], property, word)
			if property.Type != "array" {
				args = args[1:]
			}
		case opened.CLI.Documents != "" && !strings.Contains(word, "."):
			list, _ := values[opened.CLI.Documents].([]any)
			values[opened.CLI.Documents] = append(list, map[string]any{"name": word})
		default:
			return nil
		}
	}
	arguments := places.Close(values)
	if len(arguments) == 0 || !fits(rt.operation.Input(), arguments) {
		return nil
	}
	return arguments
}

func addArgument(arguments map[string]any, field string, property *jsonschema.Schema, text string) {
	value := tools.FromText(property, text)
	if items, ok := value.([]any); ok {
		list, _ := arguments[field].([]any)
		value = append(list, items...)
	}
	arguments[field] = value
}

func fieldFor(o tools.Operation, flag string) string {
	for _, field := range o.Input().PropertyOrder {
		if o.Flag(field) == flag {
			return field
		}
	}
	return ""
}

func fits(input *jsonschema.Schema, arguments map[string]any) bool {
	text, err := json.Marshal(input)
	if err != nil { // cannot happen: a generated schema
		panic(err)
	}
	body, err := json.Marshal(arguments)
	if err != nil {
		return false
	}
	var value any
	_ = json.Unmarshal(body, &value)
	return len(schema.MustCompile(text).Check(value)) == 0
}

var commandWord = pattern.New(`(?:[^ "]|"[^"]*")+`)

// words splits a command line at unquoted blanks.
func words(line string) []string {
	words := commandWord.FindAllString(line, -1)
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, `"`, "")
	}
	return words
}
