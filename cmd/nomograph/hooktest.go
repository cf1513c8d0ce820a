package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/clients"
	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
)

// hookTestTimeout is the timeout of an installed hook in a test.
const hookTestTimeout = 20 * time.Second

// hookTest sends sample events to the hooks in a client's configuration.
func (a *app) hookTest() *cobra.Command {
	return a.ofHook(command("test CLIENT", nil, func(cmd *cobra.Command, args []string) error {
		h, err := hookFile(args)
		if err != nil {
			return err
		}
		tests := hookTests{Trials: []hookTestResult{}}
		for _, scope := range clients.Scopes {
			files, err := h.Files(scope)
			if apperr.Is(err, apperr.Conflict) {
				return err
			}
			for _, file := range files { // none if the client does not support this scope
				calls, err := h.Calls(file)
				if err != nil {
					return err
				}
				for _, call := range calls {
					tested := tryHook(cmd.Context(), h.Contract(), call, a.givenVariables())
					if problems := h.Problems(file, scope, a.hookServers()...); tested.Works && len(problems) > 0 {
						tested.Works, tested.Problem = false, strings.Join(problems, "; ")
					}
					tested.File = file
					tests.Trials = append(tests.Trials, tested)
				}
			}
		}
		if len(tests.Trials) == 0 {
			return apperr.Newf(apperr.NotFound, "No hook of %s is installed", h.Name).
				WithHint("Run nomograph hook install %s", h.Name)
		}
		err = a.form.Print(cmd.OutOrStdout(), tests)
		if err == nil && slices.ContainsFunc(tests.Trials, func(t hookTestResult) bool { return !t.Works }) {
			err = exitStatus{exitDenied}
		}
		return err
	}))
}

// givenVariables returns the settings that flags give, as variables for the process of a hook.
func (a *app) givenVariables() (variables []string) {
	for _, s := range config.Settings {
		if a.config.Origins[s.Key] == config.CommandLine && s.Env != "" {
			variables = append(variables, s.Env+"="+a.config.Values[s.Key])
		}
	}
	return variables
}

// hookTestResult is the result of testing a hook.
type hookTestResult struct {
	File    string  `json:"file"`
	Event   string  `json:"event"`
	Calls   string  `json:"calls"`
	Works   bool    `json:"works"`
	Seconds float64 `json:"seconds"`
	Problem string  `json:"problem,omitempty"`
}

func (t hookTestResult) String() string {
	if t.Works {
		return fmt.Sprintf("%s: %s works (%.0f ms)", t.File, t.Event, t.Seconds*1000)
	}
	return fmt.Sprintf("%s: %s does not work: %s", t.File, t.Event, t.Problem)
}

// hookTests are the results of all installed hooks of a client.
type hookTests struct {
	Trials []hookTestResult `json:"trials"`
}

func (t hookTests) String() string {
	text := ""
	for _, tried := range t.Trials {
		text += tried.String() + "\n"
	}
	return text
}

// tryHook calls a hook with an event that must be allowed, and with one that must be denied.
func tryHook(ctx context.Context, c hooks.Client, call clients.HookCall, variables []string) hookTestResult {
	t := hookTestResult{Event: call.Event, Calls: call.Command + call.URL}
	started := time.Now()
	answer, err := fire(ctx, call, string(c.Sample), variables)
	t.Seconds = time.Since(started).Seconds()
	switch {
	case err != nil:
		t.Problem = err.Error()
		return t
	case answer.Denies():
		t.Problem = "a harmless command is denied: " + strings.TrimSpace(answer.Stderr+answer.Stdout)
		return t
	}
	if len(c.Sample) > 0 { // Git's hooks read no event
		switch answer, err = fire(ctx, call, "not an event", variables); {
		case err != nil:
			t.Problem = err.Error()
			return t
		case !answer.Denies():
			t.Problem = "an event that cannot be read is not denied"
			return t
		}
	}
	t.Works = true
	return t
}

// fire sends an event to a hook as the client does.
func fire(ctx context.Context, call clients.HookCall, event string, variables []string) (hooks.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, hookTestTimeout)
	defer cancel()
	if call.URL != "" {
		return fireHTTP(ctx, call, event)
	}
	shell, flag, command := "sh", "-c", call.Command
	if runtime.GOOS == "windows" {
		shell, flag = "cmd", "/c"
	}
	switch call.Event { // Git passes arguments to its hooks
	case "pre-push":
		command += " origin https://host.example/sample.git"
	case "commit-msg":
		message, err := os.CreateTemp("", "nomograph-*")
		if err != nil {
			return hooks.Answer{}, err
		}
		defer func() { _ = os.Remove(message.Name()) }()
		_, err = message.WriteString("A sample of a commit message\n")
		if err = errors.Join(err, message.Close()); err != nil {
			return hooks.Answer{}, err
		}
		command += " " + message.Name()
	}
	run := exec.CommandContext(ctx, shell, flag, command)
	run.Env = append(os.Environ(), variables...)
	var stdout, stderr bytes.Buffer
	run.Stdin, run.Stdout, run.Stderr, run.WaitDelay = strings.NewReader(event), &stdout, &stderr, time.Second
	err := run.Run()
	exit := (*exec.ExitError)(nil)
	switch {
	case ctx.Err() != nil:
		return hooks.Answer{}, apperr.Newf(apperr.Unavailable, "No answer within %v", hookTestTimeout).
			WithHint("Find the cause with `nomograph doctor`")
	case err != nil && !errors.As(err, &exit):
		return hooks.Answer{}, err
	}
	answer := hooks.Answer{Stdout: stdout.String(), Stderr: stderr.String(), Exit: run.ProcessState.ExitCode()}
	if answer.Exit == 126 || answer.Exit == 127 {
		return answer, apperr.Newf(apperr.NotFound, "The command cannot be run: %s", strings.TrimSpace(answer.Stderr)).
			WithHint("Check the command in the hook configuration, or install the hook again")
	}
	return answer, nil
}

func fireHTTP(ctx context.Context, call clients.HookCall, event string) (hooks.Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, call.URL, strings.NewReader(event))
	if err != nil {
		return hooks.Answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range call.Headers {
		r.Header.Set(name, os.ExpandEnv(value))
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return hooks.Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil && response.StatusCode != http.StatusOK {
		err = apperr.Newf(apperr.Unavailable, "The server answered %s: %s", response.Status,
			strings.TrimSpace(string(body))).WithHint("Check the address and the token, or install the hook again")
	}
	return hooks.Answer{Stdout: string(body)}, err
}
