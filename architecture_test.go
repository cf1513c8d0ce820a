// Package nomograph_test checks the architecture: allowed imports, and which packages may contain which kind of code.
package nomograph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nomograph/tools"
)

// layers lists the layers from top to bottom. A package may import packages of lower layers, and packages to its right
// in its own layer. Every layer may import internal and docs, which import only internal.
var layers = [][]string{
	{"bench", "cmd"},
	{"client", "gateway", "server"},
	{"tools"},
	{"hooks", "events", "agents", "sessions", "decisions", "memory", "policies"},
	{"search", "tokens", "trace"},
	{"graph", "engine", "cypher", "migrations"},
}

// maxFolders limits the number of top-level directories, so that the layout stays easy to learn.
const maxFolders = 24

// ordered lists the directories of all layers in order.
var ordered = slices.Concat(layers...)

// support lists directories whose packages have no domain knowledge.
var support = []string{"internal", "docs"}

// divided lists domains that are divided into packages, in the same order from left to right. The package of the domain's
// own directory holds its core types; each other package implements one function. Packages to the right of the core
// types do not access the graph.
var divided = map[string][]string{
	"server":    {"pages", "cstp", "events", "ofrep", "authzen", "hooks", "rest", "mcp", "auth", ground},
	"policies":  {"cstp", "proposals", "lab", "lint", "cases", "change", "pack", "circuit", "check", "table", "live", "history", "rule", ground, "autonomy", "condition", "learning", "inference"},
	"sessions":  {ground, "manifest"},
	"hooks":     {ground, "shell"},
	"agents":    {"exchange", "federation", "peers", ground, "client"},
	"decisions": {"preparation", "briefing", "attribution", "evidence", "insights", "imports", "counters", "links", "precedents", ground, "records", "calibration", "drawing"},
	"memory":    {"recall", "conversations", ground, "transcripts", "turns", "claims"},
}

const ground = ""

// forTests lists packages that only tests and the bench import.
var forTests = []string{"graph/graphtest", "policies/labtest", "tools/toolstest"}

// topPackage returns the top-level package of a directory.
func topPackage(folder string) string {
	parts := strings.Split(folder, "/")
	if len(parts) > 1 && parts[1] == "engine" {
		return "engine"
	}
	return parts[0]
}

// inner returns the package of a domain that contains a directory.
func inner(folder string) string {
	_, rest, _ := strings.Cut(folder, "/")
	within, _, _ := strings.Cut(rest, "/")
	return within
}

func TestImports_Layers_PointOneWay(t *testing.T) {
	eachGoFile(t, func(path string, source []byte) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, "_test.go") || slices.Contains(forTests, folder) {
			return // tests may use any package
		}
		from := topPackage(folder)
		if slices.Contains(support, from) {
			for _, imported := range ours(t, path, source) {
				if topPackage(imported) != "internal" {
					t.Errorf("%s imports %s: %s imports only internal packages", path, imported, from)
				}
			}
			return
		}
		for _, imported := range ours(t, path, source) {
			order, here, there := ordered, from, topPackage(imported)
			if from == there {
				order, here, there = divided[from], inner(folder), inner(imported)
			}
			if order == nil || slices.Contains(support, there) {
				continue
			}
			left, right := slices.Index(order, here), slices.Index(order, there)
			switch {
			case left < 0 || right < 0:
				t.Errorf("%s may not import %s", path, imported)
			case right <= left:
				t.Errorf("%s uses %s, which is to its left", path, imported)
			}
		}
	})
}

// ours returns the directories of this module that a file imports.
func ours(t *testing.T, path string, source []byte) (folders []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if folder, ok := strings.CutPrefix(imported, "nomograph/"); ok {
			folders = append(folders, folder)
		}
	}
	return folders
}

