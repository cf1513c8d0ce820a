package cstp_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"nomograph/graph/graphtest"
	"nomograph/server"
	"nomograph/server/cstp"
	"nomograph/tools/toolstest"
)

// TestGRPC_FrequentMethods_Work calls one handler over gRPC, gRPC-Web and Connect JSON with the same callers.
func TestGRPC_FrequentMethods_Work(t *testing.T) {
	g, env, d := open(t)
	shared := d.record("Move the queue into a table", `, "visibility": "shared", "context": "wombat"`)
	toolstest.WaitForWorkers(t, g)
	d.found("claude-ops", "move the queue", shared)
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(),
		Authenticate: authenticate(map[string]int{})})
	cstp.New(env.Runner(), cstp.Options{Log: zerolog.Nop()}).Serve(s)
	h := httptest.NewUnstartedServer(s.Handler())
	h.Config.Protocols = new(http.Protocols)
	h.Config.Protocols.SetHTTP1(true)
	h.Config.Protocols.SetUnencryptedHTTP2(true)
	h.Start()
	defer h.Close()
	clear := &http.Transport{Protocols: new(http.Protocols)}
	clear.Protocols.SetUnencryptedHTTP2(true)
	overHTTP2 := &http.Client{Transport: clear}
	ask := func(over connect.HTTPClient, token, method, in string, options ...connect.ClientOption) (string, error) {
		t.Helper()
		m := cstp.Service().Methods().ByName(protoreflect.Name(method))
		options = append(options, connect.WithSchema(m),
			connect.WithResponseInitializer(func(_ connect.Spec, answer any) error {
				*answer.(*dynamicpb.Message) = *dynamicpb.NewMessage(m.Output())
				return nil
			}))
		client := connect.NewClient[dynamicpb.Message, dynamicpb.Message](over, h.URL+"/"+
			string(cstp.Service().FullName())+"/"+method, options...)
		message := dynamicpb.NewMessage(m.Input())
		graphtest.OK(t, protojson.Unmarshal([]byte(in), message))
		r := connect.NewRequest(message)
		r.Header().Set("Authorization", "Bearer "+token)
		answer, err := client.CallUnary(t.Context(), r)
		if err != nil {
			return "", err
		}
		text, err := protojson.Marshal(answer.Msg)
		return strings.ReplaceAll(string(text), " ", ""), err
	}
	for name, way := range map[string]struct {
		over    connect.HTTPClient
		options []connect.ClientOption
	}{"gRPC": {overHTTP2, []connect.ClientOption{connect.WithGRPC()}},
		"gRPC-Web":            {http.DefaultClient, []connect.ClientOption{connect.WithGRPCWeb()}},
		"Connect":             {http.DefaultClient, nil},
		"Connect over HTTP/2": {overHTTP2, []connect.ClientOption{connect.WithProtoJSON()}}} {
		for method, tt := range map[string]struct{ in, want string }{
			"QueryDecisions": {`{"query": "move the queue into a table", "limit": 3, "filters": {"category": "architecture"}}`, `"id":"` + shared + `"`},
			"CheckGuardrails": {`{"description": "x", "stakes": "high", "context": {"affectsProduction": true}}`,
				`"guardrailId":"no-production-without-review"`},
			"RecordDecision": {`{"decision": "Over the wire", "confidence": 0.5, "category": "process", "reasons": [{"type": "analysis", "text": "fast"}], "requestKey": "` + strings.ReplaceAll(name, " ", "") + `"}`, `"success":true`},
			"AnnounceIntent": {`{"intent": "Move the queue into a table", "correlationId": "` +
				strings.ReplaceAll(name, "/", "") + `"}`, `"received":true`},
		} {
			if body, err := ask(way.over, "emerson", method, tt.in, way.options...); err != nil ||
				!strings.Contains(body, tt.want) {
				t.Errorf("%s %s: got %s %v, want body with %v", name, method, body, err, tt.want)
			}
		}
		if body, err := ask(way.over, "claude-ops", "QueryDecisions", `{"query": "move the queue"}`,
			way.options...); err != nil || !strings.Contains(body, shared) || strings.Contains(body, "agentId") {
			t.Errorf("%s, to another server: %s %v", name, body, err)
		}
		for token, tt := range map[string]struct {
			method, in string
			want       connect.Code
		}{"emerson": {"RecordDecision", `{"decision": "x"}`, connect.CodeInvalidArgument},
			"claude-ops": {"RecordDecision", `{"decision": "x"}`, connect.CodePermissionDenied},
			"eve":        {"CheckGuardrails", `{"description": "x"}`, connect.CodeUnauthenticated}} {
			if _, err := ask(way.over, token, tt.method, tt.in, way.options...); connect.CodeOf(err) != tt.want {
				t.Errorf("%s, %s of %s: %v", name, tt.method, token, err)
			}
		}
	}
	status, _, text := graphtest.Send(t, http.DefaultClient, http.MethodPost,
		h.URL+"/nomograph.cstp.v1.CstpService/CheckGuardrails", `{"description": "by curl"}`, "Authorization",
		"Bearer emerson", "Content-Type", "application/json")
	graphtest.Equal(t, status, http.StatusOK, "the status")
	graphtest.Contains(t, text, `"allowed"`)
}

