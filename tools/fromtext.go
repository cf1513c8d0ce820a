package tools

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/document"
	"nomograph/internal/pattern"
	"nomograph/internal/schema"
)

// FromText reads a text as the type that an argument's schema takes: flags and positional arguments, parameters of a query, fields of a
// form. A nil schema takes any type. A list stands with commas, an object as JSON or as name=value,name=value. Where both text and another
// type are taken, a text in double quotes is one. What cannot be read stays text, so that the operation refuses it in its own words.
func FromText(property *jsonschema.Schema, text string) any {
	switch {
	case property == nil:
		property = &jsonschema.Schema{}
	case IsObjects(property):
		return FromTexts(property, []string{text})
	case property.Type == "array":
		return FromTexts(property, splitList(text))
	case property.Type == "object":
		return objectOf(property, text)
	}
	words := takes(property, "string")
	if takes(property, "number") || takes(property, "integer") {
		if number, ok := numberOf(text); ok {
			return number
		}
	}
	if takes(property, "boolean") {
		if truth, ok := scalarOf(text).(bool); ok {
			return truth
		}
	}
	if takes(property, "object") && strings.HasPrefix(strings.TrimSpace(text), "{") {
		if object := jsonObject(text); object != nil {
			return object
		}
	}
	if words && property.Type != "string" && strings.HasPrefix(text, `"`) {
		var quoted string
		if json.Unmarshal([]byte(text), &quoted) == nil {
			return quoted
		}
	}
	if words {
		return choice(property, text)
	}
	return text
}

// Argument reads a text as an argument of the operation into a value of its type. It returns the validation_error of Run where the text
// does not fit.
func (o Operation) Argument(name, text string, into any) error {
	raw, err := json.Marshal(map[string]any{name: FromText(o.Input().Properties[name], text)})
	if err != nil {
		return err
	}
	value, err := unmarshal(raw)
	if err != nil {
		return err
	}
	problems := slices.DeleteFunc(o.made.check().Check(value), func(p schema.Problem) bool { return len(p.Path) == 0 || p.Path[0] != name })
	if len(problems) > 0 {
		return o.misfit(problems)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	return json.Unmarshal(fields[name], into)
}

// FromTexts reads each text as an item of a list.
func FromTexts(list *jsonschema.Schema, texts []string) []any {
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = text
		if list.Items != nil {
			items[i] = FromText(list.Items, text)
		}
	}
	return items
}

// IsObjects reports whether a schema is that of a list of objects.
func IsObjects(property *jsonschema.Schema) bool {
	return property.Type == "array" && property.Items != nil && property.Items.Type == "object"
}

// Choices are the words that a schema takes; empty where it takes any.
func Choices(property *jsonschema.Schema) []string {
	choices := make([]string, len(property.Enum))
	for i, choice := range property.Enum {
		choices[i] = fmt.Sprint(choice)
	}
	return choices
}

// TwoTexts names the two fields of an object that needs just two, both texts; empty for any other. Such an object may be written
// FIRST: SECOND.
func TwoTexts(object *jsonschema.Schema) (first, second string) {
	required := slices.DeleteFunc(slices.Clone(object.PropertyOrder), func(name string) bool {
		return !slices.Contains(object.Required, name) || object.Properties[name].Type != "string"
	})
	if len(object.Required) != 2 || len(required) != 2 {
		return "", ""
	}
	return required[0], required[1]
}

// takes reports whether a schema takes values of a type. A schema that names no type takes all.
func takes(property *jsonschema.Schema, kind string) bool {
	return property.Type == kind || slices.Contains(property.Types, kind) || property.Type == "" && len(property.Types) == 0
}

// numberOf keeps a number in JSON's notation as it was written, so that 1.0 stays a float. It also reads the other notations of YAML, such as .5
// and 0x10.
func numberOf(text string) (json.RawMessage, bool) {
	text = strings.TrimSpace(text)
	if text == "" || !strings.ContainsRune("+-.0123456789", rune(text[0])) {
		return nil, false
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), true
	}
	switch number := scalarOf(text).(type) {
	case uint64, int64:
		return fmt.Append(nil, number), true
	case float64:
		if !math.IsInf(number, 0) && !math.IsNaN(number) {
			return fmt.Append(nil, number), true
		}
	}
	return nil, false
}

