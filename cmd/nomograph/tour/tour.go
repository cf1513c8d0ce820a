// Package tour demonstrates the server to a newcomer over MCP: it starts a server as a client does, and calls tools.
//
//	err := tour.Run(ctx, os.Stdout, tour.Guide{Version: version})
package tour

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"
	"github.com/tidwall/pretty"

	"nomograph/internal/document"
	"nomograph/internal/pattern"
	"nomograph/internal/render"
)

// question is a row of questions.json: one call over MCP, and the text for its answer, in which {field} stands for a
// field of the answer, or of the first rows of the list Each. {field} in an argument stands for one of the answer
// before.
type question struct {
	Chapter   string // heading of a new chapter, or empty
	Tool      string
	Arguments json.RawMessage
	Say       string
	Each      string
	Line      string
}

// questions are three policy checks, a live threshold and a misspelled name, and a search for earlier decisions.
//
//go:embed questions.json
var questionsFile []byte

var questions = document.ShippedJSON[[]question](questionsFile)

var placeholder = pattern.New(`\{[a-z_.0-9]+\}`)

// fill replaces the fields in a text.
func fill(text string, answer gjson.Result) string {
	return placeholder.ReplaceAllStringFunc(text, func(field string) string {
		return strings.TrimSpace(answer.Get(strings.Trim(field, "{}")).String())
	})
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
	var answer gjson.Result
	for _, q := range questions() {
		q.Arguments = []byte(fill(string(q.Arguments), answer))
		text, failed, err := ask(ctx, c, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.Tool, err)
		}
		answer = gjson.ParseBytes(text)
		if failed {
			q.Each, q.Line = "", "{error}: {message}\n{hint}"
		}
		if _, err := io.WriteString(w, q.text(answer, guide.Raw)); err != nil {
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
	request.Params.Name, request.Params.Arguments = q.Tool, q.Arguments
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

// maxRows is the number of rows of a list that are shown.
const maxRows = 4

// text formats a call and its answer, raw or for people.
func (q question) text(answer gjson.Result, raw bool) string {
	if raw {
		shown, _ := render.IndentedJSON(json.RawMessage(answer.Raw)) // the server's JSON
		return fmt.Sprintf("\n> %s %s\n%s\n", q.Tool, pretty.Ugly(q.Arguments), shown)
	}
	lines := []string{fill(q.Line, answer)}
	if q.Each != "" {
		lines = nil
		for _, row := range answer.Get(q.Each).Array() {
			lines = append(lines, fill(q.Line, row))
		}
	}
	told := strings.ReplaceAll(strings.Join(lines[:min(maxRows, len(lines))], "\n"), "\n", "\n      ")
	if q.Chapter != "" {
		q.Chapter = "\n" + q.Chapter + "\n"
	}
	return fmt.Sprintf("%s  %s\n      %s\n", q.Chapter, q.Say, told)
}
