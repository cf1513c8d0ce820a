package nomograph_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThreatModel_NamedTests_Exist checks that every test named in the threat model exists.
func TestThreatModel_NamedTests_Exist(t *testing.T) {
	text, err := os.ReadFile("docs/concepts/threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err = filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, found := range declared.FindAllSubmatch(source, -1) {
			there[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(text, -1)
	if len(named) < 50 {
		t.Fatalf("the threat model names only %d tests", len(named))
	}
	for _, name := range named {
		if !there[string(name[1])] {
			t.Errorf("docs/concepts/threat-model.md names %s, which is not a test", name[1])
		}
	}
}
