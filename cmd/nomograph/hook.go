package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/graph/engine/files"
	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/document"
	"nomograph/internal/hooksocket"
	"nomograph/policies/check"
	"nomograph/tools"
)

const (
	hookWord        = "hook"
	maxCommitLength = 1 << 20     // bytes of a commit message
	readGrace       = time.Second // after the budget, for input that has arrived but was not read yet
)

// hook answers a coding agent's hook. It fails closed: every error is a denial in the client's format.
func (a *app) hook() *cobra.Command {
	var r hooksocket.Request
	var misconfigured error
	hook := command("hook CLIENT [EVENT] [ARGUMENT...]", func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return arguments.Usagef("name one client: %s", strings.Join(hooks.Names(), ", "))
		}
		if _, err := hooks.Find(args[0]); err != nil {
			return arguments.Usagef("client %q not found; name one of %s", args[0], strings.Join(hooks.Names(), ", "))
		}
		return nil
	}, func(cmd *cobra.Command, args []string) error {
		r.Client = args[0]
		if len(args) > 1 {
			r.Event, r.Args = args[1], args[2:]
		}
		if a.config.LogLevel != "debug" { // the agent reads the reason from standard error
			a.log = zerolog.Nop()
		}
		h, err := a.hookRun(r)
		if err != nil {
			return err
		}
		answer, late := h.answer(cmd.Context(), cmd.InOrStdin(), misconfigured)
		status := printAnswer(cmd, answer)
		if late { // waiting for an unresponsive database would exceed the budget
			os.Exit(exitCode(status))
		}
		return status
	})
	hook.Long = `Read the event of a coding agent's hook from standard input, check the action against the policies, and answer in the agent's
format. The check uses the server of --url, else a server of yours that runs on this machine with the same database, else the
database. An action that cannot be checked within the budget is denied, unless --fail-open names its kind.

Clients: ` + strings.Join(hooks.Names()[:9], ", ") + `,
` + strings.Join(hooks.Names()[9:], ", ") + `.
Call git hooks as nomograph hook git pre-commit, commit-msg FILE and pre-push REMOTE URL. Kinds of actions: shell.run, file.read,
file.write, file.delete, web.fetch, mcp.call, agent.spawn, prompt.submit, git.commit, git.push.`
	hook.ValidArgs = hooks.Names()
	hook.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		misconfigured = a.configure(cmd) // reported as a denial
		return nil
	}
	hook.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		err = arguments.FlagError(cmd, err, tools.Operation{})
		for _, word := range a.args {
			if c, unknown := hooks.Find(word); unknown == nil && cmd == hook {
				return printAnswer(cmd, c.Answer("", denial(apperr.New(apperr.Validation, err.Error()).
					WithHint("Correct the command of the hook"))))
			}
		}
		return err
	})
	hook.AddCommand(a.hookInstall(), a.hookRemove(), a.hookStatus(), a.hookTest())
	hook.Flags().StringSliceVar(&r.FailOpen, "fail-open", nil,
		"kinds of actions to allow if they cannot be checked, such as file.read or 'file.*'")
	hook.Flags().DurationVar(&r.Budget, "budget", hooksocket.DefaultBudget, "maximum time for the answer")
	return hook
}

// printAnswer prints an answer, and returns the exit code as an error unless it is 0.
func printAnswer(cmd *cobra.Command, answer hooks.Answer) error {
	_, _ = io.WriteString(cmd.ErrOrStderr(), answer.Stderr)
	if _, err := io.WriteString(cmd.OutOrStdout(), answer.Stdout); err != nil && answer.Exit == 0 {
		answer.Exit = exitUsage // an answer that cannot be written must not allow the action
	}
	if answer.Exit != 0 {
		return exitStatus{answer.Exit}
	}
	return nil
}

// hookRun returns the call that a request describes.
func (a *app) hookRun(r hooksocket.Request) (*hookRun, error) {
	c, err := hooks.Find(r.Client)
	return &hookRun{app: a, client: c, input: hooks.Input{Event: r.Event, Args: r.Args}, failOpen: r.FailOpen,
		budget: budgetOf(c, r.Budget)}, err
}

// budgetOf returns the time for an answer, within the client's own timeout.
func budgetOf(c hooks.Client, most time.Duration) time.Duration {
	if c.Timeout > 0 {
		return min(most, time.Duration(c.Timeout)*time.Second*8/10)
	}
	return most
}

// hookRun is one call of a hook.
type hookRun struct {
	*app
	client   hooks.Client
	input    hooks.Input
	failOpen []string
	budget   time.Duration
	harmless atomic.Bool // the event concerns no action, so it is never denied
	// recording is true after a goroutine has begun to record executions, so that no other one records them.
	recording atomic.Bool
}

