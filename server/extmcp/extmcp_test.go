package extmcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/structpb"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/server/extmcp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const rules = `CREATE
	(:SYS_Policy {name: 'no-drop', active: true, severity: 'block', actions: ['mcp.call'], message: 'Tables stay', alternatives: ['archive them'],
		requires: '!(action.params.tool == "drop_table" && action.params.server == "db")'}),
	(:SYS_Policy {name: 'no-etc', active: true, severity: 'block', actions: ['mcp.call'], message: 'Configuration is private',
		requires: '!("credentials" in action.params.reads_of)'}),
	(:SYS_Policy {name: 'ask', active: true, severity: 'approve', actions: ['mcp.call'], requires: 'action.params.tool != "refund"', message: 'A person must agree'}),
	(:SYS_Policy {name: 'frozen', active: true, severity: 'block', requires: '!("eve" in action.actors)', message: 'Frozen'})`

// serve serves the endpoint and returns a way to call it over gRPC as the gateway does, with unencrypted HTTP/2.
func serve(t *testing.T, runner tools.Runner) func(token, method string,
	r *extmcp.McpRequest) (*extmcp.McpRequestResult, error) {
	t.Helper()
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(),
		Authenticate: func(r *http.Request) (caller.Caller, error) {
			switch r.Header.Get("Authorization") {
			case "Bearer gateway":
				return caller.Caller{Name: "gateway", Authenticated: true,
						Permissions: []caller.Permission{caller.Read}},
					nil
			case "Bearer nothing":
				return caller.Caller{Name: "nothing", Authenticated: true}, nil
			}
			return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The request has no token")
		}})
	extmcp.New(runner).Serve(s)
	h := httptest.NewUnstartedServer(s.Handler())
	h.Config.Protocols = new(http.Protocols)
	h.Config.Protocols.SetUnencryptedHTTP2(true)
	h.Start()
	t.Cleanup(h.Close)
	clear := &http.Transport{Protocols: new(http.Protocols)}
	clear.Protocols.SetUnencryptedHTTP2(true)
	return func(token, method string, r *extmcp.McpRequest) (*extmcp.McpRequestResult, error) {
		request := connect.NewRequest(r)
		request.Header().Set("Authorization", "Bearer "+token)
		answer, err := connect.NewClient[extmcp.McpRequest, extmcp.McpRequestResult](&http.Client{Transport: clear},
			h.URL+"/agentgateway.dev.ext_mcp.ExtMcp/"+method, connect.WithGRPC()).CallUnary(t.Context(), request)
		if err != nil {
			return nil, err
		}
		return answer.Msg, nil
	}
}

func request(services, method, params string) *extmcp.McpRequest {
	r := &extmcp.McpRequest{ServiceNames: strings.Fields(services), Method: method}
	if params != "" {
		r.McpRequest = []byte(params)
	}
	return r
}

func by(user, agent string, r *extmcp.McpRequest) *extmcp.McpRequest {
	r.MetadataContext, _ = structpb.NewStruct(map[string]any{"user": user, "agent": agent, "tier": 3})
	r.Headers = []*extmcp.McpHeader{{Key: "authorization", Value: []byte("Bearer secret-of-the-user")},
		{Key: "Mcp-Session-Id", Value: []byte("session-7")}}
	return r
}

func TestCheckRequest_Requests_PassOrAreRefused(t *testing.T) {
	g, app := toolstest.Open(t)
	g.Exec(t, rules, nil)
	ask := serve(t, app.Runner())
	const denied, invalid = extmcp.AuthorizationError_PERMISSION_DENIED, extmcp.AuthorizationError_INVALID
	for _, tt := range []struct {
		name, token string
		request     *extmcp.McpRequest
		code        extmcp.AuthorizationError_Code
		reason      string // "" if the request passes
	}{
		{"call", "gateway", request("db", "tools/call",
			`{"name":"list_tables","arguments":{},"_meta":{"progressToken":1}}`), 0, ""},
		{"denied call", "gateway", request("db", "tools/call", `{"name":"drop_table","arguments":{"table":"users"}}`),
			denied, "Policy no-drop: Tables stay. Instead: archive them."},
		{"same tool of another server", "gateway", request("notes", "tools/call",
			`{"name":"drop_table","arguments":{}}`), 0, ""},
		{"effects of arguments", "gateway", request("files", "tools/call",
			`{"name":"read","arguments":{"path":"/etc/shadow"}}`), denied, "Policy no-etc"},
		{"approval", "gateway", request("shop", "tools/call", `{"name":"refund"}`), denied, "A person must agree"},
		{"resource", "gateway", request("files", "resources/read", `{"uri":"file:///etc/shadow"}`), denied,
			"Policy no-etc"},
		{"prompt", "gateway", request("p", "prompts/get", `{"name":"review","arguments":{"a":"b"}}`), 0, ""},
		{"unknown method", "gateway", request("p", "tasks/cancel", `{"taskId":"1"}`), 0, ""},
		{"no parameters", "gateway", request("p", "logging/setLevel", ""), 0, ""},
		{"null parameters", "gateway", request("p", "logging/setLevel", "null"), 0, ""},
		{"list", "nothing", request("a b c", "tools/list", ""), 0, ""},
		{"handshake", "nothing", request("a b", "initialize", `{"protocolVersion":"2025-06-18"}`), 0, ""},
		{"frozen agent", "gateway", by("ada", "Eve", request("db", "tools/call", `{"name":"list_tables"}`)), denied,
			"Policy frozen: Frozen."},
		{"frozen user", "gateway", by("EVE", "bot", request("db", "tools/call", `{"name":"list_tables"}`)), denied,
			"Policy frozen: Frozen."},
		{"no server", "gateway", request("", "tools/call", `{"name":"bash","arguments":{"command":"ls"}}`), 0, ""},
		{"no name", "gateway", request("db", "tools/call", `{"arguments":{}}`), invalid, "could not be checked"},
		{"name is no text", "gateway", request("db", "tools/call", `{"name":["a"]}`), invalid, "could not be checked"},
		{"arguments are a list", "gateway", request("db", "tools/call", `{"name":"x","arguments":[1]}`), invalid,
			"could not be checked"},
		{"two names", "gateway", request("db", "tools/call", `{"name":"drop_table","name":"list_tables"}`), invalid,
			"could not be checked"},
		{"no JSON", "gateway", request("db", "tools/call", `{"name":`), invalid, "could not be checked"},
		{"two values", "gateway", request("db", "tools/call", `{"name":"x"} {"name":"drop_table"}`), invalid,
			"could not be checked"},
		{"structure of older gateways", "gateway", request("db", "tools/call",
			"\n\x10\n\x04name\x12\x08\x1a\x06delete"), invalid, "could not be checked"},
		{"no method", "gateway", request("db", "", `{}`), invalid, "could not be checked"},
		{"facts over the limit", "gateway", request("db", "x", `{"a":"`+strings.Repeat("x", 2<<20)+`"}`), invalid,
			"could not be checked"},
		{"no permission", "nothing", request("db", "tools/call", `{"name":"list_tables"}`), denied,
			"could not be checked"},
	} {
		got, err := ask(tt.token, "CheckRequest", tt.request)
		if err != nil {
			t.Errorf("%s: got %v, want no error", tt.name, err)
			continue
		}
		if passes := got.GetPass() != nil; passes != (tt.reason == "") || got.GetError().GetCode() != tt.code ||
			!strings.Contains(got.GetError().GetReason(), tt.reason) {
			t.Errorf("%s: got %v, want %s %q", tt.name, got, tt.code, tt.reason)
		}
	}
	for token, want := range map[string]connect.Code{"wrong": connect.CodeUnauthenticated,
		"gateway": connect.CodeResourceExhausted} {
		if _, err := ask(token, "CheckRequest", request("db", "tools/call", `{"a":"`+strings.Repeat("x", 5<<20)+
			`"}`)); connect.CodeOf(err) != want {
			t.Errorf("5 MB with the token %s: got %v, want %s", token, err, want)
		}
	}
	if got, err := ask("gateway", "CheckResponse", &extmcp.McpRequest{}); err != nil || got.GetPass() == nil {
		t.Errorf("a response: got %v, %v, want a pass", got, err)
	}
}

