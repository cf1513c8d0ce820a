package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/graph/graphtest"
	"nomograph/hooks"
	"nomograph/policies/cases"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// block is a fenced block of a page. A comment before it may say why it is not run ("not run: it serves until it is
// stopped"), which shell commands prepare it ("before: ID=..."), or which file it is ("file: name.cypher").
type block struct{ page, language, text, skipped, before, file string }

var fenced = regexp.MustCompile("(?ms)(?:^<!-- (not run|before|file): ([^\n]*) -->\n\n?)?^```(\\w*)\\n(.*?)^```")

// yamlFile matches the first line of a YAML file.
var yamlFile = regexp.MustCompile(`^# ([\w-]+\.yaml)\n`)

func documented(t *testing.T) []block {
	t.Helper()
	root := toolstest.Root(t)
	pages := []string{filepath.Join(root, "docs", "README.md")}
	for _, part := range []string{"tutorial", "guides", "reference", "concepts"} {
		found, err := filepath.Glob(filepath.Join(root, "docs", part, "*.md"))
		if err != nil || len(found) == 0 {
			t.Fatalf("docs/%s: got %d pages, %v, want nonzero len(found)", part, len(found), err)
		}
		pages = append(pages, found...)
	}
	var blocks []block
	for _, path := range append(pages, filepath.Join(root, "README.md")) {
		text := graphtest.Must(os.ReadFile(path))(t)
		for _, found := range fenced.FindAllStringSubmatch(string(text), -1) {
			b := block{page: filepath.Base(path), language: found[3], text: found[4]}
			if filepath.Base(path) == "README.md" {
				b.page, _ = filepath.Rel(root, path)
			}
			switch found[1] {
			case "not run":
				b.skipped = found[2]
			case "before":
				b.before = found[2]
			case "file":
				b.file = found[2]
			}
			if name := yamlFile.FindStringSubmatch(b.text); b.language == "yaml" && name != nil {
				b.file = name[1]
			}
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// commandsIn returns the command lines of a block that call this program, and for each line whether the page shows that
// it fails.
func commandsIn(text string) (lines []string, fails []bool) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	all := strings.Split(text, "\n")
	for i, line := range all {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		if strings.HasPrefix(line, "nomograph ") && !strings.Contains(line, "...") {
			lines = append(lines, line)
			fails = append(fails, i+1 < len(all) && strings.HasPrefix(all[i+1], "nomograph: "))
		}
	}
	return lines, fails
}

// shellWords are the words of the first command of a line, as a shell reads them.
func shellWords(line string) []string {
	var words []string
	word, open, quote := "", false, rune(0)
	end := func() {
		if open {
			words = append(words, word)
		}
		word, open = "", false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == ' ' || r == '\t':
			end()
		case r == '#' && !open, strings.ContainsRune("|;&<>", r):
			end()
			return words
		default:
			word, open = word+string(r), true
		}
	}
	end()
	return words
}

// notRunCommands are commands that keep running, write outside of the test, start programs, or need files of the
// reader. The test only parses their flags.
var notRunCommands = []string{"import sessions", "decision attribute", "decision review", "policy apply -",
	"policy verify", "serve", "open", "engine", "doctor", "demo", "exec", "watch", "install", "init", "uninstall",
	"policy new", "trust", "export", "health", "memory install", "policy keygen", "policy sign"}

// TestDocs_CommandsNotRun_ParseWithoutError parses the command lines that TestDocs_Examples_RunAsShown leaves out.
func TestDocs_CommandsNotRun_ParseWithoutError(t *testing.T) {
	blocks := documented(t)
	nowhere(t)
	seen := 0
	for _, b := range blocks {
		if !slices.Contains([]string{"", "sh", "console"}, b.language) || b.skipped == "" {
			continue
		}
		lines, fails := commandsIn(b.text)
		for i, line := range lines {
			args := shellWords(line)[1:]
			if strings.HasPrefix(line, "nomograph query thresholds-above") { // the page asks its reader to write this query
				continue
			}
			seen++
			var err error
			if slices.ContainsFunc(notRunCommands, func(name string) bool {
				return strings.HasPrefix(strings.Join(args, " ")+" ", name+" ")
			}) || slices.Contains(args, "--watch") || slices.Contains(args, "--token-env") {
				err = parsed(args)
			} else {
				err = attempt(t, args...)
			}
			if code := exitCode(err); !fails[i] && (code == exitUsage || code == exitFailed && err.Error() != "") {
				t.Errorf("%s: %s fails: %v", b.page, line, err)
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d commands were found", seen)
	}
}

// parsed reads a command line and runs nothing.
func parsed(args []string) error {
	root := (&app{}).root(args)
	command, rest, err := root.Find(arguments.SeparateNegatives(root, args))
	if err != nil {
		return arguments.Usagef("%w", err)
	}
	if err := command.ParseFlags(rest); err != nil {
		return arguments.Usagef("%w", err)
	}
	if check := command.Args; check != nil && !command.HasSubCommands() {
		return check(command, command.Flags().Args())
	}
	if command.HasSubCommands() && command != root {
		return arguments.Usagef("%s is no command", strings.Join(args, " "))
	}
	return nil
}

func TestDocs_ShownPacks_PassTheirCases(t *testing.T) {
	found := 0
	for _, b := range documented(t) {
		if b.language != "yaml" || !regexp.MustCompile(`(?m)^pack: `).MatchString(b.text) {
			continue
		}
		found++
		name := fmt.Sprintf("./%s.yaml", strings.TrimSuffix(b.page, ".md"))
		report, err := cases.Run(t.Context(), cases.Request{Packs: []pack.Source{{Name: name, Text: b.text}},
			WithoutGraph: true, Effects: hooks.Effects}, nil)
		if err != nil || report.Failures > 0 {
			t.Errorf("%s: got %v\n%s, want Failures at most 0", b.page, err, report.Summary)
		}
		if b.page != "testing-packs.md" {
			continue
		}
		if report, err := cases.Run(t.Context(), cases.Request{Packs: []pack.Source{{Name: name, Text: b.text}},
			With: []pack.Source{{Name: "core"}}, WithoutGraph: true}, nil); err != nil || report.Failures > 0 {
			t.Errorf("%s with core: %v\n%s", b.page, err, report.Summary)
		}
	}
	if found < 2 {
		t.Errorf("only %d packs were found", found)
	}
}

func TestDocs_ShownAtlases_AreValid(t *testing.T) {
	blocks := documented(t)
	nowhere(t)
	found := 0
	for i, b := range blocks {
		if b.language != "yaml" || !strings.Contains(b.text, "atlas_version:") {
			continue
		}
		found++
		file := fmt.Sprintf("./atlas%d.yaml", i)
		graphtest.OK(t, os.WriteFile(file, []byte(b.text), 0o600))
		if err := attempt(t, "atlas", "validate", file); err != nil {
			t.Errorf("%s: got %v, want no error", b.page, err)
		}
		if strings.Contains(b.text, "dependencies:") {
			t.Errorf("%s: the manifest needs an unknown atlas", b.page)
		}
	}
	if found == 0 {
		t.Error("no manifest was found")
	}
}