// seenByTransports lists the store packages that code under server/ may import, and what it uses: types of arguments and
// answers, and functions that read nothing. All reads and writes go through tools.Runner.
var seenByTransports = map[string]string{
	"agents":                "the form of a judgment, a distance from scores",
	"decisions":             "types of answers that pages show",
	"decisions/insights":    "types of answers that pages show",
	"decisions/attribution": "types of answers that pages show",
	"decisions/calibration": "types of answers that pages show",
	"decisions/counters":    "types of answers that pages show",
	"decisions/drawing":     "places of nodes on a page",
	"decisions/links":       "types of answers that pages show",
	"decisions/precedents":  "types of answers that CSTP and pages show",
	"events":                "events, their filter, and the subscription that tools.Runner gives",
	"graph":                 "the name of an operation in a context, the text of a property, types of answers",
	"hooks":                 "the contracts of clients, which read nothing",
	"policies":              "types of answers, and which node a name means among those that were read",
	"policies/autonomy":     "types of answers that pages show",
	"policies/change":       "types of arguments and answers",
	"policies/circuit":      "types of arguments and answers",
	"policies/check":        "the verdict",
	"policies/history":      "types of answers that pages show",
	"policies/lab":          "types of arguments and answers",
	"policies/pack":         "types of answers, and the names of shipped packs",
	"policies/table":        "types of answers, and how outputs are written",
	"policies/proposals":    "types of arguments and answers",
	"policies/live":         "types of answers, and what tools.Runner tells of a change",
	"memory/recall":         "types of answers that pages show",
	"search":                "the words of a text that a search names",
	"sessions":              "types of answers, and whether a person can lift a denial",
	"tokens":                "types of arguments and answers that pages show; server/auth: who calls is settled before there is a caller to check, from tokens.Register; tokens.Counts counts",
	"trace":                 "types of answers that pages show, and how a name is masked",
}

// makesStores matches names of types and functions that access the graph directly.
var makesStores = regexp.MustCompile(`^(App|DB|Open\w*|Store|NewStore|Log|NewLog|Index|Feed|Watcher|NewWatcher|All|One|Append|Tx|Write)$`)

// TestImports_Transports_ReachNoStore requires code under server/ to use tools.Runner, which exposes no store. Health,
// authentication and metrics get what they need from cmd, as functions and as tokens.Register and tokens.Counts.
func TestImports_Transports_ReachNoStore(t *testing.T) {
	runner := reflect.TypeFor[tools.Runner]()
	for i := range runner.NumField() {
		if runner.Field(i).IsExported() {
			t.Errorf("tools.Runner shows its field %s", runner.Field(i).Name)
		}
	}
	var can []string
	for i := range runner.NumMethod() {
		can = append(can, runner.Method(i).Name)
	}
	if got := strings.Join(can, " "); got != "CommitNotifications FollowListings Key Listings Run Subscribe Watch" {
		t.Errorf("tools.Runner can %s, want CommitNotifications FollowListings Key Listings Run Subscribe Watch", got)
	}
	used := map[string]bool{}
	eachGoFile(t, func(path string, source []byte) {
		if topPackage(path) != "server" || strings.HasSuffix(path, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{} // import names of our packages in the file
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if strings.Contains(imported, "neo4j") {
				t.Errorf("%s imports %s", path, imported)
			}
			folder, ours := strings.CutPrefix(imported, "nomograph/")
			if !ours || topPackage(folder) == "server" || slices.Contains(support, topPackage(folder)) {
				continue
			}
			if seenByTransports[folder] == "" && folder != "tools" || folder == "tokens" && inner(path) != "auth" && inner(path) != "pages" {
				t.Errorf("%s imports %s, which no transport may", path, folder)
			}
			used[folder] = true
			name := folder[strings.LastIndex(folder, "/")+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			names[name] = true
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selected, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := selected.X.(*ast.Ident); ok && names[of.Name] && makesStores.MatchString(selected.Sel.Name) {
				t.Errorf("%s uses %s.%s: a transport reads and writes through tools.Runner", path, of.Name, selected.Sel.Name)
			}
			return true
		})
	})
	for folder := range seenByTransports {
		if !used[folder] {
			t.Errorf("no transport imports %s any more", folder)
		}
	}
}

func TestFolders_AtTheTop_AreFew(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" && e.Name() != "dist" {
			folders = append(folders, e.Name())
		}
	}
	if len(folders) > maxFolders {
		t.Errorf("got %d folders at the top, want at most %d: %v", len(folders), maxFolders, folders)
	}
}

func TestImports_TestPackages_OnlyFromTests(t *testing.T) {
	eachGoFile(t, func(path string, source []byte) {
		if strings.HasSuffix(path, "_test.go") || slices.Contains(forTests, filepath.ToSlash(filepath.Dir(path))) || topPackage(path) == "bench" {
			return
		}
		for _, dir := range forTests {
			if strings.Contains(string(source), `"nomograph/`+dir+`"`) {
				t.Errorf("%s imports %s, which is for tests", path, dir)
			}
		}
	})
}