func TestCheckRequest_Verdict_NamesWhoActs(t *testing.T) {
	g, app := toolstest.Open(t)
	g.Exec(t, rules, nil)
	got, err := serve(t, app.Runner())("gateway", "CheckRequest", by("ada", "bot",
		request("db", "tools/call", `{"name":"drop_table","arguments":{"password":"hunter2-Zx9-gT81"}}`)))
	rows := g.Rows(t, "MATCH (v:Verdict) RETURN v.uid AS uid, v.agent AS agent, v.actors AS actors, v.inputs AS inputs",
		nil)
	if err != nil || len(rows) != 1 {
		t.Fatalf("got %v, %v and the verdicts %v", got, err, rows)
	}
	if want := fmt.Sprintf(`{"verdict_id":"%v"}`, rows[0]["uid"]); string(got.GetError().GetMcpError()) != want {
		t.Errorf("got the data %s, want %s", got.GetError().GetMcpError(), want)
	}
	row := fmt.Sprint(rows[0])
	for _, want := range []string{"[bot gateway agentgateway ada]", "session-7", `"tier":3`} {
		if !strings.Contains(row, want) {
			t.Errorf("%s is missing in %s", want, row)
		}
	}
	if strings.Contains(row, "hunter2") || strings.Contains(row, "secret-of-the-user") {
		t.Errorf("a secret is stored: %s", row)
	}
}

func TestCheckRequest_NoDatabase_IsRefused(t *testing.T) {
	ask := serve(t, toolstest.App(t, toolstest.Unavailable(t)).Runner())
	got, err := ask("gateway", "CheckRequest", request("db", "tools/call", `{"name":"list_tables"}`))
	if err != nil || got.GetError().GetCode() != extmcp.AuthorizationError_PERMISSION_DENIED {
		t.Errorf("got %v, %v, want a refusal", got, err)
	}
}
