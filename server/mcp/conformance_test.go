package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	library "github.com/mark3labs/mcp-go/server"
	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/server/mcp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestConformance_OfficialSuite_Passes runs MCP's conformance suite against the whole HTTP server, for the newest
// revision and the one before. Its scenarios call tools, resources and prompts with given names, which are served in
// addition to all operations. testdata/clients/expected-failures.yaml lists the failures with reasons.
func TestConformance_OfficialSuite_Passes(t *testing.T) {
	node, modules := toolstest.NPM(t)
	expected := graphtest.Must(filepath.Abs(filepath.Join("testdata", "clients", "expected-failures.yaml")))(t)
	url := withFixtures(t)
	for _, revision := range []string{"2025-11-25", modern} {
		t.Run(revision, func(t *testing.T) {
			for try := 1; ; try++ { // the scenarios' timeouts may expire on a busy machine; real failures repeat
				cmd := exec.CommandContext(t.Context(), node,
					filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"), "server",
					"--url", url, "--requirements", revision, "--expected-failures", expected)
				cmd.Dir = t.TempDir() // the suite writes files into its directory
				out, err := cmd.CombinedOutput()
				if err == nil && strings.Contains(string(out), "passed") {
					return
				}
				if try == 3 {
					t.Fatalf("got %v, want try other than 3\n%s", err, out)
				}
			}
		})
	}
}

// withFixtures serves all operations except one, with a database that is never reached, and the fixtures of the suite.
func withFixtures(t *testing.T) string {
	t.Helper()
	env := toolstest.App(t, toolstest.Unavailable(t))
	// The suite reads the first listed resource. Without governed sessions, that is a fixture, which needs no database.
	operations := slices.DeleteFunc(slices.Clone(tools.Catalog),
		func(o tools.Operation) bool { return o.Name == "cra_start_session" })
	transport := mcp.New(env.Runner(), mcp.Options{Version: "test", Operations: operations, Log: zerolog.Nop()})
	addFixtures(transport.Library())
	listener := graphtest.Must(server.Listen(t.Context(), "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	s := server.New(server.Options{Address: address, Log: zerolog.Nop(),
		Authenticate: func(*http.Request) (caller.Caller, error) { return caller.Caller{Trusted: true}, nil }})
	s.Handle("/mcp", transport.HTTP())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := graphtest.Receive(t, "the server ends", ended); err != nil {
			t.Error(err)
		}
	})
	return "http://" + address + "/mcp"
}

const (
	onePixel     = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	newestSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object",
		"properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
		"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
		"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`
	oneSample = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
)

