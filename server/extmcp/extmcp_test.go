package extmcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/types/known/structpb"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
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
	for _, row := range golden.Rows(t, "testdata/requests.txt") {
		name, token, code, reason := row[0], row[1], row[6], row[7]
		params := strings.Replace(row[5], "LONG", strings.Repeat("x", 2<<20), 1)
		if binary, err := strconv.Unquote(params); err == nil {
			params = binary
		}
		sent := request(row[3], row[4], params)
		if user, agent, ok := strings.Cut(row[2], " "); ok {
			sent = by(user, agent, sent)
		}
		got, err := ask(token, "CheckRequest", sent)
		if err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
			continue
		}
		if passes := got.GetPass() != nil; passes != (reason == "") || !passes && got.GetError().GetCode().
			String() != code ||
			!strings.Contains(got.GetError().GetReason(), reason) {
			t.Errorf("%s: got %v, want %s %q", name, got, code, reason)
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
	graphtest.Equal(t, string(got.GetError().GetMcpError()), fmt.Sprintf(`{"verdict_id":"%v"}`, rows[0]["uid"]), "data")
	row := fmt.Sprint(rows[0])
	graphtest.Contains(t, row, "[bot gateway agentgateway ada]", "session-7", `"tier":3`)
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
