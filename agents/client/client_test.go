package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nomograph/agents/client"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

// listing parses a file of agents.
func listing(t *testing.T, text string) client.AgentList {
	t.Helper()
	l := graphtest.Must(client.NewDirectory(written(t, text)).Read())(t)
	return l
}

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agents.yaml")
	graphtest.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// agent serves a handler and returns it as an agent.
func agent(t *testing.T, settings string, handle http.HandlerFunc) client.Agent {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return listing(t, fmt.Sprintf("agents: [{name: peer, url: %q, token: %q%s}]", server.URL, token,
		settings)).Agents[0]
}

const token = "not-a-real-token-0123456789"

// answered writes the response to a call with the given result.
func answered(w http.ResponseWriter, r *http.Request, result string) {
	var call struct{ ID json.RawMessage }
	_ = json.NewDecoder(r.Body).Decode(&call)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, call.ID, result)
}

func TestReadAgentsFile_FileOfTheDesign_IsAccepted(t *testing.T) {
	t.Setenv("CSTP_TOKEN_SECURITY", token)
	l := listing(t, `
agents:
  - name: "security-policy"
    url: "https://security.example.com"
    token: "${CSTP_TOKEN_SECURITY}"
  - name: "claude-ops"
    url: "https://claude-ops.example.com/cstp/"
    token: "${CSTP_TOKEN_CLAUDE}"

defaults:
  timeout_seconds: 30
  retry_count: 3
`)
	if len(l.Agents) != 2 || l.Agents[0].Timeout != 30*time.Second || l.Agents[1].Retries != 3 ||
		l.Agents[1].URL != "https://claude-ops.example.com" || l.Agents[0].NoAnswer != client.Block {
		t.Errorf("got %+v, want len(Agents)=2, Timeout=%v, Retries=3, URL=https://claude-ops.example.com, NoAnswer=%v",
			l, 30*time.Second, client.Block)
	}
	err := client.New("test").Call(t.Context(), l.Agents[1], "cstp.ready", nil, nil)
	if !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), "${CSTP_TOKEN_CLAUDE}, which is not set") {
		t.Errorf("a token that is not set: %v", err)
	}
	if strings.Contains(fmt.Sprintf("%v %s", l, l.Agents[0].Name), "secret") {
		t.Error("a token is shown")
	}
}

func TestReadAgentsFile_InvalidFile_FailsWithoutShowingTokens(t *testing.T) {
	for name, text := range map[string]string{
		"no address":           "agents: [{name: a, token: SECRET-SECRET-SECRET}]",
		"a password in it":     "agents: [{name: a, url: 'https://me:SECRET-SECRET-SECRET@a.example'}]",
		"a key there is not":   "agents: [{name: a, url: 'https://a.example', tokn: SECRET-SECRET-SECRET}]",
		"twice":                "agents: [{name: a, url: 'https://a.example'}, {name: A, url: 'https://b.example'}]",
		"no YAML":              "agents: [{name: SECRET-SECRET-SECRET",
		"no such default":      "defaults: {timeout: 3}",
		"a time-out for ever":  "defaults: {timeout_seconds: 100000}",
		"no such no_answer":    "agents: [{name: a, url: 'https://a.example', no_answer: allow}]",
		"another part":         "server: {port: 1}",
		"a registry of no one": "registries: [7]",
		"polled all the time":  "defaults: {poll_minutes: 0.1}",
		"asked about nothing":  "agents: [{name: a, url: 'https://a.example', poll_queries: [7]}]",
	} {
		_, err := client.NewDirectory(written(t, text)).Read()
		if !apperr.Is(err, apperr.Validation) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: got %v, want %s, error without SECRET", name, err, apperr.Validation)
		}
	}
	if l, err := client.NewDirectory(filepath.Join(t.TempDir(), "none.yaml")).Read(); err != nil || len(l.Agents) != 0 {
		t.Errorf("no file: %v, %v", l, err)
	}
	path := written(t, "agents: [{name: a, url: 'https://a.example', token: "+token+"}]")
	graphtest.OK(t, os.Chmod(path, 0o644))
	l := graphtest.Must(client.NewDirectory(path).Read())(t)
	if err := client.New("").Call(t.Context(), l.Agents[0], "x", nil, nil); err == nil ||
		!strings.Contains(err.Error(), "others can read") || strings.Contains(err.Error(), token) {
		t.Errorf("a token that others can read: %v", err)
	}
}

