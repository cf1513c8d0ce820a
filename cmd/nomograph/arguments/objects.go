package arguments

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/pattern"
)

// isObjects tells whether a field is a list of objects.
func isObjects(property *jsonschema.Schema) bool {
	return property.Type == "array" && property.Items != nil && property.Items.Type == "object"
}

// objectForms says in which forms a flag takes an object.
func objectForms(property *jsonschema.Schema) string {
	forms := "name=value,name=value or JSON"
	if isObjects(property) {
		property, forms = property.Items, forms+"; may be repeated"
	}
	if first, second := twoTexts(property); first != "" {
		forms = `"` + first + ": " + second + `", ` + forms
	}
	return " (" + forms + ")"
}

// twoTexts names the two fields of an object that needs just two, both texts; empty for any other.
func twoTexts(object *jsonschema.Schema) (string, string) {
	required := slices.DeleteFunc(slices.Clone(object.PropertyOrder), func(name string) bool {
		return !slices.Contains(object.Required, name) || object.Properties[name].Type != "string"
	})
	if len(object.Required) != 2 || len(required) != 2 {
		return "", ""
	}
	return required[0], required[1]
}

// objectOf reads an object as JSON, as name=value,name=value with | between the items of a list, or, where two texts are all
// that it needs, as FIRST: SECOND. What is none of these stays text, and the operation says what is wrong with it.
func objectOf(object *jsonschema.Schema, text string) any {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return typed(object, text)
	}
	if fields := pairs(object, text); fields != nil {
		return fields
	}
	if first, second := twoTexts(object); first != "" {
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
		first, _ := twoTexts(object)
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
		switch {
		case property == nil:
			fields[name] = typed(&jsonschema.Schema{}, value)
		case property.Type == "array":
			fields[name] = strings.Split(value, "|")
		default:
			fields[name] = typed(property, value)
		}
	}
	return fields
}

// objectsOf reads each text as an object.
func objectsOf(property *jsonschema.Schema, texts []string) []any {
	objects := make([]any, len(texts))
	for i, text := range texts {
		objects[i] = objectOf(property.Items, text)
	}
	return objects
}
