package instructions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/cases"
	"nomograph/policies/instructions"
	"nomograph/policies/pack"
)

func imported(t *testing.T, text string) instructions.Imported {
	t.Helper()
	out, err := instructions.Import(t.Context(),
		instructions.Files{Files: []pack.Source{{Name: "AGENTS.md", Text: text}}, As: "team"})
	if err != nil && !apperr.Is(err, apperr.Validation) {
		t.Fatal(err)
	}
	return out
}

func TestImport_Instructions_BecomeRulesWithCases(t *testing.T) {
	text := graphtest.Must(os.ReadFile("testdata/AGENTS.md"))(t)
	out := imported(t, string(text))
	golden.Check(t, filepath.Join("testdata", "team.golden"), out.Text+"# "+strings.Join(out.Notes, "\n# ")+"\n")
	result, err := cases.Run(t.Context(), cases.Request{Packs: []pack.Source{{Name: "team.yaml", Text: out.Text}},
		WithoutGraph: true}, nil)
	if err != nil || result.Failed() {
		t.Errorf("the cases: got %s, %v", result.Summary, err)
	}
}

// TestImport_Sentences_ForbidWhatTheyName has sentences in forms that people write, with what their rules forbid.
func TestImport_Sentences_ForbidWhatTheyName(t *testing.T) {
	for text, want := range map[string]string{
		"Never use `git reset`, `git clean` or force-push.":    `block ["git reset","git reset *","git clean","git clean *"]`,
		"Never run `Deploy.sh` before `Build.sh` succeeds.":    `warn ["Deploy.sh","Deploy.sh *"]`,
		"NEVER use `git stash` on the `bpp` binary":            `warn ["git stash","git stash *"]`,
		"Do NOT push to main/master: it deploys.":              `block ["main","master"]`,
		"Don't modify `*.gen.ts`":                              `block ["*.gen.ts","*/*.gen.ts"]`,
		"Never edit frontend files (`.ts`/`.css`).":            `block ["*.ts","*.css"]`,
		"Ask before any `git push`.":                           `approve ["git push","git push *"]`,
		"Never run `cd x && git ...` compounds":                "",
		"Do not run any of it.":                                "",
		"It's fine to run `rm -rf build`.":                     "",
		"Don't use `git add / commit` here":                    "",
		"Don't modify `MeshAgent` without discussion":          "",
		"```\nNever run `make`\n```":                           "",
		"Never commit `.env` or `a\"b`":                        `block ["git add .env","git add .env *","git add * .env","git commit * .env"]`,
		"ALWAYS use uv":                                        `block ["pip","pip *","poetry","poetry *","pipenv","pipenv *","conda","conda *"]`,
		"Never amend a commit that others have without asking": `approve ["git commit * --amend*","git commit --amend*"]`,
	} {
		severity, list := "", ""
		out := imported(t, text)
		for line := range strings.Lines(out.Text) {
			if _, condition, ok := strings.Cut(line, "applies_when: "); ok {
				_, list, _ = strings.Cut(condition, "[")
				if strings.Contains(condition, "file.write") {
					_, list, _ = strings.Cut(condition, "action.paths, [")
				}
				list, _, _ = strings.Cut(list, "]")
				list = "[" + strings.ReplaceAll(list, `\"`, `"`) + "]"
			}
			if _, found, ok := strings.Cut(line, "severity: "); ok {
				severity = strings.TrimSpace(found)
			}
		}
		if got := strings.TrimSpace(severity + " " + list); got != want {
			t.Errorf("%s: got %s, want %s\n%s", text, got, want, strings.Join(out.Notes, "\n"))
		}
	}
}

func TestImport_InvalidName_IsAnError(t *testing.T) {
	_, err := instructions.Import(t.Context(), instructions.Files{As: "a b",
		Files: []pack.Source{{Name: "x.md", Text: "Never run `x`."}}})
	if !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), "a b") {
		t.Errorf("got %v", err)
	}
}

// FuzzImport: no text panics or makes a pack that cannot be parsed.
func FuzzImport(f *testing.F) {
	f.Add("- Never run `git push`.\n\n```\nx\n```\n> Do not edit `a/`")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := instructions.Import(t.Context(), instructions.Files{Files: []pack.Source{{Name: "x.md", Text: text}}})
		if err != nil && !strings.Contains(err.Error(), "No instruction") {
			t.Errorf("%q: %v", text, err)
		}
	})
}
