// Package server holds the doors: it projects the catalogue of operations to clients, and has no logic of its own.
package server

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/rs/zerolog"

	"nomograph/fault"
	"nomograph/graph"
	"nomograph/progress"
	"nomograph/tools"
)

// Options say what the MCP door serves.
type Options struct {
	Version    string
	Operations []tools.Operation
	Agent      string // who acts, where the client's own name should not be used
	Log        zerolog.Logger
}

const instructions = `Nomograph holds this organisation's policies, thresholds and decisions in a live Neo4j graph.
Before an action that is hard to undo, or that others depend on, ask check_action and say truly what is at stake and how
confident you are. If allowed is false, do not act: read the violations and would_pass, change what they ask for or tell the user,
and do not ask again unchanged. Before you decide something that others will live with, look for precedents with query_decisions; note
your reasoning with record_thought; record the choice with log_decision, and how it turned out with review_outcome. Read a threshold with get_threshold (or list_thresholds) instead of writing a number into code, and a policy with get_policy
before you rely on a rule. Values change without notice: read again rather than remember. A policy counts only while its
active property is true. For questions of your own, read get_schema and ask run_cypher_readonly. Errors are JSON with error, message and hint; do what the hint says.`

type door struct {
	options Options
	env     *tools.Env
	mcp     *server.MCPServer
}

// NewMCP gives the MCP server of the operations. It answers initialize and lists at once; a call waits for the database,
// with progress.
func NewMCP(env *tools.Env, o Options) *server.MCPServer {
	d := &door{options: o, env: env}
	subscriptions := d.newSubscriptions()
	d.mcp = server.NewMCPServer("nomograph", o.Version,
		server.WithTitle("Nomograph"),
		server.WithDescription("Policies, thresholds and decisions of an organisation, live from one graph."),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(true, false),
		server.WithHooks(subscriptions.hooks()),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(d),
		server.WithRecovery(),
		server.WithResourceRecovery(),
	)
	for _, o := range o.Operations {
		d.mcp.AddTool(tool(o), d.call(o))
	}
	d.addResources()
	return d.mcp
}

// tool is the projection of an operation to tools/list.
func tool(o tools.Operation) mcp.Tool {
	t := mcp.NewToolWithRawSchema(o.Name, o.Use, schemaText(o.Input))
	t.RawOutputSchema = schemaText(o.Output)
	t.Annotations = mcp.ToolAnnotation{
		Title:           o.Title,
		ReadOnlyHint:    &o.Hints.ReadOnly,
		DestructiveHint: &o.Hints.Destructive,
		IdempotentHint:  &o.Hints.Idempotent,
		OpenWorldHint:   &o.Hints.OpenWorld,
	}
	return t
}

func schemaText(schema any) json.RawMessage {
	text, err := json.Marshal(schema)
	if err != nil { // schemas that we generated
		panic(err)
	}
	return text
}

func (d *door) call(o tools.Operation) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx = d.caller(ctx, o.Name, request.Params.Meta)
		raw, ok := request.GetRawArguments().(json.RawMessage)
		if !ok && request.Params.Arguments != nil { // a call that did not come over the wire
			var err error
			if raw, err = json.Marshal(request.Params.Arguments); err != nil {
				return nil, fmt.Errorf("arguments of %s: %w", o.Name, err)
			}
		}
		started := time.Now()
		out, err := o.Run(ctx, d.env, raw)
		d.log(o.Name, started, err)
		if err != nil {
			return answer(fault.From(err), true), nil
		}
		return answer(out, false), nil
	}
}

// answer gives the same facts twice: some clients hand the model only the structured content, some only the text.
func answer(value any, failed bool) *mcp.CallToolResult {
	text, err := json.Marshal(value)
	if err != nil {
		problem := fault.From(fmt.Errorf("answer: %w", err))
		text, failed = schemaText(problem), true
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(string(text))},
		StructuredContent: json.RawMessage(text),
		IsError:           failed,
	}
}

// caller notes in the context who calls, what for, and where progress goes.
func (d *door) caller(ctx context.Context, operation string, meta *mcp.Meta) context.Context {
	agent := d.options.Agent
	if agent == "" {
		agent = clientName(ctx)
	}
	ctx = tools.WithCaller(ctx, agent)
	ctx = graph.Operation(ctx, operation, agent)
	if meta == nil || meta.ProgressToken == nil {
		return ctx
	}
	count := 0.0
	return progress.Listen(ctx, func(step progress.Step) {
		// The protocol wants a number that grows with every report, whatever is counted.
		count++
		params := map[string]any{"progressToken": meta.ProgressToken, "progress": count, "message": step.Message}
		if step.Total > 0 {
			params["message"] = fmt.Sprintf("%s (%d of %d)", step.Message, step.Done, step.Total)
		}
		if err := d.mcp.SendNotificationToClient(ctx, "notifications/progress", params); err != nil {
			d.options.Log.Debug().Err(err).Msg("progress was not delivered")
		}
	})
}

func clientName(ctx context.Context) string {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientInfo != nil {
		return info.ClientInfo.Name
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return session.GetClientInfo().Name
	}
	return ""
}

func (d *door) log(operation string, started time.Time, err error) {
	if err == nil {
		d.options.Log.Debug().Str("operation", operation).Dur("took", time.Since(started)).Msg("answered")
		return
	}
	f := fault.From(err)
	event := d.options.Log.Info()
	if f.Code == fault.Internal || f.Code == fault.Unavailable {
		event = d.options.Log.Error()
	}
	event.Str("operation", operation).Str("error", string(f.Code)).Str("id", f.ID).AnErr("cause", f.Unwrap()).Msg(f.Message)
}
