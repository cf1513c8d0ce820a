package toolstest

import (
	"os"
	"testing"

	"github.com/goccy/go-yaml"
)

// Rows reads the rows of a table of inputs from a YAML file, so that people can add rows without code.
func Rows[T any](t testing.TB, path string) (rows []T) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, &rows, yaml.Strict())
	}
	if err != nil || len(rows) == 0 {
		t.Fatalf("no rows in %s: %v", path, err)
	}
	return rows
}