func TestToken_OtherAddress_IsNotSent(t *testing.T) {
	var got atomic.Value
	a := agent(t, "", func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("Authorization"))
		answered(w, r, `"result":{}`)
	})
	var out map[string]any
	l := client.AgentList{Agents: []client.Agent{a}}
	for name, tt := range map[string]struct{ address, want string }{
		"the same under another name": {a.URL, "Bearer " + token},
		"elsewhere":                   {a.URL + "/other", ""},
	} {
		if err := client.New("").Call(t.Context(), l.Lookup("another", tt.address), "x", nil, &out); err != nil ||
			got.Load() != tt.want {
			t.Errorf("%s: got %v, %v, want %v", name, got.Load(), err, tt.want)
		}
	}
	far := l.Lookup("far", "http://agent.example.com")
	if err := client.New("").Call(t.Context(), client.AgentList{Agents: []client.Agent{a}}.Lookup("a", a.URL), "x", nil,
		&out); err != nil {
		t.Error(err)
	}
	if err := client.New("").Call(t.Context(), far, "x", nil,
		&out); err == nil { // allowed without a token, but the host does not exist
		t.Error("a missing agent answered")
	}
	plain := listing(t, "agents: [{name: far, url: 'http://agent.example.com', token: "+token+"}]").Agents[0]
	if err := client.New("").Call(t.Context(), plain, "x", nil, &out); !apperr.Is(err, apperr.Validation) ||
		!strings.Contains(err.Error(), "the call was not made") {
		t.Errorf("a token over an unencrypted connection: %v", err)
	}
}

// TestCall_MisbehavingAgent_Fails checks that a call ends within its timeout with an error that explains the cause,
// for every kind of invalid answer.
func TestCall_MisbehavingAgent_Fails(t *testing.T) {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	for name, tt := range map[string]struct {
		handle http.HandlerFunc
		code   apperr.Code
		says   string
		dead   bool
	}{
		"hangs": {func(_ http.ResponseWriter, r *http.Request) { hang(r, over) }, apperr.Unavailable,
			"did not answer within 300ms", true},
		"drips": {func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "{")
			w.(http.Flusher).Flush()
			hang(r, over)
		}, apperr.Unavailable, "did not answer within 300ms", true},
		"dies midway": {func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"jsonrpc":"2.0",`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, apperr.Unavailable, "Cannot reach", true},
		"garbage": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>"+token) },
			apperr.Unavailable, "not CSTP", true},
		"another's id": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"jsonrpc":"2.0","id":"7","result":{}}`)
		}, apperr.Unavailable, "not CSTP", true},
		"both": {func(w http.ResponseWriter, r *http.Request) {
			answered(w, r, `"result":{},"error":{"code":1,"message":"x"}`)
		}, apperr.Unavailable, "not CSTP", true},
		"neither": {func(w http.ResponseWriter, r *http.Request) { answered(w, r, `"x":1`) }, apperr.Unavailable,
			"not CSTP", true},
		"50 MB": {func(w http.ResponseWriter, _ *http.Request) { flood(w) }, apperr.Unavailable, "larger than 4 MB",
			true},
		"leads away": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/cstp", http.StatusTemporaryRedirect)
		}, apperr.Unavailable, "307", true},
		"no /cstp": {http.NotFound, apperr.NotFound, "has no /cstp", false},
		"refuses": {func(w http.ResponseWriter, r *http.Request) {
			answered(w, r, `"error":{"code":-32001,"message":"who are you"}`)
		}, apperr.Unauthenticated, "who are you", false},
		"limits": {func(w http.ResponseWriter, r *http.Request) {
			answered(w, r, `"error":{"code":-32002,"message":"slower"}`)
		}, apperr.RateLimited, "slower", false},
		"knows not": {func(w http.ResponseWriter, r *http.Request) {
			answered(w, r, `"error":{"code":-32601,"message":"no"}`)
		}, apperr.NotFound, "no", false},
		"a colorful no": {func(w http.ResponseWriter, r *http.Request) {
			answered(w, r, `"error":{"code":-32603,"message":"\u001b[31mred `+strings.Repeat("x", 5000)+`"}`)
		}, apperr.QueryFailed, "red", false},
		"an echo": {func(w http.ResponseWriter, r *http.Request) {
			answered(w, r, `"error":{"code":-32603,"message":"`+token+` \u006e`+token[1:]+`"}`)
		}, apperr.QueryFailed, "[secret] [secret]", false},
		"asks to wait": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3000")
			w.WriteHeader(http.StatusTooManyRequests)
		}, apperr.Unavailable, "429", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agent(t, ", timeout_seconds: 60, retry_count: 1", tt.handle)
			if strings.Contains(tt.says, "within 300ms") {
				a.Timeout = 300 * time.Millisecond
			}
			c := client.New("test")
			var out map[string]any
			err := c.Call(t.Context(), a, "cstp.queryDecisions", map[string]any{"query": "x"}, &out)
			f := apperr.From(err)
			if f == nil || f.Code != tt.code || !strings.Contains(f.Message, tt.says) ||
				strings.Contains(f.Error(), token) || strings.ContainsRune(f.Message, '\x1b') || len(f.Message) > 1000 {
				t.Errorf("got %v, want non-nil f, Code=%v, Message with %q, Error without %q, strings.ContainsRune(f.Message, '\\x1b')=false, len(Message) at most 1000", err, tt.code, tt.says, token)
			}
			graphtest.Equal(t, client.IsNoAnswer(err), tt.dead, "dead")
		})
	}
}

