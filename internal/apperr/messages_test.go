package apperr_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestMessages_AllErrors_MatchTheGoldenFile lists every error of the source with its hint, so that a reader and the
// prose linter see the texts side by side.
func TestMessages_AllErrors_MatchTheGoldenFile(t *testing.T) {
	var list []string
	graphtest.OK(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." || entry.Name() == "bin" ||
			entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		for _, each := range messages(file) {
			list = append(list, filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash("../../")))+"\n"+each)
		}
		return nil
	}))
	slices.Sort(list)
	var all strings.Builder
	last := ""
	for _, each := range slices.Compact(list) {
		path, rest, _ := strings.Cut(each, "\n")
		if path != last {
			fmt.Fprintf(&all, "\n# %s\n", path)
			last = path
		}
		all.WriteString(rest)
	}
	golden.Check(t, "testdata/errors.txt", strings.TrimPrefix(all.String(), "\n"))
}

// messages returns "code: message" and, on the next line, the hint of each error in a file.
func messages(file *ast.File) (found []string) {
	hints := map[ast.Expr]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		switch inner := selector.X.(type) {
		case *ast.CallExpr:
			// A chain is visited from its end: With and Because carry a hint on to the call that makes the error.
			if selector.Sel.Name == "WithHint" && len(call.Args) > 0 {
				hints[inner] = text(call.Args[0])
			} else if hint, ok := hints[call]; ok {
				hints[inner] = hint
			}
		case *ast.Ident:
			if inner.Name == "apperr" && (selector.Sel.Name == "New" || selector.Sel.Name == "Newf") &&
				len(call.Args) > 1 {
				line := fmt.Sprintf("%s: %s\n", text(call.Args[0]), text(call.Args[1]))
				if hint, ok := hints[call]; ok {
					line += "  " + hint + "\n"
				}
				found = append(found, line)
			}
		}
		return true
	})
	return found
}

// text shows an expression: a constant without quotes, otherwise its name in braces.
func text(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.BasicLit:
		if plain, err := strconv.Unquote(e.Value); err == nil {
			return plain
		}
		return e.Value
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return "{" + e.Name + "}"
	case *ast.CallExpr:
		return "{" + strings.Trim(text(e.Fun), "{}") + "}"
	}
	return "{...}"
}
