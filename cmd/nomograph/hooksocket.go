package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/config"
	"nomograph/internal/hooksocket"
	"nomograph/policies/check"
	server "nomograph/server/hooks"
	"nomograph/tools"
)

// databaseOf returns the settings that select a database, as one text; "" if they select a server on another machine.
func databaseOf(c config.Config) string {
	if c.URL != "" || c.EngineDir != "" && !filepath.IsAbs(c.EngineDir) { // a relative path depends on the working directory
		return ""
	}
	return strings.Join([]string{c.URI, c.Username, c.Database, c.EngineDir}, "\x00")
}

// askSocket asks a running server with the same database to answer the event that was read. It returns false if this
// process must answer.
func (h *hookRun) askSocket(ctx context.Context) (hooks.Answer, bool) {
	settings := databaseOf(h.config)
	if h.tools != nil || h.client.Name == "git" ||
		settings == "" { // this is the server; Git's hooks read the working directory
		return hooks.Answer{}, false
	}
	deadline, _ := ctx.Deadline()
	answer, err := hooksocket.Ask(deadline, hooksocket.Request{Version: version, Client: h.client.Name,
		Event: h.input.Event, Args: h.input.Args, Stdin: h.input.Stdin,
		Settings: settings, Agent: h.config.Agent, Project: h.config.Project, FailOpen: h.failOpen, Budget: h.budget})
	return hooks.Answer{Stdout: answer.Stdout, Stderr: answer.Stderr, Exit: answer.Exit}, err == nil
}

// resolveSettings adds the settings of the sending process to a request. ok is false if they select another database
// than this server's.
func (a *app) resolveSettings(r hooksocket.Request) (hooksocket.Request, bool) {
	if r.Settings == "" {
		values := map[string]string{}
		for _, pair := range r.Environ {
			name, value, _ := strings.Cut(pair, "=")
			values[name] = value
		}
		if file := values["NOMOGRAPH_CONFIG"]; !filepath.IsAbs(r.Dir) || file != "" &&
			!filepath.IsAbs(file) { // this server has another working directory
			return r, false
		}
		for _, name := range hooksocket.Homes {
			if values[name] != os.Getenv(name) { // a different variable may select different settings files
				return r, false
			}
		}
		c, err := config.LoadFor(r.Dir, func(name string) string { return values[name] }, nil,
			values["NOMOGRAPH_CONFIG"])
		if err != nil {
			return r, false
		}
		r.Settings, r.Agent, r.Project = databaseOf(c), c.Agent, c.Project
	}
	return r, r.Version == version && r.Settings != "" && r.Settings == databaseOf(a.config)
}

// answerHooks answers requests of hook processes until ctx ends. It declines requests with another project; their
// processes check them.
func (a *app) answerHooks(ctx context.Context, opened *tools.App) {
	path, recent, err := "", &hooks.Recent{}, error(nil)
	if settings := databaseOf(a.config); settings != "" {
		path = hooksocket.Path(version, settings)
	}
	woken := make(chan struct{}, 1)
	ended := func() {
		select {
		case woken <- struct{}{}:
		default: // it looks for all that wait
		}
	}
	if a.config.HookDoes(config.Transcripts) {
		go a.importTranscripts(ctx, opened, woken)
	}
	if path != "" {
		err = hooksocket.Serve(ctx, path, func(ctx context.Context, r hooksocket.Request) hooksocket.Answer {
			r, ok := a.resolveSettings(r)
			if !ok || r.Project == "" && a.config.Project != "" { // checks would get this server's project
				return hooksocket.Answer{Declined: true}
			}
			h, err := a.runFor(opened, r)
			if err != nil {
				return hooksocket.Answer{Declined: true}
			}
			h.log, h.ended, h.recent = zerolog.Nop(), ended, recent
			answer, _ := h.answer(ctx, bytes.NewReader(r.Stdin), nil)
			return hooksocket.Answer{Stdout: answer.Stdout, Stderr: answer.Stderr, Exit: answer.Exit}
		})
	}
	if err != nil && ctx.Err() == nil {
		a.log.Debug().Err(apperr.From(err)).Msg("hooks are not answered by this server")
	}
}

// runFor returns the call that a request of another process describes, with the agent and project of the request.
func (a *app) runFor(opened *tools.App, r hooksocket.Request) (*hookRun, error) {
	asked := &app{config: a.config, log: a.log, operations: a.operations, tools: opened, args: a.args}
	asked.config.Agent, asked.config.Project = r.Agent, r.Project
	return asked.hookRun(r)
}

// hookOptions returns the options of hooks over HTTP. Executed tool calls that cannot be stored wait in the same file
// as those of processes.
func (a *app) hookOptions(opened *tools.App) server.Options {
	run := func(ctx context.Context, client string) (*hookRun, error) {
		r := hooksocket.Request{Client: client, Budget: hooksocket.DefaultBudget, Agent: a.config.Agent,
			Project: a.config.Project}
		if who := caller.From(ctx); who.Name != "" { // waiting calls are recorded for the agent that executed them
			r.Agent = who.Name
			if len(who.Projects) == 1 {
				r.Project = who.Projects[0]
			}
		}
		return a.runFor(opened, r)
	}
	return server.Options{Fired: noteFired, PromptContext: a.config.HookDoes(config.PromptContext), Log: a.log,
		NotRecorded: func(ctx context.Context, client string, executed []check.Execution) {
			if h, err := run(ctx, client); err == nil {
				h.storeForLater(withTimes(executed))
			}
		},
		Recorded: func(ctx context.Context, client string) {
			h, err := run(ctx, client)
			if err != nil {
				return
			}
			go func() { // the client does not wait for earlier calls
				defer func() {
					if recover() != nil {
						a.log.Error().Msg("waiting tool calls not recorded")
					}
				}()
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordBudget)
				defer cancel()
				h.sendWaiting(ctx)
				h.recordLost(ctx)
			}()
		}}
}