// TestGRPC_CompressedMessages_StayWithinMemory sends sixty messages in parallel, a few kilobytes each, that decompress
// to the maximum body size.
func TestGRPC_CompressedMessages_StayWithinMemory(t *testing.T) {
	const many, inflated = 20, 8 << 20
	_, env, _ := open(t)
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(),
		Authenticate: authenticate(map[string]int{})})
	cstp.New(env.Runner(), cstp.Options{Log: zerolog.Nop()}).Serve(s)
	h := httptest.NewUnstartedServer(s.Handler())
	h.Config.Protocols = new(http.Protocols)
	h.Config.Protocols.SetHTTP1(true)
	h.Config.Protocols.SetUnencryptedHTTP2(true)
	h.Start()
	defer h.Close()
	clear := &http.Transport{Protocols: new(http.Protocols)}
	clear.Protocols.SetUnencryptedHTTP2(true)
	overHTTP2 := &http.Client{Transport: clear}
	var packed bytes.Buffer
	to := gzip.NewWriter(&packed)
	_, _ = to.Write(make([]byte, inflated-100))
	graphtest.OK(t, to.Close())
	message := append(binary.BigEndian.AppendUint32([]byte{1}, uint32(packed.Len())), packed.Bytes()...)
	for name, tt := range map[string]struct {
		token, kind, header, coding string
		body                        []byte
		status                      int
		code                        string
	}{
		"gRPC": {"emerson", "application/grpc+proto", "Grpc-Encoding", "gzip",
			message, 200, "12"},
		"gRPC, of one who may not call": {"claude-ops", "application/grpc+proto", "Grpc-Encoding", "gzip",
			message, 200, "12"},
		"gRPC that says it is not": {"emerson", "application/grpc+proto", "", "", message, 200, "13"},
		"Connect": {"emerson", "application/proto", "Content-Encoding", "gzip",
			packed.Bytes(), 415, ""},
		"Connect, of one who may not call": {"claude-ops", "application/proto", "Content-Encoding", "gzip",
			packed.Bytes(), 415, ""},
		"Connect, of nobody": {"", "application/proto", "Content-Encoding", "gzip", packed.Bytes(),
			415, ""},
		"not compressed, by one who may not call": {"claude-ops", "application/grpc+proto", "", "",
			append([]byte{0, 0, 0x10, 0, 0}, make([]byte, 1<<20)...), 200, "7"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var all errgroup.Group
		for range many {
			all.Go(func() error {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+
					"/nomograph.cstp.v1.CstpService/RecordDecision", bytes.NewReader(tt.body))
				if err != nil {
					return err
				}
				r.Header.Set("Content-Type", tt.kind)
				r.Header.Set("Authorization", "Bearer "+tt.token)
				if tt.header != "" {
					r.Header.Set(tt.header, tt.coding)
				}
				answer, err := overHTTP2.Do(r)
				for try := 0; err != nil && strings.Contains(err.Error(), "GOAWAY") &&
					try < 5; try++ { // a connection ends after many bodies that nobody read
					r.Body = io.NopCloser(bytes.NewReader(tt.body))
					answer, err = overHTTP2.Do(r)
				}
				if err != nil {
					return err
				}
				defer answer.Body.Close()
				text, _ := io.ReadAll(answer.Body)
				code := answer.Trailer.Get("Grpc-Status") + answer.Header.Get("Grpc-Status")
				if answer.StatusCode != tt.status || code != tt.code {
					return fmt.Errorf("%d, %q, %s", answer.StatusCode, code, text)
				}
				return nil
			})
		}
		if err := all.Wait(); err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > many*inflated/8 {
			t.Errorf("%s: got %d MB allocated, want at most an eighth of the inflated %d MB", name, took>>20,
				many*inflated>>20)
		}
	}
}
