package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestImport_NothingFound_SaysWhatWasSearched checks that the error not_found names the path and the expected files.
func TestImport_NothingFound_SaysWhatWasSearched(t *testing.T) {
	g := graphtest.New(t)
	env := toolstest.OpenWithoutEmbedder(t, g.DB)
	dir := t.TempDir()
	for name, text := range map[string]string{"none/readme.txt": "x", "aside/README.md": "# Records\n\nNothing yet.\n",
		"blank.jsonl": "\n\n", "broken.jsonl": "{\n"} {
		path := filepath.Join(dir, name)
		graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		graphtest.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, c := range []struct {
		operation, path string
		says            []string
	}{
		{"import_adr", "none", []string{"none", ".md", "Decision"}},
		{"import_adr", "aside", []string{"aside", ".md", "Skipped: README.md: it is a page about the records"}},
		{"import_cstp", "none", []string{"none", ".yaml"}},
		{"import_jsonl", "blank.jsonl", []string{"blank.jsonl", "JSON object on each line"}},
		{"import_jsonl", "broken.jsonl", nil},
	} {
		o, _ := tools.Find(tools.Catalog, c.operation)
		arguments, _ := json.Marshal(map[string]string{"path": filepath.Join(dir, c.path)})
		out, err := o.Run(t.Context(), env, arguments)
		if c.says == nil {
			if failed, ok := out.(interface{ Failed() bool }); err != nil || !ok || !failed.Failed() {
				t.Errorf("%s of %s: %v %v", c.operation, c.path, out, err)
			}
			continue
		}
		for _, want := range c.says {
			if f := apperr.From(err); err == nil || f.Code != apperr.NotFound || f.Hint == "" ||
				!strings.Contains(f.Message, want) {
				t.Errorf("%s of %s: %q is missing in %v", c.operation, c.path, want, err)
			}
		}
	}
}
