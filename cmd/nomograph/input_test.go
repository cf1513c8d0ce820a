package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools"
)

// attempt runs a command line in this process, with a database that does not answer.
func attempt(t *testing.T, args ...string) error {
	t.Helper()
	a := &app{}
	root := a.root(args)
	root.SetArgs(arguments.SeparateNegatives(root, args))
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	defer a.close()
	return root.ExecuteContext(t.Context())
}

func nowhere(t *testing.T) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("NEO4J_URI", "bolt://127.0.0.1:1")
	t.Chdir(t.TempDir())
}

// TestCommands_MissingArguments_AreNamed: errors use the names of the command line with their form, never those of MCP.
func TestCommands_MissingArguments_AreNamed(t *testing.T) {
	nowhere(t)
	for _, operation := range tools.Catalog {
		o, _ := operation.Opened()
		t.Run(o.Command, func(t *testing.T) {
			if len(o.Input().Required) == 0 {
				t.Skip("nothing is required")
			}
			args := strings.Fields(o.Command)
			err := attempt(t, args...)
			wanted := map[bool]string{true: "name a"}[o.CLI.Documents != ""]
			for _, name := range o.CLI.Args {
				if o.Requires(name) && wanted == "" {
					wanted = strings.ToUpper(name) + " is missing\n  nomograph " + o.Usage()
				}
			}
			if wanted != "" {
				if exitCode(err) != exitUsage || !strings.Contains(usageOf(err), wanted) {
					t.Errorf("without arguments: %v", err)
				}
				if o.CLI.Documents != "" {
					return
				}
				for _, name := range o.CLI.Args {
					if o.Requires(name) {
						args = append(args, example(o, name))
					}
				}
				if len(o.Input().Required) <= len(o.CLI.Args) {
					return
				}
				err = attempt(t, args...)
			}
			var f *apperr.Error
			if !errors.As(err, &f) || f.Code != apperr.Validation || !strings.Contains(f.Hint, o.Shell()+" --help") ||
				strings.Contains(f.Message, o.Name) {
				t.Fatalf("%v: the error is %v", args, err)
			}
			for _, name := range o.Input().Required {
				if flag := arguments.Spelling(o, name); strings.HasPrefix(flag, "--") &&
					!strings.Contains(f.Message, flag+" ") {
					t.Errorf("%v does not name %s: %s", args, flag, f.Message)
				}
			}
		})
	}
}

// example is a word that fits a required argument.
func example(o tools.Operation, name string) string {
	if choices := tools.Choices(o.Input().Properties[name]); len(choices) > 0 {
		return choices[0]
	}
	return "1"
}

func usageOf(err error) string {
	var usage arguments.Usage
	if errors.As(err, &usage) {
		return usage.Error()
	}
	return ""
}

// TestFlags_Unknown_FailsInThreeLines: every command suggests the nearest flag.
func TestFlags_Unknown_FailsInThreeLines(t *testing.T) {
	nowhere(t)
	for _, operation := range tools.Catalog {
		words := strings.Fields(operation.Command)
		o, _ := operation.Opened()
		o = arguments.WithoutCollisions(o, (&app{}).root(words))
		flags := []string{}
		for _, field := range o.Input().PropertyOrder {
			if flag := arguments.Spelling(o, field); len(flag) >= len("--12345") && strings.HasPrefix(flag, "--") {
				flags = append(flags, flag)
			}
		}
		if len(flags) > 0 { // one flag per command, because all are declared in the same way
			flag := flags[len(flags)-1]
			misspelt := flag[:len(flag)-2] + flag[len(flag)-1:]
			lines := strings.Split(usageOf(attempt(t, append(words, misspelt, "x")...)), "\n")
			want := []string{"unknown flag: " + misspelt, "  Did you mean " + flag + "?", "  `" + o.Shell() +
				" --help` shows every flag"}
			if cmp.Diff(want, lines) != "" {
				t.Errorf("%s %s: got %q, want %q", o.Shell(), misspelt, lines, want)
			}
		}
		if lines := strings.Split(usageOf(attempt(t, append(words, "--qqqqqqqq")...)), "\n"); len(lines) > 3 ||
			lines[0] != "unknown flag: --qqqqqqqq" {
			t.Errorf("%s --qqqqqqqq: %q", o.Shell(), lines)
		}
	}
	for args, want := range map[string]string{
		"decision log x --agent-id me":   "Did you mean --agent?", // --agent-id is the argument's name over MCP
		"engine logs --folow":            "Did you mean --follow?",
		"decision log x --reason":        `--reason needs a value: --reason "type: text"`,
		"policy check x --outptu json":   "Did you mean --output?",
		"threshold set x 1 --frobnicate": "--help` shows every flag",
	} {
		if text := usageOf(attempt(t, strings.Fields(args)...)); !strings.Contains(text, want) ||
			strings.Count(text, "\n") > 2 {
			t.Errorf("%s: got %s, want %s", args, text, want)
		}
	}
}

