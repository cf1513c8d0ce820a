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

	"nomograph/internal/render"
)

// question is one call over MCP, with a function that formats the answer.
type question struct {
	chapter   string // heading of a new chapter, or empty
	tool      string
	arguments map[string]any
	say       string
	tell      func(answer gjson.Result) string
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
		answer, failed, err := ask(ctx, c, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.tool, err)
		}
		if found := gjson.GetBytes(answer, "decisions.0.id"); found.Exists() {
			first = found.String()
		}
		text, err := q.text(answer, failed, guide.Raw)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	if !guide.Raw {
		// the path as called, since the program may not be in the PATH yet
		fmt.Fprintf(w, next, os.Args[0], guide.Folder)
	}
	return nil
}

// ask returns the answer as JSON, and whether it is an error.
func ask(ctx context.Context, c *mcpclient.Client, q question) (answer []byte, failed bool, err error) {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = q.tool, q.arguments
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

// text formats a call and its answer, raw or for people.
func (q question) text(answer []byte, failed, raw bool) (string, error) {
	if raw {
		arguments, err := json.Marshal(q.arguments)
		if err != nil {
			return "", err
		}
		pretty, err := render.IndentedJSON(json.RawMessage(answer))
		return fmt.Sprintf("\n> %s %s\n%s\n", q.tool, arguments, pretty), err
	}
	tell, chapter := q.tell, ""
	if failed {
		tell = formatError
	}
	if q.chapter != "" {
		chapter = "\n" + q.chapter + "\n"
	}
	told := strings.ReplaceAll(tell(gjson.ParseBytes(answer)), "\n", "\n      ")
	return fmt.Sprintf("%s  %s\n      %s\n", chapter, q.say, told), nil
}

func formatError(answer gjson.Result) string {
	return fmt.Sprintf("%s: %s\n%s", answer.Get("error"), answer.Get("message"), answer.Get("hint"))
}

func formatVerdict(answer gjson.Result) string {
	if answer.Get("allowed").Bool() {
		return fmt.Sprintf("allowed: none of %s rules is violated", answer.Get("evaluated"))
	}
	var lines []string
	for _, o := range answer.Get("violations").Array() {
		lines = append(lines, fmt.Sprintf("denied by %s: %s", o.Get("guardrail_id"),
			strings.TrimSpace(o.Get("message").String())))
		if instead := o.Get("alternatives.0"); instead.Exists() {
			lines = append(lines, "instead: "+instead.String())
		}
	}
	return strings.Join(lines, "\n")
}

func formatThreshold(answer gjson.Result) string {
	return fmt.Sprintf("%s %s: %s", answer.Get("value"), answer.Get("unit"), answer.Get("rationale"))
}

func formatPrecedents(answer gjson.Result) string {
	var lines []string
	for _, d := range answer.Get("decisions").Array() {
		lines = append(lines, d.Get("id").String()+"  "+d.Get("title").String())
	}
	return strings.Join(lines, "\n")
}

// formatGraph lists the first links.
func formatGraph(answer gjson.Result) string {
	title := map[string]string{}
	for _, node := range answer.Get("nodes").Array() {
		title[node.Get("id").String()] = node.Get("title").String()
	}
	edges := answer.Get("edges").Array()
	lines := make([]string, min(3, len(edges)))
	for i := range lines {
		source, target := title[edges[i].Get("source_id").String()], title[edges[i].Get("target_id").String()]
		lines[i] = source + " " + strings.ReplaceAll(edges[i].Get("edge_type").String(), "_", " ") + " " + target
	}
	return strings.Join(lines, "\n")
}