func TestImports_TextAndGuard_UseNoOwnPackages(t *testing.T) {
	eachGoFile(t, func(path string, source []byte) {
		if from := topPackage(path); from != "cypher" && from != "migrations" || strings.HasSuffix(path, "_test.go") || from == "cypher" && strings.HasPrefix(path, "cypher/readonly/") {
			return
		}
		if strings.Contains(string(source), `"nomograph/`) {
			t.Errorf("%s uses a package of ours", path)
		}
	})
}

// TestErrors_PackageVariables_AreNone: an error in a variable would have the same id for the whole life of the process.
func TestErrors_PackageVariables_AreNone(t *testing.T) {
	eachGoFile(t, func(path string, source []byte) {
		if strings.HasSuffix(path, "_test.go") || !strings.Contains(string(source), "apperr.New") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			variables, ok := declared.(*ast.GenDecl)
			if !ok || variables.Tok != token.VAR {
				continue
			}
			ast.Inspect(variables, func(n ast.Node) bool {
				if _, isFunc := n.(*ast.FuncLit); isFunc {
					return false
				}
				made, ok := n.(*ast.SelectorExpr)
				if !ok || !strings.HasPrefix(made.Sel.Name, "New") {
					return true
				}
				if of, ok := made.X.(*ast.Ident); ok && of.Name == "apperr" {
					t.Errorf("%s keeps an error in a variable, so that its id is the same each time", path)
				}
				return true
			})
		}
	})
}

// onlyIn lists libraries that only one package may import, so that there is one way to do what they do.
var onlyIn = map[string]string{"github.com/google/uuid": "internal/uid"}

func TestLibraries_WithOnePackage_AreImportedThere(t *testing.T) {
	eachGoFile(t, func(path string, source []byte) {
		for library, folder := range onlyIn {
			if !strings.HasSuffix(path, "_test.go") && filepath.ToSlash(filepath.Dir(path)) != folder && strings.Contains(string(source), `"`+library+`"`) {
				t.Errorf("%s imports %s, which only %s may", path, library, folder)
			}
		}
	})
}

var layout = regexp.MustCompile(`(?m)^func \([^)]*\) Layout\(`)

// TestDomain_Answers_HaveNoTextForTerminals requires layers below tools to return data; tools/views formats it. Only the
// memory tools have texts, which are part of their source document.
func TestDomain_Answers_HaveNoTextForTerminals(t *testing.T) {
	below := slices.Concat(layers[3:]...)
	eachGoFile(t, func(path string, source []byte) {
		if strings.HasSuffix(path, "_test.go") || !slices.Contains(below, topPackage(filepath.ToSlash(filepath.Dir(path)))) {
			return
		}
		for _, imported := range ours(t, path, source) {
			if imported == "internal/terminal" {
				t.Errorf("%s imports %s: text for terminals is a view in tools/views", path, imported)
			}
		}
		if layout.Match(source) {
			t.Errorf("%s has a Layout method: text for terminals is a view in tools/views", path)
		}
		if _, text, found := strings.Cut(string(source), "// String tells a person"); found && !strings.HasPrefix(path, "memory/recall/") {
			t.Errorf("%s has text for people in a String method (%.60s): it is a view in tools/views", path, text)
		}
	})
}

var (
	cypherInGo = regexp.MustCompile("[\"`][^\"`]*\\b(MATCH|MERGE|UNWIND|CREATE) *\\(")
	toStdout   = regexp.MustCompile(`\bfmt\.Print(ln|f)?\(|os\.Stdout`)
)

func TestSource_Cypher_IsOnlyInFilesAndStdoutIsUnused(t *testing.T) {
	eachGoFile(t, func(path string, source []byte) {
		if strings.HasSuffix(path, "_test.go") || slices.ContainsFunc(forTests, func(dir string) bool { return strings.HasPrefix(path, dir+"/") }) || topPackage(path) == "bench" {
			return
		}
		for n, line := range strings.Split(string(source), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "//") {
				continue
			}
			if cypherInGo.MatchString(line) && !strings.HasPrefix(path, "cypher/readonly/") && path != "cypher/visibility.go" { // examples of user queries; conditions of visibility markers
				t.Errorf("%s:%d contains Cypher; move it to a file under cypher/", path, n+1)
			}
			if toStdout.MatchString(line) && topPackage(path) != "cmd" && path != "graph/engine/process/become_windows.go" { // passes its own streams on
				t.Errorf("%s:%d writes to stdout, which is the protocol's", path, n+1)
			}
		}
	})
}

