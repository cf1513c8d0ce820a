// Package output prints answers in the requested format: text for people, or a machine-readable format.
//
//	form := output.Form{Name: "csv"}
//	err := form.Print(os.Stdout, answer) // any value that encodes to JSON
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"

	"nomograph/internal/render"
	"nomograph/tools/views"
)

// Names are the output formats.
var Names = []string{"text", "wide", "json", "yaml", "csv", "tsv", "markdown", "name"}

// Form is an output format. The zero value is text for people.
type Form struct {
	Name   string             // one of Names; empty means text
	Fields []string           // fields to print; empty means all
	Schema *jsonschema.Schema // schema of the answer, if known
	// Recorded says that the answer can contain recorded text: JSON and YAML then start with a notice, and text output
	// quotes its lines.
	Recorded bool
}

// Print writes an answer in this format. It returns a validation_error for a field that the answer cannot have.
func (f Form) Print(w io.Writer, answer any) error {
	raw, err := render.JSON(answer)
	if err != nil {
		return err
	}
	page, encoded := f.Page(w), f.Name == "json" || f.Name == "yaml"
	if len(f.Fields) == 0 && f.Name == "" {
		shown := answer
		if f.Recorded {
			shown = render.QuoteValue(answer)
		}
		if text, ok := views.Text(shown, page); ok {
			return Write(w, page.Finish(line(text)))
		}
	}
	if f.Recorded {
		raw = render.MarkRecorded(raw)
	}
	if len(f.Fields) == 0 && !encoded {
		raw = render.UnmarkRecorded(raw)
	}
	value := gjson.ParseBytes(raw)
	var text string
	switch {
	case encoded:
		if text, err = f.encode(raw, value); err != nil {
			return err
		}
		return Write(w, text)
	case len(f.Fields) > 0:
		text, err = fieldsText(value, f.Fields, f.Schema)
	case f.Name == "name":
		text, err = namesText(value)
	case f.Name == "csv":
		text = csvText(value)
	case f.Name == "tsv":
		text = tsvText(value)
	default:
		return Write(w, page.Finish(answerText(page, value)))
	}
	if err != nil {
		return err
	}
	return Write(w, render.EscapeControl(text))
}

// encode writes an answer, or only its named fields, as JSON or YAML.
func (f Form) encode(raw []byte, value gjson.Result) (text string, err error) {
	if len(f.Fields) > 0 {
		if raw, err = fieldsJSON(value, f.Fields, f.Schema); err != nil {
			return "", err
		}
	}
	if f.Name == "yaml" {
		text, err = yamlOf(raw)
	} else {
		text, err = render.IndentedJSON(json.RawMessage(raw))
	}
	return strings.TrimSuffix(text, "\n") + "\n", err
}

// line ends a text with a newline, which shells and other programs expect.
func line(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func Write(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// Text returns a string field of an answer, or "".
func Text(out any, name string) (string, error) {
	raw, err := json.Marshal(out)
	return gjson.GetBytes(raw, gjson.Escape(name)).Str, err
}

// yamlOf converts JSON to YAML and escapes terminal control characters.
func yamlOf(raw []byte) (string, error) {
	var value any
	if err := yaml.UnmarshalWithOptions(raw, &value, yaml.UseOrderedMap()); err != nil {
		return "", err
	}
	text, err := yaml.MarshalWithOptions(value, yaml.CustomMarshaler[string](func(s string) ([]byte, error) {
		if render.EscapeControl(s) != s {
			return render.JSON(s) // a JSON string is valid YAML
		}
		return yaml.Marshal(s)
	}))
	return string(text), err
}
