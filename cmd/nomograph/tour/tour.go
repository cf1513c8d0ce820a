// Package tour demonstrates the server to a newcomer over MCP: it starts a server as a client does, and calls tools.
//
//	err := tour.Run(ctx, os.Stdout, tour.Guide{Version: version})
package tour

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"

	"nomograph/decisions/links"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies/check"
	"nomograph/tools"
)

// question is one call over MCP, with a function that formats the answer.
type question struct {
	chapter   string // heading of a new chapter, or empty
	tool      string
	arguments map[string]any
	say       string
	tell      func(answer []byte) (string, error)
}

// questions are three policy checks, a live threshold and a misspelled name, and a search for earlier decisions.
var questions = []question{
	{"An agent checks an action before it acts:", "check_action",
		map[string]any{"description": "Move the customer database", "stakes": "high", "confidence": 0.4},
		"Move the customer database, with high stakes and a confidence of 0.4?", formatVerdict},
	{"", "check_action", map[string]any{"description": "Roll 2.0 out to everybody",
		"context": map[string]any{"rolloutPercent": 100}},
		"Roll 2.0 out to everybody?", formatVerdict},
	{"", "check_action", map[string]any{"description": "Roll 2.0 out to a tenth of the users",
		"context": map[string]any{"rolloutPercent": 10}},
		"Roll 2.0 out to a tenth of the users?", formatVerdict},
	{"A script reads a live threshold; a misspelled name is an error, never a default:", "get_threshold",
		map[string]any{"name": "rollout_percent_first"},
		"rollout_percent_first?", formatThreshold},
	{"", "get_threshold", map[string]any{"name": "rollout_percent_frist"}, "rollout_percent_frist?", formatThreshold},
	{"An agent finds earlier decisions and their links:", "query_decisions",
		map[string]any{"query": "what should happen when the database does not answer", "limit": 2},
		"What should happen when the database does not answer?", formatPrecedents},
	{"", "get_graph", map[string]any{"depth": 1}, "Which decisions are linked to the first one?",
		formatGraph}, // the tour adds the id
}

const next = `
The demo has a graph of its own; %[1]s demo --clean removes it.
See how its decisions link: NOMOGRAPH_ENGINE_DIR=%[2]s %[1]s open

In your own graph:
  %[1]s policy apply core releases
  %[1]s threshold set rollout_percent_first 25 --reason "trying it out"     # every reader gets it with the next call
Set up a repository:    %[1]s init                (a pack with cases, Cursor's entry and hooks)
Connect Cursor:         %[1]s install cursor      (this checkout has a .cursor/mcp.json)
Read from a script:     %[1]s threshold get rollout_percent_first --value
Find problems:          %[1]s doctor
`

// Guide configures the tour.
type Guide struct {
	Version string   // version of this program
	Opening string   // first line for people
	Raw     bool     // print complete MCP requests and responses only
	Folder  string   // of the engine with the samples
	Environ []string // environment variables that make the server use it
}

// Run starts `nomograph serve` as a client would, and sends the calls of the tour.
func Run(ctx context.Context, w io.Writer, guide Guide) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("own path: %w", err)
	}
	c, err := mcpclient.NewStdioMCPClient(self, append(os.Environ(), guide.Environ...), "serve")
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	defer func() { _ = c.Close() }()
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "nomograph demo", Version: guide.Version}
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	info, err := c.Initialize(ctx, hello)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	if !guide.Raw {
		fmt.Fprintf(w, "%sThe MCP server %q (protocol %s) answers as it would answer an agent.\n", guide.Opening,
			info.ServerInfo.Name, info.ProtocolVersion)
	}
	first := ""
	for _, q := range questions {
		if q.tool == "get_graph" {
			if first == "" {
				continue
			}
			q.arguments = map[string]any{"node_id": first, "depth": 1}
		}
		answer, failed, err := printAnswer(ctx, c, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.tool, err)
		}
		if found := gjson.GetBytes(answer, "decisions.0.id"); found.Exists() {
			first = found.String()
		}
		if guide.Raw {
			err = printCall(w, q, answer)
		} else {
			err = q.print(w, answer, failed)
		}
		if err != nil {
			return err
		}
	}
	if !guide.Raw {
		// the path as called, since the program may not be in the PATH yet
		fmt.Fprintf(w, next, os.Args[0], guide.Folder)
	}
	return nil
}

