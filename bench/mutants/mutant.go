package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// trees are the directories whose code is changed. Packages for tests are not.
var (
	trees    = []string{"cypher", "decisions", "graph", "policies", "tools"}
	forTests = []string{"graph/graphtest", "policies/labtest", "tools/toolstest"}
)

// Kinds of mutants.
const (
	negate = "negate" // a condition
	drop   = "drop"   // a statement
)

// mutant is a change of the source. Its text identifies it within the function.
type mutant struct {
	File, Function, Kind, Text string

	start, end int  // offsets of the text in the file
	repeated   bool // the function contains the text twice
}

// key is the mutant's line in the list.
func (m mutant) key() string { return strings.Join([]string{m.File, m.Function, m.Kind, m.Text}, "\t") }

func parse(key string) (m mutant, ok bool) {
	c := strings.Split(key, "\t")
	if len(c) != 4 {
		return m, false
	}
	return mutant{File: c[0], Function: c[1], Kind: c[2], Text: c[3]}, true
}

// apply returns the changed source. A dropped statement stays in the text, so that variables and imports are still
// used.
func (m mutant) apply(source []byte) []byte {
	before, after := "!(", ")"
	if m.Kind == drop {
		before, after = "if false { ", " }"
	}
	return slices.Concat(source[:m.start], []byte(before), source[m.start:m.end], []byte(after), source[m.end:])
}

// find returns the place of a mutant in the current source: in its file, otherwise in a function of this name in any
// file.
func find(all []mutant, m mutant) (mutant, bool) {
	i := slices.IndexFunc(all, func(o mutant) bool { return o.key() == m.key() })
	if i < 0 {
		i = slices.IndexFunc(all, func(o mutant) bool {
			return o.Function == m.Function && o.Kind == m.Kind && o.Text == m.Text
		})
	}
	if i < 0 {
		return m, false
	}
	return all[i], true
}

// candidates returns all possible mutants, sorted by file and position.
func candidates() (all []mutant, err error) {
	for _, tree := range trees {
		err := filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
			path = filepath.ToSlash(path)
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				slices.ContainsFunc(forTests, func(dir string) bool { return strings.HasPrefix(path, dir+"/") }) {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			found, err := candidatesIn(path, source)
			all = append(all, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func candidatesIn(path string, source []byte) (found []mutant, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.ParseComments)
	// A file for another system is not compiled here.
	if name := strings.TrimSuffix(path, ".go"); err != nil || ast.IsGenerated(file) ||
		strings.Contains(string(source), "\n//go:build ") ||
		strings.HasPrefix(string(source), "//go:build ") || strings.HasSuffix(name, "_windows") ||
		strings.HasSuffix(name, "_darwin") {
		return nil, err
	}
	for _, declared := range file.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		first := len(found)
		add := func(kind string, node ast.Node) {
			const longest = 200
			m := mutant{File: path, Function: nameOf(function), Kind: kind, start: files.Position(node.Pos()).Offset,
				end: files.Position(node.End()).Offset}
			m.Text = strings.Join(strings.Fields(string(source[m.start:m.end])), " ")
			if len(m.Text) > longest || strings.Contains(m.Text, "//") || untestable(m.Text) {
				return
			}
			for i := range found[first:] {
				if other := &found[first+i]; other.Kind == kind && other.Text == m.Text {
					other.repeated, m.repeated = true, true
				}
			}
			found = append(found, m)
		}
		loops := loopVariables(function.Body)
		ast.Inspect(function.Body, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.IfStmt:
				add(negate, node.Cond)
			case *ast.ReturnStmt:
				if len(node.Results) == 1 && isCondition(node.Results[0]) {
					add(negate, node.Results[0])
				}
			case *ast.BlockStmt:
				addDrops(node.List, loops, add)
			case *ast.CaseClause:
				addDrops(node.Body, loops, add)
			}
			return true
		})
	}
	return found, nil
}

// loopVariables returns the variables in the conditions of loops. A loop whose variable is not set never ends.
func loopVariables(body ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(body, func(node ast.Node) bool {
		if loop, ok := node.(*ast.ForStmt); ok && loop.Cond != nil {
			ast.Inspect(loop.Cond, func(node ast.Node) bool {
				if name, ok := node.(*ast.Ident); ok {
					names[name.Name] = true
				}
				return true
			})
		}
		return true
	})
	return names
}

func addDrops(statements []ast.Stmt, loops map[string]bool, add func(string, ast.Node)) {
	for _, statement := range statements {
		target := []ast.Expr{}
		switch statement := statement.(type) {
		case *ast.ExprStmt:
		case *ast.IncDecStmt:
			target = append(target, statement.X)
		case *ast.AssignStmt:
			if statement.Tok == token.DEFINE {
				continue
			}
			target = statement.Lhs
		default:
			continue
		}
		if !slices.ContainsFunc(target, func(e ast.Expr) bool {
			name, ok := e.(*ast.Ident)
			return ok && loops[name.Name]
		}) {
			add(drop, statement)
		}
	}
}

func isCondition(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ,
			token.LAND, token.LOR}, e.Op)
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	}
	return false
}

// untestable reports whether a change of the text is always noticed, such as of `err != nil`, or never by a test that
// does not depend on timing, such as of logs and locks.
func untestable(text string) bool {
	return text == "err != nil" || text == "err == nil" || strings.HasPrefix(text, "_ = ") ||
		strings.HasPrefix(text, "panic(") ||
		slices.ContainsFunc([]string{".Msg(", "Log.", "log.", "progress.", "Lock()", "Unlock()", "Close()", "Close(",
			"cancel()", "Wait()", "WithHint("}, func(part string) bool {
			return strings.Contains(text, part)
		})
}

// nameOf returns a function's name, with the type for a method: "Store.Check".
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	receiver, _, _ := strings.Cut(types.ExprString(f.Recv.List[0].Type), "[") // without type parameters
	return strings.TrimPrefix(receiver, "*") + "." + f.Name.Name
}
