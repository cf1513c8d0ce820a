package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nomograph/internal/apperr"
)

func TestAHintIsSpelledByTheDoor(t *testing.T) {
	word := func(name string) (string, bool) {
		o, known := Find(Catalog, name)
		return o.Shell(), known
	}
	said := apperr.New(apperr.NotFound, "No `thing`").WithHint("`list_policies` shows them; `nomograph doctor` too, and `id` and list_tables stay")
	if got := Spelled(said, word); got.Hint != "`nomograph policy list` shows them; `nomograph doctor` too, and `id` and list_tables stay" || got.Message != "No `thing`" || got.ID != said.ID {
		t.Errorf("%+v", got)
	}
	if said.Hint[:15] != "`list_policies`" {
		t.Errorf("it changed what others are told: %s", said.Hint)
	}
}

var command = regexp.MustCompile("(?:WithHint\\(|[Hh]int :?= )\"[^\n]*`nomograph ([a-z]+(?: [a-z]+)?)")

// TestHintsNameOperations: a hint of what every door may say names an operation, and no command, which over MCP would be no tool.
func TestHintsNameOperations(t *testing.T) {
	commands := map[string]string{}
	for _, o := range Catalog {
		commands[o.CLI.Command] = o.Name
	}
	seen := 0
	for _, pattern := range []string{"../policies/*.go", "../policies/*/*.go", "../decisions/*.go", "../decisions/*/*.go", "../search/*.go", "../trace/*.go", "../graph/*.go", "../tools/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if seen++; strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, found := range command.FindAllStringSubmatch(string(source), -1) {
				if name := commands[found[1]]; name != "" {
					t.Errorf("%s: write `%s` for `nomograph %s`", file, name, found[1])
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d files were read", seen)
	}
}