func addFixtures(s *library.MCPServer) {
	fixed := func(name string, content ...protocol.Content) {
		s.AddTool(protocol.NewTool(name, protocol.WithDescription("for the conformance suite")),
			func(context.Context, protocol.CallToolRequest) (*protocol.CallToolResult, error) {
				return &protocol.CallToolResult{Content: content}, nil
			})
	}
	embedded := func(uri, kind, text string) protocol.Content {
		return protocol.NewEmbeddedResource(protocol.TextResourceContents{URI: uri, MIMEType: kind, Text: text})
	}
	fixed("test_simple_text", protocol.NewTextContent("This is a simple text response for testing."))
	fixed("test_image_content", protocol.NewImageContent(onePixel, "image/png"))
	fixed("test_audio_content", protocol.NewAudioContent(oneSample, "audio/wav"))
	fixed("test_embedded_resource", embedded("test://embedded-resource", "text/plain",
		"This is an embedded resource content."))
	fixed("test_multiple_content_types", protocol.NewTextContent("Multiple content types test:"),
		protocol.NewImageContent(onePixel, "image/png"),
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))
	fixed("test_logging_tool", protocol.NewTextContent("nothing is logged to clients"))

	s.AddTool(protocol.NewToolWithRawSchema("json_schema_2020_12_tool", "for the conformance suite",
		[]byte(newestSchema)), func(context.Context, protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		return protocol.NewToolResultText("only its schema is looked at"), nil
	})

	calls := func(name string, call library.ToolHandlerFunc) {
		s.AddTool(protocol.NewTool(name, protocol.WithDescription("for the conformance suite")), call)
	}
	text := protocol.NewToolResultText
	calls("test_trigger_tool_change", func(context.Context, protocol.CallToolRequest) (*protocol.CallToolResult,
		error) {
		s.SendNotificationToAllClients(protocol.MethodNotificationToolsListChanged, nil)
		return text("the list of tools changed"), nil
	})
	calls("test_error_handling", func(context.Context, protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		return protocol.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
	calls("test_tool_with_progress", func(ctx context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult,
		error) {
		for done := 0; done <= 100 && r.Params.Meta != nil && r.Params.Meta.ProgressToken != nil; done += 50 {
			err := s.SendNotificationToClient(ctx, "notifications/progress",
				map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": done, "total": 100})
			if err != nil {
				return nil, err
			}
			time.Sleep(10 * time.Millisecond)
		}
		return text("done"), nil
	})
	form := func(message, field, kind string) protocol.ElicitationParams {
		return protocol.ElicitationParams{Mode: protocol.ElicitationModeForm, Message: message,
			RequestedSchema: map[string]any{"type": "object",
				"properties": map[string]any{field: map[string]any{"type": kind}}, "required": []string{field}}}
	}
	sample := func(prompt string, limit int) protocol.CreateMessageParams {
		return protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{{Role: protocol.RoleUser,
			Content: protocol.NewTextContent(prompt)}}, MaxTokens: limit}
	}
	name := form("What is your name?", "name", "string")
	asks := func(_ context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		if reply := answered(r, "user_name"); reply != "" {
			return text("Hello, " + reply + "!"), nil
		}
		return library.NewInputRequestBuilder("").Elicit("user_name", name).ToolResult(), nil
	}
	calls("test_input_required_result_elicitation", asks)
	calls("test_streaming_elicitation", asks)
	calls("test_input_required_result_sampling",
		func(_ context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			if reply := library.SamplingResponse(r.Params.InputResponses, "capital_question"); reply != nil {
				return text(fmt.Sprint("The model says: ", reply.Content)), nil
			}
			return library.NewInputRequestBuilder("").Sample("capital_question",
				sample("What is the capital of France?", 100)).ToolResult(), nil
		})
	calls("test_input_required_result_list_roots",
		func(_ context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			if reply := library.RootsResponse(r.Params.InputResponses, "client_roots"); reply != nil {
				return text(fmt.Sprint("The roots are ", reply.Roots)), nil
			}
			return library.NewInputRequestBuilder("").Roots("client_roots").ToolResult(), nil
		})
	confirmed := func(_ context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		if r.Params.RequestState == "" {
			return library.NewInputRequestBuilder("the-state").
				Elicit("confirm", form("Please confirm", "ok", "boolean")).ToolResult(), nil
		}
		if r.Params.RequestState != "the-state" {
			return nil, protocol.ErrInvalidParams
		}
		return text("state-ok"), nil
	}
	calls("test_input_required_result_request_state", confirmed)
	calls("test_input_required_result_tampered_state", confirmed)
	calls("test_input_required_result_multiple_inputs",
		func(_ context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			if len(r.Params.InputResponses) == 3 {
				return text("all of it came"), nil
			}
			return library.NewInputRequestBuilder("three").Elicit("user_name", name).
				Sample("greeting", sample("Generate a greeting", 50)).Roots("client_roots").ToolResult(), nil
		})
	calls("test_input_required_result_multi_round",
		func(_ context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			switch {
			case r.Params.RequestState == "round-2" && library.ElicitationResponse(r.Params.InputResponses,
				"step2") != nil:
				return text("both rounds are over"), nil
			case r.Params.RequestState == "round-1":
				return library.NewInputRequestBuilder("round-2").
					Elicit("step2", form("Step 2: What is your favorite color?", "color", "string")).ToolResult(), nil
			}
			return library.NewInputRequestBuilder("round-1").
				Elicit("step1", form("Step 1: What is your name?", "name", "string")).ToolResult(), nil
		})
	calls("test_input_required_result_capabilities",
		func(ctx context.Context, _ protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			wanted := library.NewInputRequestBuilder("")
			if can := capabilities(ctx); can.Elicitation != nil {
				wanted.Elicit("user_name", name)
			} else if can.Sampling != nil {
				wanted.Sample("greeting", sample("Generate a greeting", 50))
			}
			return wanted.ToolResult(), nil
		})

	s.AddResource(protocol.NewResource("test://static-text", "static-text", protocol.WithMIMEType("text/plain")),
		func(context.Context, protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
			return []protocol.ResourceContents{protocol.TextResourceContents{URI: "test://static-text",
				MIMEType: "text/plain", Text: "This is the content of the static text resource."}}, nil
		})
	s.AddResource(protocol.NewResource("test://static-binary", "static-binary", protocol.WithMIMEType("image/png")),
		func(context.Context, protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
			return []protocol.ResourceContents{protocol.BlobResourceContents{URI: "test://static-binary",
				MIMEType: "image/png", Blob: onePixel}}, nil
		})
	s.AddResourceTemplate(protocol.NewResourceTemplate("test://template/{id}/data", "template",
		protocol.WithTemplateMIMEType("application/json")),
		func(_ context.Context, r protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return []protocol.ResourceContents{protocol.TextResourceContents{URI: r.Params.URI,
				MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}}, nil
		})

	prompt := func(name string, arguments []string, messages func(map[string]string) []protocol.Content) {
		options := []protocol.PromptOption{protocol.WithPromptDescription("for the conformance suite")}
		for _, a := range arguments {
			options = append(options, protocol.WithArgument(a, protocol.RequiredArgument()))
		}
		s.AddPrompt(protocol.NewPrompt(name, options...),
			func(_ context.Context, r protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
				out := &protocol.GetPromptResult{}
				for _, content := range messages(r.Params.Arguments) {
					out.Messages = append(out.Messages, protocol.NewPromptMessage(protocol.RoleUser, content))
				}
				return out, nil
			})
	}
	prompt("test_simple_prompt", nil, func(map[string]string) []protocol.Content {
		return []protocol.Content{protocol.NewTextContent("This is a simple prompt for testing.")}
	})
	prompt("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []protocol.Content {
		return []protocol.Content{protocol.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'",
			a["arg1"], a["arg2"]))}
	})
	prompt("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []protocol.Content {
		return []protocol.Content{embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing."),
			protocol.NewTextContent("Please process the embedded resource above.")}
	})
	prompt("test_prompt_with_image", nil, func(map[string]string) []protocol.Content {
		return []protocol.Content{protocol.NewImageContent(onePixel, "image/png"),
			protocol.NewTextContent("Please analyze the image above.")}
	})
	s.AddPrompt(protocol.NewPrompt("test_input_required_result_prompt",
		protocol.WithPromptDescription("for the conformance suite")),
		func(_ context.Context, r protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
			if library.ElicitationResponse(r.Params.InputResponses, "user_context") == nil {
				return library.NewInputRequestBuilder("").Elicit("user_context",
					form("What context should the prompt use?", "context", "string")).PromptResult(), nil
			}
			return protocol.NewGetPromptResult("", []protocol.PromptMessage{protocol.NewPromptMessage(protocol.RoleUser,
				protocol.NewTextContent("With that context."))}), nil
		})
}

// answered returns the field name of a person's answer; "" without an answer.
func answered(r protocol.CallToolRequest, id string) string {
	answer := library.ElicitationResponse(r.Params.InputResponses, id)
	if answer == nil {
		return ""
	}
	fields, _ := answer.Content.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

// capabilities returns the capabilities of the calling client.
func capabilities(ctx context.Context) protocol.ClientCapabilities {
	if info := library.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientCapabilities != nil {
		return *info.ClientCapabilities
	}
	return protocol.ClientCapabilities{}
}
