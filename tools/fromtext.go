package tools

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/document"
	"nomograph/internal/lists"
	"nomograph/internal/pattern"
	"nomograph/internal/schema"
)

// FromText converts text to the type of an argument's schema: for flags, positional arguments, query parameters and
// form fields. A nil schema accepts any type. Lists are separated by commas. Objects are JSON or
// name=value,name=value. If a schema accepts text and other types, text in double quotes is text. Text that cannot be
// converted is returned unchanged, so that the operation rejects it with its own message.
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
	words := accepts(property, "string")
	if accepts(property, "number") || accepts(property, "integer") {
		if number, ok := numberOf(text, words); ok {
			return number
		}
	}
	if accepts(property, "boolean") {
		if truth, ok := truthOf(text); ok {
			return truth
		}
	}
	if accepts(property, "object") && strings.HasPrefix(strings.TrimSpace(text), "{") {
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

// Argument converts text to an argument of the operation and stores it in into. It returns the validation_error of Run
// if the text is invalid.
func (o Operation) Argument(name, text string, into any) error {
	raw, err := json.Marshal(map[string]any{name: FromText(o.Input().Properties[name], text)})
	if err != nil {
		return err
	}
	value, err := unmarshal(raw)
	if err != nil {
		return err
	}
	problems := slices.DeleteFunc(o.check().Check(value),
		func(p schema.Problem) bool { return len(p.Path) == 0 || p.Path[0] != name })
	if len(problems) > 0 {
		return o.invalidArguments(problems)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	return json.Unmarshal(fields[name], into)
}

// FromTexts converts texts to the items of a list.
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

// IsObjects reports whether a schema describes a list of objects.
func IsObjects(property *jsonschema.Schema) bool {
	return property.Type == "array" && property.Items != nil && property.Items.Type == "object"
}

// Choices returns the values of an enum; empty without an enum.
func Choices(property *jsonschema.Schema) []string {
	return lists.Map(property.Enum, func(choice any) string { return fmt.Sprint(choice) })
}

// TwoTexts returns the names of the two required fields of an object if both are texts, or else empty names. Such an
// object can be written as FIRST: SECOND.
func TwoTexts(object *jsonschema.Schema) (first, second string) {
	required := slices.DeleteFunc(slices.Clone(object.PropertyOrder), func(name string) bool {
		return !slices.Contains(object.Required, name) || object.Properties[name].Type != "string"
	})
	if len(object.Required) != 2 || len(required) != 2 {
		return "", ""
	}
	return required[0], required[1]
}

// accepts reports whether a schema accepts values of a type. A schema without a type accepts all.
func accepts(property *jsonschema.Schema, kind string) bool {
	return property.Type == kind || slices.Contains(property.Types, kind) || property.Type == "" &&
		len(property.Types) == 0
}

// numberOf returns a JSON number as written, so that 1.0 stays a float. Where text is possible too, only the numbers of
// document.IsNumber that fit 64 bits are numbers.
func numberOf(text string, orText bool) (json.Number, bool) {
	text = strings.TrimSpace(text)
	if document.IsNumber(text) && (!orText || fits64(text)) {
		if digits := strings.TrimLeft(text, "-"); digits[0] == '.' { // which JSON does not have
			text = strings.TrimSuffix(text, digits) + "0" + digits
		}
		return json.Number(text), true
	}
	isNumber := text != "" && strings.ContainsRune("-0123456789", rune(text[0])) && json.Valid([]byte(text))
	return json.Number(text), isNumber && !orText
}

func fits64(number string) bool {
	_, err := strconv.ParseInt(number, 10, 64)
	if strings.ContainsAny(number, ".eE") {
		_, err = strconv.ParseFloat(number, 64)
	}
	return err == nil
}

// truthOf returns the boolean that a text spells.
func truthOf(text string) (truth, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	return text == "true", text == "true" || text == "false"
}

// splitList splits a list at commas like CSV: items in double quotes can contain commas. If the quotes do not match, it
// splits at every comma.
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

// choice returns the enum value for a text that uses dashes instead of underscores. Other texts are returned unchanged.
func choice(property *jsonschema.Schema, text string) string {
	if words := Choices(property); !slices.Contains(words, text) {
		if underscored := strings.ReplaceAll(text, "-", "_"); slices.Contains(words, underscored) {
			return underscored
		}
	}
	return text
}

// jsonObject parses an object in JSON or YAML notation. It returns nil if the text is none.
func jsonObject(text string) any {
	if json.Valid([]byte(text)) { // unchanged, so that 1.0 stays a float
		return json.RawMessage(text)
	}
	root, err := document.YAML(context.Background(), text, document.DefaultLimits())
	var refused *document.Error
	if errors.As(err, &refused) && refused.Problems[0].Path != nil {
		return withDuplicateKey(refused.Problems[0].Path)
	}
	object, ok := root.Value().(map[string]any)
	if err != nil || !ok {
		return nil
	}
	if _, err := json.Marshal(object); err != nil { // contains .inf
		return nil
	}
	return object
}

// withDuplicateKey returns an object that contains the last key of a path twice, so that the operation rejects it and
// names the key.
func withDuplicateKey(path []string) json.RawMessage {
	key, err := json.Marshal(path[len(path)-1])
	if err != nil { // strings always encode
		panic(err)
	}
	return json.RawMessage(fmt.Sprintf("{%s:null,%s:null}", key, key))
}

// objectOf parses an object: JSON; name=value,name=value with | between list items; or FIRST: SECOND if the object
// needs only two texts. Other texts are returned unchanged.
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
		if left, right, ok := strings.Cut(text, ":"); ok {
			return map[string]any{first: strings.TrimSpace(left), second: strings.TrimSpace(right)}
		}
	}
	return text
}

// unknownName matches name=value with a name that the object does not have.
var unknownName = pattern.New(`^\s*([A-Za-z_][\w.-]*)\s*=(.*)$`)

// pairs parses name=value,name=value. A comma belongs to the value unless a field name and = follow it. It returns nil
// for texts that do not start with a name and =.
func pairs(object *jsonschema.Schema, text string) any {
	names := `[A-Za-z_][\w.-]*`
	if len(object.PropertyOrder) > 0 {
		names = strings.Join(object.PropertyOrder, "|")
	}
	starts := regexp.MustCompile(`(?:^|,)\s*(`+names+`)\s*=`).FindAllStringSubmatchIndex(text, -1)
	if len(starts) == 0 || starts[0][0] != 0 {
		first, _ := TwoTexts(object)
		if wrong := unknownName.FindStringSubmatch(text); wrong != nil &&
			first == "" { // the operation lists the valid names
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
			return withDuplicateKey([]string{name})
		}
		property := object.Properties[name]
		if property != nil && property.Type == "array" { // a comma separates fields
			fields[name] = FromTexts(property, strings.Split(value, "|"))
			continue
		}
		fields[name] = FromText(property, value)
	}
	return fields
}
