// Package nomograph_test checks the layout of the packages, and files that refer to each other.
package nomograph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers lists the layers from top to bottom. A package may import packages of its own folder, of folders to its right
// in its layer, and of lower layers. Every layer may import internal and docs, which import only internal.
var layers = [][]string{
	{"bench", "cmd"},
	{"server", "client"},
	{"tools"},
	{"hooks", "events", "agents", "sessions", "decisions", "memory", "policies"},
	{"search", "tokens", "trace"},
	{"graph", "cypher", "migrations"},
	{"docs"},
	{"internal"},
}

// forTests lists packages that only tests and the bench import.
var forTests = []string{"graph/graphtest", "policies/labtest", "tools/toolstest", "internal/document/documenttest",
	"internal/golden"}

func TestImports_Layers_PointDown(t *testing.T) {
	order := slices.Concat(layers...)
	eachFile(t, func(path string, file *ast.File) {
		from := slices.Index(order, top(path))
		for folder := range imported(file) {
			to := slices.Index(order, top(folder))
			if to < from || from < 0 {
				t.Errorf("%s may not import %s", path, folder)
			}
			if slices.Contains(forTests, folder) && top(path) != "bench" &&
				!slices.Contains(forTests, filepath.Dir(path)) {
				t.Errorf("%s imports %s, which is for tests", path, folder)
			}
		}
	})
}

// makesStores matches names of types and functions that access the graph directly.
var makesStores = regexp.MustCompile(`^(App|DB|Open\w*|Store|NewStore|Log|NewLog|Index|Feed|Watcher|NewWatcher|All|One|Append|Tx|Write)$`)

// TestTransports_ReachData_ThroughOperations requires code under server/ to use tools.Runner, which exposes no store.
func TestTransports_ReachData_ThroughOperations(t *testing.T) {
	eachFile(t, func(path string, file *ast.File) {
		if top(path) != "server" {
			return
		}
		names := map[string]bool{} // names of our packages in the file
		for folder, name := range imported(file) {
			names[name] = !slices.Contains([]string{"server", "internal", "docs"}, top(folder))
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selected, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := selected.X.(*ast.Ident); ok && (of.Name == "neo4j" || names[of.Name] &&
				makesStores.MatchString(selected.Sel.Name)) {
				t.Errorf("%s uses %s.%s: a transport reads and writes through tools.Runner", path, of.Name,
					selected.Sel.Name)
			}
			return true
		})
	})
}

var (
	cypherInGo = regexp.MustCompile("[\"`][^\"`]*\\b(MATCH|MERGE|UNWIND|CREATE) *\\(")
	toStdout   = regexp.MustCompile(`\bfmt\.Print(ln|f)?\(|os\.Stdout`)
)

// TestSource_Cypher_IsInFilesAndStdoutInCommands: stdout belongs to the protocol. The guard has examples of callers'
// queries, the visibility filter has conditions, and the engine on Windows passes its own streams on.
func TestSource_Cypher_IsInFilesAndStdoutInCommands(t *testing.T) {
	mayCypher := regexp.MustCompile(`^(cypher/readonly/|cypher/visibility\.go|graph/graphtest/|policies/labtest/|tools/toolstest/|bench/)`)
	mayStdout := regexp.MustCompile(`^(cmd/|bench/|graph/engine/process/become_windows\.go)`)
	eachFile(t, func(path string, _ *ast.File) {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(source), "\n") {
			switch {
			case strings.HasPrefix(strings.TrimSpace(line), "//"):
			case cypherInGo.MatchString(line) && !mayCypher.MatchString(path):
				t.Errorf("%s:%d contains Cypher; move it to a file under cypher/", path, n+1)
			case toStdout.MatchString(line) && !mayStdout.MatchString(path):
				t.Errorf("%s:%d writes to stdout, which is the protocol's", path, n+1)
			}
		}
	})
}

func TestPackages_Each_HaveADocAndANameThatSaysSomething(t *testing.T) {
	empty := regexp.MustCompile(`(^|/)(util|utils|common|helper|helpers|misc|manager|managers|base)(\.go|_|/|$)`)
	documented := map[string]bool{}
	eachFile(t, func(path string, file *ast.File) {
		if empty.MatchString(path) {
			t.Errorf("%s: the name does not describe the content", path)
		}
		folder, text := filepath.Dir(path), file.Doc.Text()
		documented[folder] = documented[folder] || strings.HasPrefix(text, "Package "+file.Name.Name+" ") ||
			file.Name.Name == "main" && strings.HasPrefix(text, "Command ")
	})
	for folder, has := range documented {
		if !has {
			t.Errorf("%s has no doc comment of its package", folder)
		}
	}
}

// top returns the top-level folder of a path.
func top(path string) string {
	folder, _, _ := strings.Cut(path, "/")
	return folder
}

// imported returns the folders of this module that a file imports, and their names in the file.
func imported(file *ast.File) map[string]string {
	folders := map[string]string{}
	for _, spec := range file.Imports {
		text, _ := strconv.Unquote(spec.Path.Value)
		if folder, ok := strings.CutPrefix(text, "nomograph/"); ok {
			folders[folder] = folder[strings.LastIndex(folder, "/")+1:]
			if spec.Name != nil {
				folders[folder] = spec.Name.Name
			}
		}
	}
	return folders
}

// eachFile visits the Go files that are no tests.
func eachFile(t *testing.T, visit func(path string, file *ast.File)) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != ".":
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		found++
		visit(filepath.ToSlash(path), file)
		return nil
	})
	if err != nil || found < 100 {
		t.Fatalf("%d files were checked: %v", found, err)
	}
}