func TestErrors_Hints_NameCommandsAndFlags(t *testing.T) {
	nowhere(t)
	for line, want := range map[string]string{
		"decision log x --confidence 0.5 --category tooling --reason because":    `the form is --reason "type: text"`,
		`decision log x --confidence 0.5 --category tooling --reason "hunch: x"`: "--reason: type must be one of authority, ",
		"decision log x --confidence high --category tooling":                    "--confidence must be a number, not text",
		"decision log x --confidence 7 --category taste":                         "--category must be one of architecture, ",
		"decision prepare x --confidence 7":                                      "--confidence must be at most 1, not 7",
		"decision list --limit many":                                             "--limit must be a whole number, not text",
		`decision list --since "some day"`:                                       "`--since` is 'some day', not a time",
		`decision query x --until "some day"`:                                    "`--until` is 'some day', not a time",
		"decision lineage":                                                       "`ID` or `--failed` is required",
		"history list thing x":                                                   "KIND must be one of policy, ",
		"trace verify --expected-head abc":                                       "`--expected-head` needs one session",
	} {
		if err := attempt(t, words(line)...); err == nil || exitCode(err) != exitUsage ||
			!strings.Contains(apperr.From(err).Message, want) {
			t.Errorf("%s: %v, not %s", line, err, want)
		}
	}
}

func TestArguments_NegativeNumber_IsAValue(t *testing.T) {
	nowhere(t)
	for args, want := range map[string]string{
		"threshold set x -5":                     "threshold set -- x -5",
		"threshold set x -.5 --reason r":         "threshold set --reason r -- x -.5",
		"threshold set --reason r x -5":          "threshold set --reason r -- x -5",
		"threshold set --reason=r x -5 -o json":  "threshold set --reason=r -o json -- x -5",
		"--agent ada threshold set x -1e3":       "threshold set --agent ada -- x -1e3",
		"threshold set --reason r -q -- x -5":    "threshold set --reason r -q -- x -5",
		"threshold set -q x -5":                  "threshold set -q -- x -5",
		"threshold get x --default -5":           "threshold get x --default -5",
		"exec --table D10 -- ls -1":              "exec --table D10 -- ls -1",
		"decision query -5 --limit 1 --no-links": "decision query --limit 1 --no-links -- -5",
		"threshold":                              "threshold",
		"-5":                                     "-5",
	} {
		root := (&app{}).root(nil)
		graphtest.Equal(t, strings.Join(arguments.SeparateNegatives(root, strings.Fields(args)), " "), want, args)
	}
	if err := attempt(t, "threshold", "set", "x", "-5", "--reason", "r"); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("the command fails before it needs the database: %v", err)
	}
}

// words splits a command line at blanks, except within double quotes.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

// TestExamples_EveryCommand_Works: every example is accepted until it needs the missing database.
func TestExamples_EveryCommand_Works(t *testing.T) {
	nowhere(t)
	pack := "pack: team\nversion: 1.0.0\nthresholds:\n  - {name: least, value: 1, description: d}\n"
	for name, text := range map[string]string{"team.yaml": pack,
		"guardrails.yaml": "- id: rule\n  description: d\n  conditions: []\n", "decisions.jsonl": "{}\n"} {
		graphtest.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, dir := range []string{"docs/decisions", "decisions", "~/.claude/projects"} {
		graphtest.OK(t, os.MkdirAll(dir, 0o700))
	}
	operations, _ := tools.Operations("")
	for _, o := range operations {
		if !strings.HasPrefix(o.Example(), o.Command) {
			t.Errorf("%s has the example %q", o.Shell(), o.Example())
			continue
		}
		err := attempt(t, words(o.Example())...)
		if code := exitCode(err); code == exitUsage && !strings.Contains(err.Error(), "not a git repository") ||
			code == exitFailed && err.Error() != "" {
			t.Errorf("%s: %v", o.Example(), err)
		}
	}
	var each func(command *cobra.Command)
	each = func(command *cobra.Command) {
		for _, sub := range command.Commands() {
			each(sub)
		}
		if command.HasSubCommands() || command.Hidden || command.Name() == "help" || command.Parent().
			Name() == "completion" {
			return
		}
		line := strings.Split(strings.TrimSpace(command.Example), "\n")[0]
		graphtest.Contains(t, line, command.CommandPath())
	}
	each((&app{}).root(nil))
}
