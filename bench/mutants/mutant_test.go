package main

import (
	"slices"
	"strings"
	"testing"
)

func TestCandidates_Source_AreConditionsAndStatements(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want []string // kind, then the changed text
	}{
		"condition": {`if a > 1 { b() }`,
			[]string{"negate if !(a > 1) { b() }", "drop if a > 1 { if false { b() } }"}},
		"returned condition": {`return a && !b`, []string{"negate return !(a && !b)"}},
		"returned value":     {`return a + 1`, nil},
		"error":              {`if err != nil { return err }`, nil},
		"assignment":         {`a = b`, []string{"drop if false { a = b }"}},
		"definition":         {`a := b`, nil},
		"case":               {`switch { case a: b() }`, []string{"drop switch { case a: if false { b() } }"}},
		"variable of a loop": {`for i < 9 { i++ }`, nil},
		"log":                {`s.log.Info().Msg("done")`, nil},
		"lock":               {`s.mu.Lock()`, nil},
		"nested in an argument": {`b(func() { c() })`,
			[]string{"drop if false { b(func() { c() }) }", "drop b(func() { if false { c() } })"}},
	} {
		t.Run(name, func(t *testing.T) {
			const before, after = "package p\n\nfunc f() {\n", "\n}\n"
			source := before + test.body + after
			found, err := candidatesIn("p.go", []byte(source))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range found {
				changed := string(m.apply([]byte(source)))
				got = append(got, m.Kind+" "+strings.TrimSuffix(strings.TrimPrefix(changed, before), after))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFind_ChangedSource_FollowsMovedText(t *testing.T) {
	listed, ok := parse("old/p.go\tStore.f\tdrop\ta = b(1, 2)")
	if !ok {
		t.Fatal("got no mutant, want one")
	}
	for name, test := range map[string]struct {
		path, source string
		found        bool
	}{
		"same":             {"old/p.go", "package p\nfunc (s *Store) f() { a = b(1, 2) }", true},
		"other lines":      {"old/p.go", "package p\n\n\nfunc (s Store) f() {\n\tc()\n\ta = b(1,\n\t\t2)\n}", true},
		"other file":       {"new/q.go", "package q\nfunc (s *Store) f() { a = b(1, 2) }", true},
		"other text":       {"old/p.go", "package p\nfunc (s *Store) f() { a = b(1, 3) }", false},
		"other function":   {"old/p.go", "package p\nfunc (s *Store) g() { a = b(1, 2) }", false},
		"as a part of one": {"old/p.go", "package p\nfunc (s *Store) f() { c(func() { a = b(1, 2) }) }", true},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := candidatesIn(test.path, []byte(test.source))
			if err != nil {
				t.Fatal(err)
			}
			if _, found := find(all, listed); found != test.found {
				t.Errorf("got %v, want %v", found, test.found)
			}
		})
	}
}
