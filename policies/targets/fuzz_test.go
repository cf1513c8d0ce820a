package targets_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/internal/normalize"
	"nomograph/policies/targets"
)

// FuzzBranches: the result always has a branch, whose normalized form stays unchanged. Each form of a refspec that git
// accepts gives the same branch.
func FuzzBranches(f *testing.F) {
	for _, text := range []string{"main", "HEAD:refs/heads/MAIN", "+a", ":", "--all", "a,b c", "%2Bmain",
		"refs/heads/*", "@{-1}", "a:b:c", "ｍａｉｎ", "", "^x", "origin/", "refs/heads/", "%25%32%42", "0./"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names := targets.Branches(text)
		if len(names) == 0 || !slices.IsSorted(names) {
			t.Fatalf("%q: got %q, want nonzero len(names), slices.IsSorted(names)=true", text, names)
		}
		targets.Forced(text)
		for _, name := range names {
			if name != normalize.Fold(name) {
				t.Fatalf("%q of %q is not in one spelling", name, text)
			}
			if strings.ContainsAny(name, "-+^:%@") { // means something else at the start of a refspec, or is an escape
				continue
			}
			for _, form := range []string{name, strings.ToUpper(name), "+" + name, "HEAD:" + name, " '" + name + "' ",
				"feature " + name} {
				if strings.ToLower(strings.ToUpper(name)) != name {
					continue
				}
				if again := targets.Branches(form); !slices.Contains(again, name) {
					t.Fatalf("%q of %q is read as %q in %q", name, text, again, form)
				}
			}
		}
	})
}

// FuzzPaths checks that a path that is surely within a folder may be within it, and that a path with .. is never
// surely within it.
func FuzzPaths(f *testing.F) {
	for _, text := range []string{"/prod/x", "../x", `\\?\C:\prod`, "file:///prod", "%2e%2e/", "~/x", "$HOME/x",
		"/prod/**/x", "a\x00b", "/{a,b}/c", "//h/c$/x", "%%41", "[", "/prod./ /x"} {
		f.Add(text, "/prod")
		f.Add("/prod", text)
	}
	f.Fuzz(func(t *testing.T, text, root string) {
		surely := targets.SurelyWithin(text, root)
		if surely && !targets.Within(text, root) {
			t.Fatalf("%q is surely in %q, and may not be in it", text, root)
		}
		if surely && targets.SurelyWithin(text+"/../x", root) {
			t.Fatalf("%q climbs", text+"/../x")
		}
		if surely {
			for _, form := range []string{strings.ReplaceAll(text, "/", "//"), strings.ReplaceAll(text, "/", "/./"),
				`"` + text + `"`, strings.ReplaceAll(text, "/", "%2f")} {
				if !targets.Within(form, root) {
					t.Fatalf("%q is in %q, and %q is not", text, root, form)
				}
			}
		}
		normalize.Truth(text)
	})
}
