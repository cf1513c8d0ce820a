package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"nomograph/server/cstp"
)

// cstpDecisions is the number of decisions in the graph during searches.
const cstpDecisions = 500

// cstp measures the most used CSTP methods against the same operations over MCP, and against gRPC. Compared calls
// alternate.
func (b *bench) cstp(ctx context.Context) error {
	driver, own, err := b.driverAndServer()
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx) }()
	if err := own.call("list_policies", `{"limit":1}`); err != nil { // the first call migrates the graph
		return err
	}
	if err := runOnDriver(ctx, driver, fillRules, nil); err != nil {
		return err
	}
	target, err := b.serveHTTP(ctx)
	if err != nil {
		return err
	}
	defer target.stop()
	about := func() string {
		words := []string{"database", "queue", "cache", "billing", "search", "release", "token", "index", "import", "backup"}
		return fmt.Sprintf("move the %s of the %s %d", words[rand.IntN(len(words))], words[rand.IntN(len(words))], rand.IntN(1000))
	}
	record := func() string {
		return fmt.Sprintf(`{"decision":%q,"confidence":0.8,"category":"architecture","stakes":"medium","reasons":[{"type":"analysis","text":"fewer parts"},{"type":"pattern","text":"as before"}],"tags":["bench"]}`, about())
	}
	query := func() string { return fmt.Sprintf(`{"query":%q,"limit":5,"retrieval_mode":"semantic"}`, about()) }
	mcp := func(tool, wants string, arguments func() string) func() error {
		return func() error {
			return target.post(ctx, "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments()), wants)
		}
	}
	rpc := func(method, wants string, params func() string) func() error {
		return func() error {
			return target.post(ctx, "/cstp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params()), wants)
		}
	}
	for range cstpDecisions {
		if err := mcp("log_decision", `"structuredContent"`, record)(); err != nil {
			return err
		}
	}
	flat := func() string { return actionCheck }
	action := func() string { return `{"action":` + actionCheck + `}` }
	fmt.Fprintf(&b.report, "\n## CSTP against MCP over HTTP (%v of each, %d alternating rounds, %d decisions, 100 rules; of the floor: MCP's)\n\n"+
		"| | calls a second | of the floor | p50 | p99 | p99 of the floor |\n|---|---|---|---|---|---|\n", *loadTime, rounds, cstpDecisions)
	for _, pair := range [][]load{
		{{"MCP query_decisions", mcp("query_decisions", `"structuredContent"`, query)}, {"cstp.queryDecisions", rpc("cstp.queryDecisions", `"decisions"`, query)}},
		{{"MCP check_action", mcp("check_action", `"structuredContent"`, flat)}, {"cstp.checkGuardrails", rpc("cstp.checkGuardrails", `"allowed":true`, action)}},
		{{"MCP log_decision", mcp("log_decision", `"structuredContent"`, record)}, {"cstp.recordDecision", rpc("cstp.recordDecision", `"success":true`, record)}},
	} {
		if err := b.compare(1, pair); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b.report, "\n## gRPC against JSON-RPC (%d concurrent; of the floor: JSON-RPC's)\n\n| | calls a second | of the floor | p50 | p99 | p99 of the floor |\n|---|---|---|---|---|---|\n", askers)
	for _, pair := range [][]load{
		{{"cstp.checkGuardrails", rpc("cstp.checkGuardrails", `"allowed":true`, action)}, {"gRPC CheckGuardrails", grpc(ctx, target, "CheckGuardrails", flat)}},
		{{"cstp.queryDecisions", rpc("cstp.queryDecisions", `"decisions"`, query)}, {"gRPC QueryDecisions", grpc(ctx, target, "QueryDecisions", query)}},
		{{"cstp.recordDecision", rpc("cstp.recordDecision", `"success":true`, record)}, {"gRPC RecordDecision", grpc(ctx, target, "RecordDecision", record)}},
	} {
		if err := b.compare(askers, pair); err != nil {
			return err
		}
	}
	return own.close()
}

// grpc calls a method over HTTP/2 without TLS. All callers share a few connections, like gRPC clients.
func grpc(ctx context.Context, target *httpServer, method string, in func() string) func() error {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	service := cstp.Service()
	m := service.Methods().ByName(protoreflect.Name(method))
	client := connect.NewClient[dynamicpb.Message, dynamicpb.Message](&http.Client{Transport: transport},
		strings.TrimSuffix(target.url, "/")+"/"+string(service.FullName())+"/"+method, connect.WithGRPC(), connect.WithSchema(m),
		connect.WithResponseInitializer(func(_ connect.Spec, answer any) error {
			*answer.(*dynamicpb.Message) = *dynamicpb.NewMessage(m.Output())
			return nil
		}))
	return func() error {
		message := dynamicpb.NewMessage(m.Input())
		if err := protojson.Unmarshal([]byte(in()), message); err != nil {
			return err
		}
		answer, err := client.CallUnary(ctx, connect.NewRequest(message))
		if err != nil {
			return err
		}
		if answer.Msg.GetUnknown() != nil {
			return fmt.Errorf("%s: an answer of another kind", method)
		}
		return nil
	}
}
