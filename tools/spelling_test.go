package tools

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

func TestHints_EachTransport_HasItsSpelling(t *testing.T) {
	word := func(name string) (string, bool) {
		o, ok := Find(Catalog, name)
		return o.Shell(), ok
	}
	reply := apperr.New(apperr.NotFound, "No `thing`").
		WithHint("`list_policies` shows them; `nomograph doctor` too, and `id` and list_tables stay")
	if got := SpellError(reply, word); got.Hint != "`nomograph policy list` shows them; `nomograph doctor` too, and `id` and list_tables stay" || got.Message != "No `thing`" || got.ID != reply.ID {
		t.Errorf("got %+v, want Hint=%v, Message=%v, ID=%v", got,
			"`nomograph policy list` shows them; `nomograph doctor` too, and `id` and list_tables stay", "No `thing`",
			reply.ID)
	}
	if reply.Hint[:15] != "`list_policies`" {
		t.Errorf("Spell changed the shared error: %s", reply.Hint)
	}
}

// TestSpell_ProgramCommand_IsWrittenAsInAShell: no transport has an operation with the name of a program command.
func TestSpell_ProgramCommand_IsWrittenAsInAShell(t *testing.T) {
	graphtest.Equal(t, Spell("`run_doctor`, `get_policy` and `id`",
		Command), "`nomograph doctor`, `nomograph policy get` and `id`", "spelled text")

	for _, name := range []string{"run_doctor", "sign_pack", "create_pack_key", "get_pack_schema", "get_atlas_schema",
		"export_graph"} {
		if _, ok := Find(Catalog, name); ok || programCommands[name] == "" {
			t.Errorf("%s: known as an operation: %v, as a command: %q", name, ok, programCommands[name])
		}
	}
}

// TestTextsOfDomains_NameNoCommand: shared texts name operations, which each transport spells in its own way.
func TestTextsOfDomains_NameNoCommand(t *testing.T) {
	words := []string{"serve", "doctor", "export", "config", "engine", "trust"}
	for _, o := range Catalog {
		word, _, _ := strings.Cut(o.Command, " ")
		words = append(words, word)
	}
	command := regexp.MustCompile(`nomograph (` + strings.Join(words, "|") + `)\b`)
	seen := 0
	for _, folder := range []string{"agents", "decisions", "events", "hooks", "memory", "policies", "search",
		"sessions", "tokens", "trace", "graph", "graph/archive", "internal/apperr"} {
		err := filepath.WalkDir("../"+folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "engine":
				return fs.SkipDir // only the program itself runs these commands
			case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(path, "junit.go"), // junit.go: the command name is part of the report format
				strings.HasSuffix(path, "hooks/verdict.go"),
				strings.HasSuffix(path, "hooks/session.go"), // read by people at the shell in which their agent works
				strings.HasSuffix(path, "lab/learn.go"), strings.HasSuffix(path,
					"lab/tune.go"), // fields with a command to run
				strings.Contains(path, "hooks/shell/"): // patterns of commands
				return nil
			}
			seen++
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && command.MatchString(text.Value) {
					t.Errorf("%s: name the operation, or the command as in programCommands: %s", path, text.Value)
				}
				return true
			})
			return nil
		})
		graphtest.OK(t, err)
	}
	if seen < 100 {
		t.Errorf("only %d files were read", seen)
	}
}
