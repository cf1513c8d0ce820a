package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/server/mcp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestServeStdio_RequestOverTheLimit_IsAnsweredWithItsID: a client waits for an answer with its id. Later requests are
// answered too.
func TestServeStdio_RequestOverTheLimit_IsAnsweredWithItsID(t *testing.T) {
	long := strings.Repeat(`a\"},{ `, 9<<20/7)
	for name, c := range map[string]struct{ line, id, message string }{
		"id in front": {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"id":1,"text":"` + long + `"}}}`, "7", "8 MB"},
		"id at the end": {`{"params":{"id":1,"a":[{"id":2}],"text":"` + long +
			`"},"method":"ping", "jsonrpc":"2.0" , "id" : "a \"b\""}`, `"a \"b\""`, "8 MB"},
		"a text at the top":  {`{"junk":"` + long + `","method":"ping","id":-3}`, "-3", "8 MB"},
		"an id that is long": {`{"id":"` + long + `","method":"ping"}`, "null", "Parse error"},
		"no JSON":            {long, "null", "Parse error"},
		"an id that is none": {`{"id":{"id":4},"method":"ping","text":"` + long + `"}`, "null", "Parse error"},
	} {
		t.Run(name, func(t *testing.T) {
			got := served(t, c.line+"\n"+`{"jsonrpc":"2.0","id":8,"method":"ping"}`+"\n")
			if len(got) != 2 {
				t.Fatalf("%d answers: %s", len(got), got)
			}
			byID := map[string]string{}
			for _, line := range got {
				var answer struct {
					ID    json.RawMessage
					Error struct{ Message string }
				}
				graphtest.OK(t, json.Unmarshal(line, &answer))
				byID[string(answer.ID)] = answer.Error.Message
			}
			if message, answered := byID[c.id]; !answered || !strings.Contains(message, c.message) {
				t.Errorf("answered with %v, want id %s and %q", byID, c.id, c.message)
			}
			if message, answered := byID["8"]; !answered || message != "" {
				t.Errorf("the request after it: got %q, want answered=true, empty message", message)
			}
		})
	}
}

// TestServeStdio_NotificationOverTheLimit_StopsNothing: notifications have no answer.
func TestServeStdio_NotificationOverTheLimit_StopsNothing(t *testing.T) {
	got := served(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"`+
		strings.Repeat("a", 9<<20)+`"}}`+"\n"+`{"jsonrpc":"2.0","id":8,"method":"ping"}`+"\n")
	if len(got) == 0 || !bytes.Contains(bytes.Join(got, nil), []byte(`"id":8`)) {
		t.Errorf("got %s, want nonzero len(got), bytes.Contains(bytes.Join(got, nil), []byte(`\"id\":8`))=true", got)
	}
}

// served returns the output of a server without a database for these input lines.
func served(t *testing.T, lines string) [][]byte {
	t.Helper()
	env := toolstest.App(t, toolstest.Unavailable(t))
	defer func() { _ = env.Close(context.Background()) }()
	var out bytes.Buffer
	if err := mcp.New(env.Runner(), mcp.Options{Version: "test", Operations: tools.Catalog, Log: zerolog.Nop()}).
		ServeStdio(t.Context(), strings.NewReader(lines), &out); err != nil && err != io.EOF {
		t.Fatal(fmt.Errorf("serve: %w", err))
	}
	return bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
}
