// Command nomograph-hook answers the hooks of coding agents as "nomograph hook" does, but starts in a fraction of the time: it asks a
// running server of the same user. Without one, and for all other arguments, it runs the program nomograph beside it.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"nomograph/internal/config"
	"nomograph/internal/hooksocket"
)

// version is set at build time; only servers of the same version are asked.
var version = "dev"

const (
	denied = 2       // exit code by which clients deny an action
	longer = 1 << 26 // bytes of input; nomograph says what is wrong with more
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	var stdin []byte // nil until it is read
	if r, ok := request(args); ok {
		settings, err := config.Load(nil, os.Getenv("NOMOGRAPH_CONFIG"))
		path := ""
		if err == nil {
			path, err = hooksocket.Path(settings, version)
		}
		if _, statErr := os.Stat(path); err == nil && path != "" && statErr == nil {
			if stdin, err = io.ReadAll(io.LimitReader(os.Stdin, longer+1)); err == nil {
				r.Stdin, r.Agent, r.Project = stdin, settings.Agent, settings.Project
				ctx, cancel := context.WithTimeout(context.Background(), r.Budget+time.Second) // the server answers within the budget
				defer cancel()
				answer, err := hooksocket.Ask(ctx, path, r)
				if err == nil && !answer.Declined {
					return printed(answer)
				}
				if errors.Is(err, context.DeadlineExceeded) {
					fmt.Fprintln(os.Stderr, "Nomograph did not answer in time, so this action is not allowed. Try again; find the cause with `nomograph doctor`.")
					return denied
				}
			}
		}
	}
	return full(args, stdin)
}

// request reads the arguments of a hook that a server can answer: a client and its event, and flags of the check.
func request(args []string) (hooksocket.Request, bool) {
	r := hooksocket.Request{}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	flags.StringSliceVar(&r.FailOpen, "fail-open", nil, "")
	flags.DurationVar(&r.Budget, "budget", hooksocket.DefaultBudget, "")
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 || flags.Arg(0) == "git" { // Git's hooks need its working directory
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

// full runs nomograph hook with the arguments and the input read so far.
func full(args []string, stdin []byte) int {
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
		command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
		if stdin != nil {
			command.Stdin = bytes.NewReader(stdin)
		}
		err = command.Run()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() > 0 {
			return exit.ExitCode()
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "Nomograph could not check this action, so it is not allowed: %s. Install the program nomograph in the folder of %s.\n",
			strings.TrimSuffix(err.Error(), "."), filepath.Base(os.Args[0]))
		return denied
	}
	return 0
}
