package main_test

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"nomograph/graph/graphtest"
)

var (
	escapes  = strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	variable = regexp.MustCompile(`\$[A-Z]+`)
)

// session runs commands of the program one after another and checks what they print. In a script, a line that begins
// with $ is a command line in the words of a shell, without the program; variables come from environ. " # N" at its end
// is the exit code, otherwise 0; a reason can follow after a comma. The lines below it say more:
//
//	< text     a line of standard input
//	= text     a line of standard output, which has no others
//	out text   standard output has the text
//	err text   standard error has the text
//	not text   neither has the text
//	let NAME   standard output becomes a variable of the commands that follow
//
// A command that fails must print nothing to standard output, unless the script says what. It returns environ with the
// variables of the script.
func session(t *testing.T, environ []string, script string) []string {
	t.Helper()
	return sessionIn(t, t.TempDir(), environ, script)
}

func sessionIn(t *testing.T, dir string, environ []string, script string) []string {
	t.Helper()
	for command := range strings.SplitSeq("\n"+strings.TrimSpace(script), "\n$ ") {
		if command = strings.TrimSpace(command); command == "" {
			continue
		}
		line, expected, _ := strings.Cut(command, "\n")
		said, number, _ := strings.Cut(line, " # ")
		stdin := ""
		for text := range strings.Lines(expected) {
			if input, ok := strings.CutPrefix(strings.TrimSpace(text), "< "); ok {
				stdin += escapes.Replace(input) + "\n"
			}
		}
		cmd := graphtest.Command(t, graphtest.Binary(t))
		cmd.Env, cmd.Dir, cmd.Stdin = slices.Clone(environ), dir, strings.NewReader(stdin)
		words, err := shell.Fields(said, func(name string) string { return valueIn(environ, name) })
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for len(words) > 0 && strings.Contains(words[0], "=") { // variables of this command
			cmd.Env, words = append(cmd.Env, words[0]), words[1:]
		}
		var stdout, stderr bytes.Buffer
		cmd.Args, cmd.Stdout, cmd.Stderr = append(cmd.Args, words...), &stdout, &stderr
		_ = cmd.Run()
		number, _, _ = strings.Cut(number, ",") // a reason follows
		code, _ := strconv.Atoi(number)
		for _, problem := range differences(environ, expected, code, cmd.ProcessState.ExitCode(), stdout.String(),
			stderr.String()) {
			t.Errorf("$ %s\n%s; exit %d\nstdout: %s\nstderr: %s", line, problem, cmd.ProcessState.ExitCode(), &stdout,
				&stderr)
		}
		if _, name, ok := strings.Cut(expected, "let "); ok {
			environ = append(slices.Clip(environ), strings.TrimSpace(name)+"="+strings.TrimSpace(stdout.String()))
		}
	}
	return environ
}

// printed runs a command, which must succeed, and returns what it prints, without space around it.
func printed(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	stdout, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), args...)
	if code != 0 {
		t.Fatalf("%v: exit %d: %s%s", args, code, stdout, stderr)
	}
	return strings.TrimSpace(stdout)
}

// differences returns how the output of a command differs from what a script says.
func differences(environ []string, expected string, code, exit int, stdout, stderr string) (problems []string) {
	if exit != code {
		problems = append(problems, "want exit "+strconv.Itoa(code))
	}
	all, whole, says := "", false, false
	for text := range strings.Lines(expected) {
		text = strings.TrimSpace(text)
		kind, want, _ := strings.Cut(text, " ")
		want = variable.ReplaceAllStringFunc(escapes.Replace(want),
			func(name string) string { return cmp.Or(valueIn(environ, name[1:]), name) })
		switch kind {
		case "=":
			if whole = true; text != "=" {
				all += want + "\n"
			}
		case "out":
			if says = true; !strings.Contains(stdout, want) {
				problems = append(problems, "stdout lacks: "+want)
			}
		case "err":
			if !strings.Contains(stderr, want) {
				problems = append(problems, "stderr lacks: "+want)
			}
		case "not":
			if strings.Contains(stdout+stderr, want) {
				problems = append(problems, "unexpected: "+want)
			}
		case "<", "let":
		default:
			problems = append(problems, "no expectation: "+text)
		}
	}
	if whole && stdout != all {
		problems = append(problems, "want stdout: "+all)
	}
	if code > 0 && code < 5 && !whole && !says && stdout != "" {
		problems = append(problems, "a failure prints to stdout")
	}
	return problems
}

// valueIn returns the last value of a variable.
func valueIn(environ []string, name string) (value string) {
	for _, entry := range environ {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = text
		}
	}
	return value
}

// away returns the environment of a program whose database does not answer.
func away(t *testing.T) []string {
	t.Helper()
	return append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1", "NEO4J_PASSWORD=x")
}