func hang(r *http.Request, over <-chan struct{}) {
	_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client disconnected
	select {
	case <-r.Context().Done():
	case <-over:
	}
}

func flood(w http.ResponseWriter) {
	piece := []byte(strings.Repeat("0", 1<<20))
	for range 50 {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

func TestCall_LostRepeatableRequest_IsRetried(t *testing.T) {
	var calls atomic.Int32
	a := agent(t, ", timeout_seconds: 20, retry_count: 3", func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		answered(w, r, `"result":{"allowed":true}`)
	})
	var out struct{ Allowed bool }
	if err := client.New("").Call(t.Context(), a, "cstp.checkGuardrails", nil, &out); err != nil || !out.Allowed ||
		calls.Load() != 2 {
		t.Errorf("%v, %v, %d calls", out, err, calls.Load())
	}
}

func TestCall_Canceled_DoesNotMarkAgentDown(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	var quick atomic.Bool
	a := agent(t, "", func(w http.ResponseWriter, r *http.Request) {
		if !quick.Load() {
			hang(r, over)
			return
		}
		answered(w, r, `"result":{}`)
	})
	c, out := client.New(""), map[string]any{}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Call(ctx, a, "x", nil, &out); err == nil || client.IsNoAnswer(err) {
		t.Errorf("got %v, want an error, client.IsNoAnswer(err)=false", err)
	}
	quick.Store(true)
	if err := c.Call(t.Context(), a, "x", nil, &out); err != nil {
		t.Errorf("the agent is not called: got %v, want no error", err)
	}
}

func TestToken_RotatedInFile_IsUsedWithoutRestart(t *testing.T) {
	path := written(t, "agents: [{name: a, url: 'https://a.example', token_file: token}]")
	secret := filepath.Join(filepath.Dir(path), "token")
	directory := client.NewDirectory(path)
	var seen []client.AgentList
	for _, value := range []string{"one-not-real", "two-not-real"} {
		graphtest.OK(t, os.WriteFile(secret, []byte(value+"\n"), 0o600))
		l := graphtest.Must(directory.Read())(t)
		seen = append(seen, l)
	}
	if fmt.Sprintf("%+v", seen[0]) == fmt.Sprintf("%+v", seen[1]) { // %+v prints unexported fields too
		t.Error("the old token is still used")
	}
}

func TestCard_ForeignAddress_IsNotFollowed(t *testing.T) {
	var sent atomic.Value
	a := agent(t, "", func(w http.ResponseWriter, r *http.Request) {
		sent.Store(r.Header.Get("Authorization"))
		if r.URL.Path == "/.well-known/agent.json" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, `{"name":"you are\u0000 me","url":"https://elsewhere.example","capabilities":{"cstp":{"methods":["cstp.queryDecisions"]}}}`)
	})
	card, err := client.New("").Card(t.Context(), a)
	if err != nil || card.Name != "you are me" || len(card.Notes) != 1 || !strings.Contains(card.Notes[0], a.URL) ||
		len(card.Methods) != 1 || sent.Load() != "" {
		t.Errorf("%+v, %v, sent %v", card, err, sent.Load())
	}
}

func FuzzAddress(f *testing.F) {
	for _, text := range []string{"https://a.example", "http://[::1]:9/x/cstp/", "https://u:p@a", "HTTP://A?x", "//",
		"https://a/%2f#"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, err := client.Address(text)
		if err != nil {
			return
		}
		if twice, err := client.Address(once); err != nil || twice != once {
			t.Errorf("%q is %q, and then %q (%v)", text, once, twice, err)
		}
	})
}
