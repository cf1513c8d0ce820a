// Package attacks_test attacks every operation of the catalog at every transport. It starts a server as the program
// does, on a graph in which two projects have nodes of all kinds, and calls it with tokens of every kind. Hidden nodes
// contain a word that no request contains, so an answer with that word is a leak. New operations are covered
// automatically: their arguments follow from the schema, and TestArguments_EveryOperation_AcceptsThem fails if they do
// not.
package attacks_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/reflect/protoreflect"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/server/auth"
	"nomograph/server/authzen"
	"nomograph/server/cstp"
	"nomograph/server/events"
	"nomograph/server/mcp"
	"nomograph/server/ofrep"
	"nomograph/server/pages"
	"nomograph/server/rest"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// Attacker and victim. The secret appears only in requests that store the victim's data.
const (
	attacker      = "shop"         // has all permissions in attackersSite
	attackersSite = "acme/shop"    // the project of the attacker
	victim        = "kumquat-bot"  // has all permissions in victimsSite
	victimsSite   = "kumquat/farm" // the project of the victim
	secret        = "qxzvb"
)

// timeout is far longer than any step takes, even on a busy machine.
const timeout = 2 * time.Minute

// target is a server with all transports, and its graph.
type target struct {
	graph  *graphtest.Graph
	env    *tools.App
	url    string
	pages  []string // path patterns of all pages
	zipped bool     // send compressed bodies
}

// compressing returns the same target with compressed request bodies.
func (s *target) compressing() *target {
	other := *s
	other.zipped = true
	return &other
}

// all returns the operations of all transports: the catalog, and those that only AuthZEN uses.
func all() []tools.Operation {
	return append(append([]tools.Operation{}, tools.Catalog...), tools.AccessOperations...)
}

func tokenOf(name string) string { return "token-of-" + name + "-0123456789" }

// callers returns the configured tokens: one per permission, one per project, and one with all permissions.
func callers() []auth.Static {
	made := []auth.Static{
		{Name: attacker, Permissions: []caller.Permission{caller.Admin}, Projects: []string{attackersSite}},
		{Name: victim, Permissions: []caller.Permission{caller.Admin}, Projects: []string{victimsSite}},
		{Name: "root", Permissions: []caller.Permission{caller.Admin}},
		{Name: "nothing"},
	}
	for _, p := range caller.Permissions {
		made = append(made, auth.Static{Name: "only-" + string(p), Permissions: []caller.Permission{p}})
	}
	for i := range made {
		made[i].Secret = tokenOf(made[i].Name)
	}
	return made
}

// open starts a server on an empty graph.
func open(t *testing.T) *target {
	t.Helper()
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	env := toolstest.App(t, g.DB)
	env.Remember()
	listener := graphtest.Must(server.Listen(t.Context(), "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	counts := tokens.NewUsageCounter(env.Tokens, zerolog.Nop())
	o := auth.Options{Address: address, Required: true, Static: callers(),
		Register: tokens.NewRegistry(env.Tokens, counts, zerolog.Nop()), Counts: counts}
	who := graphtest.Must(auth.New(o))(t)
	metrics := server.NewMetrics()
	env.Watches = []tools.Watch{auth.ObserveCall, metrics.Watch}
	s := server.New(server.Options{Address: address, Authenticate: who.Authenticate, Challenge: who.Challenge,
		Within: who.Counted, Log: zerolog.Nop()})
	s.Handle("/mcp", mcp.New(env.Runner(), mcp.Options{Version: "test", Operations: tools.Catalog, Log: zerolog.Nop()}).
		HTTP())
	rest.New(env.Runner(), rest.Options{Version: "test", Operations: tools.Catalog}).Serve(s)
	text := events.New(env.Runner())
	text.Serve(s)
	ofrep.New(env.Runner(), ofrep.Options{}).Serve(s)
	authzen.New(env.Runner()).Serve(s)
	cstp.New(env.Runner(), cstp.Options{Card: cstp.Card{Name: "node", Version: "test"}, Log: zerolog.Nop()}).Serve(s)
	site := pages.New(env.Runner(), pages.Options{Operations: tools.Catalog, Authenticate: who.Authenticate,
		Sessions: tokens.NewRegistry(env.Tokens, tokens.NewUsageCounter(env.Tokens, zerolog.Nop()), zerolog.Nop()),
		Live:     text, Log: zerolog.Nop()})
	site.Serve(s)
	s.Handle("GET /metrics", metrics.Handler())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		graphtest.Receive(t, "the server ends", ended)
	})
	return &target{graph: g, env: env, url: "http://" + address, pages: site.Paths()}
}