func TestPackages_Names_DescribeTheirContent(t *testing.T) {
	empty := regexp.MustCompile(`(^|/)(util|utils|common|helper|helpers|misc|manager|managers)(\.go|_|/|$)`)
	eachGoFile(t, func(path string, _ []byte) {
		if empty.MatchString(path) {
			t.Errorf("%s: the name does not describe the content", path)
		}
	})
}

// TestPackages_TestedWithoutRaceDetector_StartNoGoroutine reads their names from scripts/tests.sh.
func TestPackages_TestedWithoutRaceDetector_StartNoGoroutine(t *testing.T) {
	script, err := os.ReadFile("scripts/tests.sh")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`(?m)^plain='(.+)'$`).FindSubmatch(script)
	if pattern == nil {
		t.Fatal("scripts/tests.sh does not set plain")
	}
	plain, seen := regexp.MustCompile(string(pattern[1])), map[string]bool{}
	eachGoFile(t, func(path string, source []byte) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if !plain.MatchString("nomograph/" + folder) {
			return
		}
		seen[folder] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			_, starts := n.(*ast.GoStmt)
			if call, ok := n.(*ast.CallExpr); ok { // sync.WaitGroup and errgroup, or parallel tests
				selected, _ := call.Fun.(*ast.SelectorExpr)
				starts = selected != nil && (selected.Sel.Name == "Go" || selected.Sel.Name == "Parallel")
			}
			if starts {
				t.Errorf("%s starts a goroutine, so scripts/tests.sh must test %s with the race detector", path, folder)
			}
			return true
		})
	})
	if want := strings.Count(string(pattern[1]), "|") + 1; len(seen) != want {
		t.Errorf("got %d packages of %s, want %d", len(seen), pattern[1], want)
	}
}

func TestPackages_EachHasADoc(t *testing.T) {
	text := map[string]bool{}
	eachGoFile(t, func(path string, source []byte) {
		folder := filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, "_test.go") || text[folder] {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		text[folder] = strings.HasPrefix(file.Doc.Text(), "Package "+file.Name.Name+" ") || file.Name.Name == "main" && strings.HasPrefix(file.Doc.Text(), "Command ")
	})
	for folder, documented := range text {
		if !documented {
			t.Errorf("%s has no doc comment of its package", folder)
		}
	}
}

func eachGoFile(t *testing.T, visit func(path string, source []byte)) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != "." {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || path == "architecture_test.go" {
			return nil
		}
		source, err := os.ReadFile(path)
		found++
		visit(filepath.ToSlash(path), source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 20 {
		t.Fatalf("only %d files were checked", found)
	}
}

// TestStatements_Folders_MatchTheirSenders requires each statement to be in the directory of the lowest package that sends it.
func TestStatements_Folders_MatchTheirSenders(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^\t(\w+) += (?:reads|writes)\("([^"]+)"\)`)
	sent := regexp.MustCompile(`\bcypher\.(\w+)`)
	folders, senders := map[string]string{}, map[string][]string{}
	eachGoFile(t, func(path string, source []byte) {
		folder := filepath.ToSlash(filepath.Dir(path))
		switch {
		case strings.HasSuffix(path, "_test.go") || slices.Contains(forTests, folder):
		case folder == "cypher":
			for _, found := range declared.FindAllSubmatch(source, -1) {
				name := string(found[2])
				folders[string(found[1])] = name[:strings.LastIndex(name, "/")]
			}
		default:
			for _, found := range sent.FindAllSubmatch(source, -1) {
				senders[string(found[1])] = append(senders[string(found[1])], folder)
			}
		}
	})
	for statement, folder := range folders {
		if len(senders[statement]) == 0 {
			t.Errorf("no package sends %s", statement)
			continue
		}
		lowest := slices.MaxFunc(senders[statement], func(a, b string) int {
			order, left, right := ordered, topPackage(a), topPackage(b)
			if left == right {
				order, left, right = divided[left], inner(a), inner(b)
			}
			return slices.Index(order, left) - slices.Index(order, right)
		})
		if lowest = strings.TrimPrefix(lowest, "graph/"); lowest != folder && !(strings.HasPrefix(lowest, "engine") && folder == "graph") {
			t.Errorf("%s is in cypher/%s, want the lowest folder that sends it, %s", statement, folder, lowest)
		}
	}
	if len(folders) < 100 {
		t.Errorf("only %d statements were found", len(folders))
	}
}