// answer returns the answer, and whether a check that took too long is still running.
func (h *hookRun) answer(ctx context.Context, stdin io.Reader, misconfigured error) (answer hooks.Answer, late bool) {
	ctx, cancel := context.WithTimeout(ctx, h.budget)
	defer cancel()
	called, done, read := h.client, make(chan hooks.Answer, 1), make(chan []hooks.Action, 1)
	go func() { done <- h.answerInTime(ctx, cancel, stdin, misconfigured, read) }()
	select {
	case answer = <-done:
		return answer, false
	case <-ctx.Done():
	}
	var actions []hooks.Action
	select { // input that has arrived is read in milliseconds; a busy machine may have started this process late
	case answer = <-done:
		return answer, false
	case actions = <-read:
	case <-time.After(readGrace):
		return h.lateAnswer(called, nil), true
	}
	if !h.harmless.Load() {
		return h.lateAnswer(h.client, actions), true
	}
	if h.recording.CompareAndSwap(false, true) { // the server that was asked does not answer
		h.storeForLater(h.withReasons(h.client.Executed(h.input)))
		return hooks.Answer{}, true
	}
	select { // the other goroutine stores the calls now; an exit would lose them
	case answer = <-done:
		return answer, false
	case <-time.After(readGrace):
		return hooks.Answer{}, true
	}
}

// answerInTime reads the event, sends its actions to read, and returns the answer. cancel ends the time for it.
func (h *hookRun) answerInTime(ctx context.Context, cancel func(), stdin io.Reader, misconfigured error,
	read chan<- []hooks.Action) (answer hooks.Answer) {
	event, started, called := h.input.Event, time.Now(), h.client.Name
	defer func() {
		if recover() == nil {
			return
		}
		answer = hooks.Answer{}
		if !h.harmless.Load() { // denying the end of a session would make the client continue
			answer = h.client.Answer(event, hooks.Verdict{Decision: hooks.Deny,
				Reason: "Nomograph failed while it checked this action, so it is not allowed. Please report it."})
		}
	}()
	actions, name, err := h.read(ctx, stdin)
	event = name
	if h.client.Name != called { // its timeout for the hook of the other client can be shorter
		timer := time.AfterFunc(time.Until(started.Add(budgetOf(h.client, h.budget))), cancel)
		defer timer.Stop()
	}
	h.harmless.Store(err == nil && len(actions) == 0)
	read <- actions
	if err != nil {
		return h.client.AnswerTo(h.input, event, denial(err))
	}
	clientVersion := ""
	if len(actions) > 0 {
		clientVersion = actions[0].Version
	}
	noteFired(h.client.Name, event, clientVersion)
	if misconfigured == nil {
		if answer, ok := h.askSocket(ctx); ok {
			return answer
		}
	}
	if len(actions) == 0 {
		return h.harmlessAnswer(ctx, event, misconfigured)
	}
	verdict := h.evaluate(ctx, actions, misconfigured)
	return h.client.AnswerTo(h.input, event,
		h.client.WithContext(actions, verdict, h.promptContext(ctx, actions, verdict)))
}

// lateAnswer returns the answer for actions whose check took too long.
func (h *hookRun) lateAnswer(c hooks.Client, actions []hooks.Action) hooks.Answer {
	if hooks.MayPass(h.failOpen, actions) {
		h.noteUnchecked(c.Unchecked(actions, check.TimedOut))
		verdict := hooks.Verdict{Decision: hooks.Allow,
			Context: "Nomograph did not answer in time, so this action was not checked."}
		return c.Answer(actions[0].Event, c.WithContext(actions, verdict, ""))
	}
	event := h.input.Event
	if len(actions) > 0 {
		event = actions[0].Event
	}
	late := denial(apperr.New(apperr.Unavailable, "Nomograph did not answer in time").
		WithHint("Try again; find the cause with `nomograph doctor`"))
	if len(actions) == 0 { // the input may not be complete yet
		return c.Answer(event, late)
	}
	return c.AnswerTo(h.input, event, late)
}

// read reads the event and, for Git, the data of its hooks.
func (h *hookRun) read(ctx context.Context, stdin io.Reader) ([]hooks.Action, string, error) {
	var err error
	switch {
	case h.client.Name != "git" || h.input.Event == "pre-push":
		h.input.Stdin, err = io.ReadAll(io.LimitReader(stdin, hooks.LongestInput+1))
	case h.input.Event == "pre-commit":
		var staged []byte
		staged, err = exec.CommandContext(ctx, "git", "diff", "--cached", "--name-only", "--diff-filter=d", "-z").
			Output()
		for _, file := range strings.Split(string(staged), "\x00") {
			if file != "" {
				h.input.Staged = append(h.input.Staged, file)
			}
		}
	case h.input.Event == "commit-msg" && len(h.input.Args) > 0:
		var text []byte
		if text, err = disk.Read(h.input.Args[0], maxCommitLength); err == nil {
			var decoded string
			if decoded, err = document.Text("The commit message", text); err == nil {
				h.input.Message, err = storedMessage(ctx, decoded)
			}
		}
	}
	if err != nil {
		return nil, h.input.Event, apperr.Newf(apperr.Validation, "Cannot read the input of the hook").
			WithHint("Check the hook's configuration").Because(err)
	}
	h.client = h.client.Sender(h.input)
	return h.client.Read(h.input)
}