// reply is a complete response.
type reply struct {
	status int
	text   string // headers and body
	body   string
}

// refused reports whether the caller was denied access.
func (r reply) refused() bool {
	for _, body := range []string{"permission_denied", `"code":-32009`, "needs the permission",
		"covers all projects"} { // the last two come from operations that answer in prose
		if strings.Contains(r.body, body) {
			return true
		}
	}
	return r.status == http.StatusForbidden
}

// send sends a request with a token. It retries if a busy machine did not answer in time.
func (s *target) send(t *testing.T, as, method, path, body string, headers ...string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout) // also ends streams that were opened by mistake
	defer cancel()
	for {
		if r := s.once(ctx, t, as, method, path, body, headers...); r.status != http.StatusGatewayTimeout {
			return r
		}
	}
}

// attackers keeps a connection for each of the simultaneous requests; the default client would open a new one for most
// of them.
var attackers = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: race}}

func (s *target) once(ctx context.Context, t *testing.T, as, method, path, body string, headers ...string) reply {
	t.Helper()
	plain := body
	if s.zipped && body != "" {
		body = compressed(t, body)
	}
	r := graphtest.Must(http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body)))(t)
	if body != plain {
		r.Header.Set("Content-Encoding", "gzip")
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Authorization", "Bearer "+tokenOf(as))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := attackers.Do(r)
	graphtest.OK(t, err)
	defer answer.Body.Close()
	text := graphtest.Must(io.ReadAll(answer.Body))(t)
	var all bytes.Buffer
	_ = answer.Header.Write(&all)
	return reply{answer.StatusCode, all.String() + string(text), string(text)}
}

// transport sends a call of an operation; it returns false if it does not serve the operation.
type transport struct {
	name string
	send func(t *testing.T, s *target, as string, o tools.Operation, arguments map[string]any) (reply, bool)
}

const revision = "2026-07-28"

// mcpRequest sends an MCP request.
func (s *target) mcpRequest(t *testing.T, as, method string, params map[string]any) reply {
	t.Helper()
	params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": revision,
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "suite", "version": "1"}}
	headers := []string{"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", revision, "Mcp-Method",
		method}
	for _, of := range []string{"name", "uri"} {
		if name, ok := params[of].(string); ok {
			headers = append(headers, "Mcp-Name", name)
		}
	}
	return s.send(t, as, http.MethodPost, "/mcp",
		text(t, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), headers...)
}

// service is the path prefix of the gRPC methods as Connect JSON.
const service = "/nomograph.cstp.v1.CstpService/"

