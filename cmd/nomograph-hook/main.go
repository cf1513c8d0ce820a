// Command nomograph-hook answers the hooks of coding agents as "nomograph hook" does, but starts in a fraction of the time: it asks a
// running server of the same user. Without one, and for all other arguments, it runs the program nomograph beside it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"nomograph/internal/config"
	"nomograph/internal/hooksocket"
)

// version is set at build time; only servers of the same version are asked.
var version = "dev"

const (
	denied    = 2       // exit code by which most clients deny an action
	longer    = 1 << 26 // bytes of input; nomograph says what is wrong with more
	graceTime = 500 * time.Millisecond
	denyTime  = 300 * time.Millisecond // for nomograph to deny in the form of the client
)

func main() { os.Exit(run(os.Args[1:], time.Now())) }

func run(args []string, started time.Time) int {
	r, ok := request(args)
	if !ok {
		return whole(args, os.Stdin)
	}
	deadline := started.Add(r.Budget)
	settings, err := config.Load(nil, os.Getenv("NOMOGRAPH_CONFIG"))
	path := ""
	if err == nil {
		path, err = hooksocket.Path(settings, version)
	}
	if _, statErr := os.Stat(path); err != nil || path == "" || statErr != nil {
		return whole(args, os.Stdin)
	}
	if r.Stdin, ok = input(deadline); ok {
		r.Agent, r.Project, r.Budget = settings.Agent, settings.Project, time.Until(deadline)
		ctx, cancel := context.WithDeadline(context.Background(), deadline.Add(graceTime)) // the server answers within the budget
		defer cancel()
		if answer, err := hooksocket.Ask(ctx, path, r); err == nil && !answer.Declined {
			return printed(answer)
		}
	}
	left := max(time.Until(deadline), denyTime)
	return whole(append(slices.Clone(args), "--budget="+left.String()), bytes.NewReader(r.Stdin))
}

// input reads the event, unless its end does not come before the deadline.
func input(deadline time.Time) ([]byte, bool) {
	read := make(chan []byte, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, longer+1))
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

// others are first arguments that need the whole program: Git's hooks read the working directory, and these commands answer no event.
var others = []string{"git", "install", "remove", "status", "test", "help"}

// request reads the arguments of a hook that a server can answer: a client and its event, and flags of the check.
func request(args []string) (hooksocket.Request, bool) {
	r := hooksocket.Request{}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	flags.StringSliceVar(&r.FailOpen, "fail-open", nil, "")
	flags.DurationVar(&r.Budget, "budget", hooksocket.DefaultBudget, "")
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 || slices.Contains(others, flags.Arg(0)) {
		return r, false
	}
	r.Client = flags.Arg(0)
	if flags.NArg() > 1 {
		r.Event, r.Args = flags.Arg(1), flags.Args()[2:]
	}
	return r, true
}

// printed prints an answer, and returns the exit code. An answer that cannot be written must not allow the action.
func printed(answer hooksocket.Answer) int {
	_, _ = io.WriteString(os.Stderr, answer.Stderr)
	if _, err := io.WriteString(os.Stdout, answer.Stdout); err != nil && answer.Exit == 0 {
		return denied
	}
	return answer.Exit
}

// whole runs nomograph hook with the arguments. A missing program denies in the way of most clients, and of Cline.
func whole(args []string, stdin io.Reader) int {
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
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() > 0 {
			return exit.ExitCode()
		}
	}
	if err == nil {
		return 0
	}
	reason := fmt.Sprintf("Nomograph could not check this action, so it is not allowed: %s. Install the program nomograph in the folder of %s.",
		strings.TrimSuffix(err.Error(), "."), filepath.Base(os.Args[0]))
	if slices.Contains(args, "cline") {
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"cancel": true, "errorMessage": reason})
	}
	fmt.Fprintln(os.Stderr, reason)
	return denied
}