// evaluate checks the actions and combines their verdicts; the strictest decision counts.
func (h *hookRun) evaluate(ctx context.Context, actions []hooks.Action, misconfigured error) hooks.Verdict {
	all := hooks.Verdict{Decision: hooks.Allow}
	for _, action := range actions {
		err := misconfigured
		var v hooks.Verdict
		if err == nil {
			v, err = h.once(ctx, action)
		}
		if err != nil {
			if v = denial(err); hooks.MayPass(h.failOpen, []hooks.Action{action}) {
				v = hooks.NotChecked(apperr.From(err))
				reason := check.HookFailed
				if ctx.Err() != nil { // the budget ended, which lateAnswer may note too
					reason = check.TimedOut
				}
				h.noteUnchecked(h.client.Unchecked([]hooks.Action{action}, reason))
			}
		}
		all = all.Add(v)
	}
	return all
}

// check checks one action.
func (h *hookRun) check(ctx context.Context, action hooks.Action) (hooks.Verdict, error) {
	raw, err := json.Marshal(action.Arguments(h.client.Name))
	if err != nil {
		return hooks.Verdict{}, err
	}
	var v check.Verdict
	if err := h.ask(ctx, "check_action", raw, &v); err != nil {
		return hooks.Verdict{}, err
	}
	return hooks.VerdictOf(v)
}

// denial returns the verdict for an action that cannot be checked.
func denial(err error) hooks.Verdict {
	return hooks.Unchecked(tools.SpellError(apperr.From(err), tools.Command))
}

const (
	keptAnswers = 10 * time.Minute
	lockEvery   = 5 * time.Millisecond
)

// once checks an action once if programs send it twice: Cursor has two events for one command, and VS Code runs the
// hooks of three programs. A server caches the answer for a short time in memory, and a process in a private file. If
// the file cannot be written, every call is checked.
func (h *hookRun) once(ctx context.Context, action hooks.Action) (hooks.Verdict, error) {
	if h.recent != nil {
		key, lasts, err := action.Key(h.agent(), h.config.Project)
		if err != nil {
			return hooks.Verdict{}, err
		}
		return h.recent.Once(ctx, h.budget, key, lasts,
			func(ctx context.Context) (hooks.Verdict, error) { return h.check(ctx, action) })
	}
	file, lasts, err := h.answerFile(action)
	if err != nil {
		return h.check(ctx, action)
	}
	lock := flock.New(file + ".lock")
	if locked, err := lock.TryLockContext(ctx, lockEvery); err != nil || !locked {
		if ctx.Err() != nil {
			return hooks.Verdict{}, ctx.Err()
		}
		return h.check(ctx, action)
	}
	defer func() { _ = lock.Unlock() }()
	var cached hooks.Verdict
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) < lasts {
		if text, err := disk.Read(file, 1<<20); err == nil && json.Unmarshal(text, &cached) == nil && cached.ID != "" &&
			cached.Decision != "" {
			return cached, nil
		}
	}
	v, err := h.check(ctx, action)
	if err != nil {
		return v, err
	}
	if text, err := json.Marshal(v); err == nil {
		_ = files.Write(file, text) // a failure only causes another check
	}
	removeOld(filepath.Dir(file))
	return v, nil
}

// answerFile returns the path of the cached answer for an action, and how long it is valid.
func (h *hookRun) answerFile(action hooks.Action) (file string, lasts time.Duration, err error) {
	folder, err := disk.Cache("nomograph", "hooks")
	if err != nil {
		return "", 0, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", 0, err
	}
	key, lasts, err := action.Key(h.agent(), h.config.Project, h.config.URI, h.config.Database, h.config.URL,
		h.config.EngineDir, version)
	return filepath.Join(folder, key), lasts, err
}

// removeOld deletes expired answers. It reads the folder, whose size grows with the number of calls, only once per
// keptAnswers.
func removeOld(folder string) {
	removed := filepath.Join(folder, "removed")
	if info, err := os.Stat(removed); err == nil && time.Since(info.ModTime()) < keptAnswers {
		return
	}
	if err := os.WriteFile(removed, nil, 0o600); err != nil {
		return
	}
	now := time.Now()
	if err := os.Chtimes(removed, now, now); err != nil { // writing nothing to an empty file would not change its time
		return
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > keptAnswers {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}