var transports = []transport{
	{"REST", func(t *testing.T, s *target, as string, o tools.Operation, arguments map[string]any) (reply, bool) {
		return s.send(t, as, http.MethodPost, "/api/v1/tools/"+o.Name, text(t, arguments)), o.REST != ""
	}},
	{"REST by path", func(t *testing.T, s *target, as string, o tools.Operation, arguments map[string]any) (reply,
		bool) {
		method, path, served := strings.Cut(o.REST, " ")
		if !served {
			return reply{}, false
		}
		rest := maps.Clone(arguments)
		path = placeholder.ReplaceAllStringFunc(path, func(named string) string {
			value := escaped(fmt.Sprint(rest[named[1:len(named)-1]]))
			delete(rest, named[1:len(named)-1])
			return value
		})
		if method != http.MethodGet && method != http.MethodDelete {
			return s.send(t, as, method, "/api"+path, text(t, rest)), true
		}
		query := url.Values{}
		for name, value := range rest {
			switch v := value.(type) {
			case map[string]any:
				for field, inner := range v {
					query.Set(name+"["+field+"]", fmt.Sprint(inner))
				}
			case []any:
				for _, item := range v {
					query.Add(name, fmt.Sprint(item))
				}
			default:
				query.Set(name, fmt.Sprint(v))
			}
		}
		return s.send(t, as, method, "/api"+path+"?"+query.Encode(), ""), true
	}},
	{"MCP", func(t *testing.T, s *target, as string, o tools.Operation, arguments map[string]any) (reply, bool) {
		if o.REST == "" {
			return reply{}, false
		}
		return s.mcpRequest(t, as, "tools/call", map[string]any{"name": o.Name, "arguments": arguments}), true
	}},
	{"CSTP", func(t *testing.T, s *target, as string, o tools.Operation, arguments map[string]any) (reply, bool) {
		if o.CSTP == "" {
			return reply{}, false
		}
		return s.send(t, as, http.MethodPost, "/cstp",
			text(t, map[string]any{"jsonrpc": "2.0", "id": 1, "method": o.CSTP, "params": arguments})), true
	}},
	{"gRPC", func(t *testing.T, s *target, as string, o tools.Operation, arguments map[string]any) (reply, bool) {
		method := methodOf(o)
		if method == nil {
			return reply{}, false
		}
		known := map[string]any{}
		for name, value := range arguments {
			if method.Input().Fields().ByName(protoreflect.Name(name)) != nil {
				known[name] = value
			}
		}
		return s.send(t, as, http.MethodPost, service+string(method.Name()), text(t, known)), true
	}},
	{"AuthZEN", func(t *testing.T, s *target, as string, o tools.Operation, arguments map[string]any) (reply, bool) {
		about := map[string]any{}
		if project, ok := arguments["project"]; ok {
			about["project"] = project
		}
		question := map[string]any{"subject": map[string]any{"type": "user", "id": "u"},
			"action": map[string]any{"name": "deploy"}, "resource": map[string]any{"type": "r", "id": "r"},
			"context": about}
		switch o.Name {
		case "check_action":
			return s.send(t, as, http.MethodPost, "/access/v1/evaluation", text(t, question)), true
		case "judge_access":
			about["approval"] = map[string]any{"id": arguments["approval_id"]}
			return s.send(t, as, http.MethodPost, "/access/v1/evaluation", text(t, question)), true
		case "request_access":
			question["denial"] = map[string]any{"evaluation_id": arguments["evaluation_id"]}
			return s.send(t, as, http.MethodPost, "/access/v1/requests", text(t, question)), true
		case "get_access_request":
			id, _ := arguments["approval_id"].(string)
			return s.send(t, as, http.MethodGet, "/access/v1/requests/"+escaped(id), ""), true
		}
		return reply{}, false
	}},
	{"OFREP", func(t *testing.T, s *target, as string, o tools.Operation, arguments map[string]any) (reply, bool) {
		name, _ := arguments["name"].(string)
		switch o.Name {
		case "get_threshold":
			return s.send(t, as, http.MethodPost, "/ofrep/v1/evaluate/flags/"+escaped(name), `{"context": {}}`), true
		case "get_policy":
			return s.send(t, as, http.MethodPost, "/ofrep/v1/evaluate/flags/policy:"+escaped(name), `{"context": {}}`),
				true
		case "list_thresholds":
			return s.send(t, as, http.MethodPost, "/ofrep/v1/evaluate/flags", `{"context": {}}`), true
		}
		return reply{}, false
	}},
}

// methodOf returns the gRPC method of an operation. The service uses the names of CSTP.
func methodOf(o tools.Operation) protoreflect.MethodDescriptor {
	methods := cstp.Service().Methods()
	for i := range methods.Len() {
		name := []rune(string(methods.Get(i).Name()))
		name[0] = unicode.ToLower(name[0])
		if o.CSTP == "cstp."+string(name) {
			return methods.Get(i)
		}
	}
	return nil
}

func text(t *testing.T, value any) string {
	t.Helper()
	out := graphtest.Must(json.Marshal(value))(t)
	return string(out)
}

func compressed(t *testing.T, body string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	graphtest.Must(w.Write([]byte(body)))(t)
	graphtest.OK(t, w.Close())
	return out.String()
}

// atOnce is the number of parallel requests.
const atOnce = 8

// each calls work for all items in parallel.
func each[T any](items []T, work func(T)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, item := range items {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			work(item)
		})
	}
	wait.Wait()
}
