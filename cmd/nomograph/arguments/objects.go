package arguments

import (
	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/tools"
)

// objectForms returns the formats in which a flag accepts an object.
func objectForms(property *jsonschema.Schema) string {
	forms := "name=value,name=value or JSON"
	if tools.IsObjects(property) {
		property, forms = property.Items, forms+"; may be repeated"
	}
	if first, second := tools.TwoTexts(property); first != "" {
		forms = `"` + first + ": " + second + `", ` + forms
	}
	return " (" + forms + ")"
}