// printAnswer returns the answer as JSON, and whether it is an error.
func printAnswer(ctx context.Context, c *mcpclient.Client, q question) (answer []byte, failed bool, err error) {
	operation, ok := tools.Find(tools.Catalog, q.tool)
	if !ok {
		return nil, false, apperr.Newf(apperr.Internal, "The tour calls the unknown operation %s", q.tool)
	}
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = operation.Name, q.arguments
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return nil, false, err
	}
	if !result.IsError {
		answer, err = json.Marshal(result.StructuredContent)
		return answer, false, err
	}
	text, _ := result.Content[0].(mcp.TextContent)
	return []byte(text.Text), true, nil
}

func printCall(w io.Writer, q question, answer []byte) error {
	arguments, err := json.Marshal(q.arguments)
	if err != nil {
		return err
	}
	pretty, err := render.IndentedJSON(json.RawMessage(answer))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n> %s %s\n%s\n", q.tool, arguments, pretty)
	return err
}

func (q question) print(w io.Writer, answer []byte, failed bool) error {
	notify := q.tell
	if failed {
		notify = formatError
	}
	text, err := notify(answer)
	if err != nil {
		return err
	}
	if q.chapter != "" {
		fmt.Fprintf(w, "\n%s\n", q.chapter)
	}
	_, err = fmt.Fprintf(w, "  %s\n      %s\n", q.say, strings.ReplaceAll(text, "\n", "\n      "))
	return err
}

func formatError(answer []byte) (string, error) {
	var f apperr.Error
	if err := json.Unmarshal(answer, &f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %s\n%s", f.Code, f.Message, f.Hint), nil
}

func formatVerdict(answer []byte) (string, error) {
	var verdict check.Verdict
	if err := json.Unmarshal(answer, &verdict); err != nil {
		return "", err
	}
	if verdict.Allowed {
		return fmt.Sprintf("allowed: none of %d rules is violated", verdict.Evaluated), nil
	}
	lines := []string{}
	for _, o := range verdict.Violations {
		lines = append(lines, fmt.Sprintf("denied by %s: %s", o.GuardrailID, strings.TrimSpace(o.Message)))
		if len(o.Alternatives) > 0 {
			lines = append(lines, "instead: "+o.Alternatives[0])
		}
	}
	return strings.Join(lines, "\n"), nil
}

func formatThreshold(answer []byte) (string, error) {
	var threshold struct {
		Value           any
		Unit, Rationale string
	}
	err := json.Unmarshal(answer, &threshold)
	return fmt.Sprintf("%v %s: %s", threshold.Value, threshold.Unit, threshold.Rationale), err
}

func formatPrecedents(answer []byte) (string, error) {
	var found struct {
		Decisions []struct{ ID, Title, Outcome string }
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return "", err
	}
	lines := make([]string, len(found.Decisions))
	for i, d := range found.Decisions {
		lines[i] = d.ID + "  " + d.Title
	}
	return strings.Join(lines, "\n"), nil
}

func formatGraph(answer []byte) (string, error) {
	var found links.Graph
	if err := json.Unmarshal(answer, &found); err != nil {
		return "", err
	}
	title := map[string]string{}
	for _, node := range found.Nodes {
		title[node.ID] = node.Title
	}
	var lines []string
	for _, edge := range found.Edges {
		if lines = append(lines, fmt.Sprintf("%s %s %s", title[edge.SourceID],
			strings.ReplaceAll(edge.EdgeType, "_", " "), title[edge.TargetID])); len(lines) == 3 {
			break
		}
	}
	return strings.Join(lines, "\n"), nil
}