// scalarOf reads a text that is one word as a plain scalar of YAML; it gives nil for any other.
func scalarOf(text string) any {
	if text = strings.TrimSpace(text); text == "" || strings.ContainsAny(text, " \t\r\n#:,{}[]\"'&*!|>%@`?") {
		return nil
	}
	root, err := document.YAML(context.Background(), text, document.DefaultLimits())
	if err != nil {
		return nil
	}
	return root.Value()
}

// splitList gives the items of a list that are separated by commas, as CSV has them: an item in double quotes may contain commas. A
// text whose quotes do not match is split at each comma.
func splitList(text string) []string {
	if text == "" {
		return nil
	}
	items, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return strings.Split(text, ",")
	}
	return items
}

// choice is one of the words that a schema takes, which may be written with dashes as flags are; any other text stays.
func choice(property *jsonschema.Schema, text string) string {
	if words := Choices(property); !slices.Contains(words, text) {
		if underscored := strings.ReplaceAll(text, "-", "_"); slices.Contains(words, underscored) {
			return underscored
		}
	}
	return text
}

// jsonObject reads an object in the notation of JSON or of YAML; nil where it is none.
func jsonObject(text string) any {
	if json.Valid([]byte(text)) { // as it was written: 1.0 stays a float
		return json.RawMessage(text)
	}
	root, err := document.YAML(context.Background(), text, document.DefaultLimits())
	var refused *document.Error
	if errors.As(err, &refused) && refused.Problems[0].Path != nil {
		return twice(refused.Problems[0].Path)
	}
	object, ok := root.Value().(map[string]any)
	if err != nil || !ok {
		return nil
	}
	if _, err := json.Marshal(object); err != nil { // it holds .inf
		return nil
	}
	return object
}

// twice is an object that has the last key of a path twice: the operation refuses it, and says which key it is.
func twice(path []string) json.RawMessage {
	key, err := json.Marshal(path[len(path)-1])
	if err != nil { // it is text
		panic(err)
	}
	return json.RawMessage(fmt.Sprintf("{%s:null,%s:null}", key, key))
}

// objectOf reads an object as JSON, as name=value,name=value with | between the items of a list, or, where two texts are all
// that it needs, as FIRST: SECOND. What is none of these stays text.
func objectOf(object *jsonschema.Schema, text string) any {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if read := jsonObject(text); read != nil {
			return read
		}
		return text
	}
	if fields := pairs(object, text); fields != nil {
		return fields
	}
	if first, second := TwoTexts(object); first != "" {
		if left, right, found := strings.Cut(text, ":"); found {
			return map[string]any{first: strings.TrimSpace(left), second: strings.TrimSpace(right)}
		}
	}
	return text
}

// unknownName is name=value where the object has no field of that name.
var unknownName = pattern.New(`^\s*([A-Za-z_][\w.-]*)\s*=(.*)$`)

// pairs reads name=value,name=value. A comma within a value is one, unless a name of the object and = follow. It gives nil
// for what does not begin with a name and =.
func pairs(object *jsonschema.Schema, text string) any {
	names := `[A-Za-z_][\w.-]*`
	if len(object.PropertyOrder) > 0 {
		names = strings.Join(object.PropertyOrder, "|")
	}
	starts := regexp.MustCompile(`(?:^|,)\s*(`+names+`)\s*=`).FindAllStringSubmatchIndex(text, -1)
	if len(starts) == 0 || starts[0][0] != 0 {
		first, _ := TwoTexts(object)
		if wrong := unknownName.FindStringSubmatch(text); wrong != nil && first == "" { // the operation says which names there are
			return map[string]any{wrong[1]: strings.TrimSpace(wrong[2])}
		}
		return nil
	}
	fields := map[string]any{}
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		name, value := text[at[2]:at[3]], strings.TrimSpace(text[at[1]:end])
		if _, again := fields[name]; again {
			return twice([]string{name})
		}
		property := object.Properties[name]
		if property != nil && property.Type == "array" { // the comma separates fields
			fields[name] = FromTexts(property, strings.Split(value, "|"))
			continue
		}
		fields[name] = FromText(property, value)
	}
	return fields
}
