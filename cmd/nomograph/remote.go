package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/client"
	"nomograph/cmd/nomograph/arguments"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
	"nomograph/internal/redact"
	"nomograph/internal/terminal"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/views"
)

// tokenFlag names the environment variable of the token. A token on the command line would be visible to all users of
// the machine.
const (
	tokenFlag     = "token-env"
	tokenVariable = "NOMOGRAPH_TOKEN" // default variable
)

// addToken adds the token from the variable of --token-env to the command-line settings.
func addToken(cmd *cobra.Command, values map[string]string) error {
	name, _ := cmd.Flags().GetString(tokenFlag)
	if name == "" || cmd.Name() == "install" { // install writes the name, not the token
		return nil
	}
	if err := checkVariable(name); err != nil {
		return err
	}
	token, set := os.LookupEnv(name)
	if !set || token == "" {
		return apperr.Newf(apperr.Validation, "The environment variable %s of --%s is not set", name, tokenFlag).
			WithHint("Set it to a token of `nomograph token create`")
	}
	values["remote.token"] = token
	return nil
}

var (
	variableName = pattern.New(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	mixed        = pattern.New(`[a-z].*[0-9]|[0-9].*[a-z]`)
)

// checkVariable rejects invalid names, and values that look like the token itself, which would be written to a client's
// configuration and to errors. The error does not repeat the value.
func checkVariable(name string) error {
	token := strings.HasPrefix(strings.ToLower(name), tokens.Prefix) || strings.HasPrefix(name, "eyJ") ||
		redact.Mask(name) != name || len(name) > 16 && mixed.MatchString(name)
	if name == "" || variableName.MatchString(name) && !token {
		return nil
	}
	return arguments.Usagef("--%s is the name of an environment variable, not its value", tokenFlag)
}

// localOnly is the annotation of commands that work on this machine or directly on the database. Its value is the
// reason.
const localOnly = "only here"

// localCommand marks a command that a server cannot run.
func localCommand(command *cobra.Command, why string) *cobra.Command {
	return annotate(command, localOnly, why)
}

func annotate(command *cobra.Command, key, value string) *cobra.Command {
	if command.Annotations == nil {
		command.Annotations = map[string]string{}
	}
	command.Annotations[key] = value
	return command
}

// configureRemote creates the client if a server is configured. A database given on the command line takes precedence
// over a configured server.
func (a *app) configureRemote(cmd *cobra.Command, values map[string]string) error {
	c := &a.config
	switch {
	case c.URL == "":
		return nil
	case values["neo4j.uri"] != "" && values["remote.url"] != "":
		return arguments.Usagef("--uri names a database and --url a server: use one of them")
	case values["neo4j.uri"] != "":
		c.URL = ""
		return nil
	case values["agent"] != "" && c.Token != "":
		return arguments.Usagef("--agent has no effect with a token, whose name is the agent: leave it out")
	}
	for command := cmd; command != nil; command = command.Parent() {
		if why := command.Annotations[localOnly]; why != "" {
			return arguments.Usagef("%s %s, so it cannot use a server\n  The server comes from %s: leave it out, and run the command on that machine", cmd.CommandPath(), why, c.Origins["remote.url"])
		}
	}
	if cmd.Name() == "install" {
		return nil
	}
	var err error
	a.remote, err = client.New(client.Options{URL: c.URL, Token: c.Token, CAFile: c.CAFile, AllowHTTP: c.AllowHTTP,
		Timeout: c.RemoteTimeout, Agent: a.agent(), Version: version})
	return err
}

// run runs an operation locally or on the configured server. shown is the part of the answer to print.
func (a *app) run(ctx context.Context, o tools.Operation, arguments json.RawMessage) (answer, shown any, err error) {
	if a.remote == nil {
		if a.tools == nil { // a confirmed operation runs again
			a.open(!o.Hints.ReadOnly || o.FailsClosed)
		}
		answer, err = o.Run(ctx, a.tools, arguments)
		return answer, answer, err
	}
	if arguments, err = a.withSettings(ctx, o, arguments); err != nil {
		return nil, nil, err
	}
	values := map[string]json.RawMessage{}
	// the operation rejects invalid arguments
	_ = json.Unmarshal(arguments, &values)
	keyed, conditional := values["request_key"] != nil,
		values["if_version"] != nil // a successful call changes the version, so a repetition would fail
	call := client.Call{Operation: o.Name, Arguments: arguments, Asks: tools.CanAsk(ctx),
		Repeatable: o.Hints.ReadOnly || o.Hints.Idempotent && !conditional || keyed,
		Keyed:      o.Input().Properties["request_key"] != nil && !keyed}
	raw, err := a.remote.Call(ctx, call)
	if err != nil && call.Asks {
		call.Asks = false
		if call.Arguments, err = tools.AskAgain(ctx, o, arguments, err); err == nil {
			raw, err = a.remote.Call(ctx, call)
		}
	}
	if err == nil {
		answer, err = o.Answered(raw)
	}
	if executed, ok := answer.(interface{ Recheck(json.RawMessage) error }); ok &&
		err == nil { // check text again that a shell will run, or that becomes environment variables
		err = executed.Recheck(arguments)
	}
	switch {
	case err != nil && o.FailsClosed:
		return nil, nil, apperr.From(err).Deny()
	case err != nil:
		return nil, nil, err
	}
	if _, hasText := views.Text(answer, terminal.Page{}); hasText && a.form.Name == "" && len(a.form.Fields) == 0 {
		return answer, answer, nil
	}
	return answer, raw, nil // unchanged, since the server may be newer than this program
}

// withSettings validates the arguments and adds this process's settings.
func (a *app) withSettings(ctx context.Context, o tools.Operation, arguments json.RawMessage) (json.RawMessage, error) {
	if err := o.Fits(ctx, arguments); err != nil {
		return nil, err
	}
	if a.config.Project == "" || o.Scope != tools.OfProject || o.Input().Properties["project"] == nil {
		return arguments, nil
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(arguments, &values); err != nil || values["project"] != nil {
		return arguments, err
	}
	name, err := json.Marshal(a.config.Project)
	if err != nil {
		return nil, err
	}
	values["project"] = name
	return json.Marshal(values)
}

// callRemotely calls an operation that this program does not know: a named query of the server, or a newer operation.
func (a *app) callRemotely(cmd *cobra.Command, name string, arguments json.RawMessage) error {
	raw, err := a.remote.Call(graph.Operation(cmd.Context(), name, "command line"),
		client.Call{Operation: name, Arguments: arguments})
	if err != nil {
		return err
	}
	if err := a.form.Print(cmd.OutOrStdout(), raw); err != nil {
		return err
	}
	var output struct{ Allowed *bool }
	if err := json.Unmarshal(raw, &output); err == nil && output.Allowed != nil && !*output.Allowed {
		return exitStatus{exitDenied}
	}
	return nil
}
