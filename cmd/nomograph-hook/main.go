// Command nomograph-hook answers the hooks of coding agents as "nomograph hook" does, but starts in a fraction of the
// time: it asks a running server of the same user. Without one, and for all other arguments, it runs the program
// nomograph in its folder. It imports little, because each package that it starts costs every tool call of an agent.
package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"nomograph/internal/hooksocket"
)

// version is set at build time; only servers of the same version are asked.
var version = "dev"

const (
	denied    = 2       // exit code by which most clients deny an action
	maxInput  = 1 << 26 // bytes of input; nomograph reports longer input as an error
	graceTime = 500 * time.Millisecond
	denyTime  = 300 * time.Millisecond // for nomograph to deny in the form of the client
)

func main() { os.Exit(run(os.Args[1:], time.Now())) }

func run(args []string, started time.Time) int {
	r, ok := request(args)
	if !ok || len(hooksocket.Sockets(version)) == 0 {
		return runNomograph(args, os.Stdin)
	}
	deadline := started.Add(r.Budget)
	if r.Stdin, ok = input(deadline); ok {
		r.Budget = time.Until(deadline)
		if answer, err := hooksocket.Ask(deadline.Add(graceTime),
			r); err == nil { // the server answers within the budget
			return printAnswer(answer)
		}
	}
	left := max(time.Until(deadline), denyTime)
	return runNomograph(append(slices.Clone(args), "--budget="+left.String()), bytes.NewReader(r.Stdin))
}

// input reads the event. It returns false if the event does not end before the deadline.
func input(deadline time.Time) ([]byte, bool) {
	read := make(chan []byte, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, maxInput+1))
		if err == nil {
			read <- text
		}
	}()
	select {
	case text := <-read:
		return text, true
	case <-time.After(time.Until(deadline)):
		return nil, false
	}
}

// localCommands are first arguments that need the whole program: Git's hooks read the working directory, and these
// commands answer no event.
var localCommands = []string{"git", "install", "remove", "status", "test", "help"}

// request reads the arguments of a hook that a server can answer: a client and its event, and flags of the check.
func request(args []string) (r hooksocket.Request, ok bool) {
	r = hooksocket.Request{Version: version, Environ: hooksocket.Environ(), Budget: hooksocket.DefaultBudget}
	var words []string
	for i := 0; i < len(args); i++ {
		name, value, ok := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "-") {
			words = append(words, args[i])
			continue
		}
		if !ok {
			if i++; i == len(args) {
				return r, false
			}
			value = args[i]
		}
		switch name {
		case "--fail-open":
			if strings.ContainsAny(value, "\"\n") {
				return r, false
			}
			r.FailOpen = append(r.FailOpen, strings.Split(value, ",")...)
		case "--budget":
			budget, err := time.ParseDuration(value)
			if err != nil {
				return r, false
			}
			r.Budget = budget
		default:
			return r, false
		}
	}
	if len(words) == 0 || slices.Contains(localCommands, words[0]) {
		return r, false
	}
	r.Client = words[0]
	if len(words) > 1 {
		r.Event, r.Args = words[1], words[2:]
	}
	var err error
	r.Dir, err = os.Getwd()
	return r, err == nil
}

// printAnswer prints an answer, and returns the exit code. An answer that cannot be written must not allow the action.
func printAnswer(answer hooksocket.Answer) int {
	_, _ = io.WriteString(os.Stderr, answer.Stderr)
	if _, err := io.WriteString(os.Stdout, answer.Stdout); err != nil && answer.Exit == 0 {
		return denied
	}
	return answer.Exit
}

// runNomograph runs nomograph hook with the arguments. A missing program denies in the form of most clients and in
// that of Cline.
func runNomograph(args []string, stdin io.Reader) int {
	todo := "Install the program nomograph in the folder of " + filepath.Base(os.Args[0]) + "."
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err == nil {
		program = filepath.Join(filepath.Dir(program), "nomograph")
		if runtime.GOOS == "windows" {
			program += ".exe"
		}
		command := exec.Command(program, append([]string{"hook"}, args...)...)
		command.Stdin, command.Stdout, command.Stderr = stdin, os.Stdout, os.Stderr
		err = command.Run()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			if exit.ExitCode() > 0 {
				return exit.ExitCode()
			}
			todo = "Try again."
		}
	}
	if err == nil {
		return 0
	}
	reason := "Nomograph could not check this action, so it is not allowed: " + strings.TrimSuffix(err.Error(), ".") +
		". " + todo
	if slices.Contains(args, "cline") {
		_, _ = io.WriteString(os.Stdout, `{"cancel":true,"errorMessage":"`+escapeText(reason)+`"}`+"\n")
	}
	_, _ = io.WriteString(os.Stderr, reason+"\n")
	return denied
}

// escapeText replaces the characters of a text that would have to be escaped in JSON.
func escapeText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"' || r == '\\':
			return '\''
		case r < ' ':
			return ' '
		}
		return r
	}, text)
}
