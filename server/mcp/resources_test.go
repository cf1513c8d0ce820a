package mcp_test

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestResources_DecisionsAndGraphs_AreRead(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, `CREATE (:Decision {uid: 'u1', id: 'aaaa0001', decision: 'Stand on it', created_at: datetime()})-[:DEPENDS_ON {weight: 1.0}]->
		(:Decision {uid: 'u2', id: 'aaaa0002', decision: 'Be stood on', created_at: datetime()}), (:Decision {uid: 'u3', id: 'bbbb0003', decision: 'Else', created_at: datetime()})`, nil)
	c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	for uri, says := range map[string]string{
		"nomograph://decision/aaaa0001": `"Stand on it"`,
		"nomograph://graph/aaaa0002":    `"source_id":"aaaa0001","target_id":"aaaa0002","edge_type":"depends_on"`,
	} {
		m := c.Request("resources/read", map[string]any{"uri": uri})
		if m.Error != nil {
			t.Fatalf("%s: got %+v, want nil", uri, m.Error)
		}
		graphtest.Contains(t, m.Result["contents"].([]any)[0].(map[string]any)["text"].(string), says)
	}
	if m := c.Request("resources/read", map[string]any{"uri": "nomograph://graph/cccccccc"}); m.Error == nil ||
		!strings.Contains(m.Error.Message, "not found") {
		t.Errorf(`an unknown decision: got %+v, want non-nil Error, Message with "not found"`, m)
	}
	for _, template := range []string{"nomograph://decision/{id}", "nomograph://graph/{id}"} {
		m := c.Request("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource",
			"uri": template}, "argument": map[string]any{"name": "id", "value": "aaaa"}})
		if m.Error != nil {
			t.Fatalf("%s: got %+v, want nil", template, m.Error)
		}
		if values := m.Result["completion"].(map[string]any)["values"].([]any); len(values) != 2 ||
			values[0] != "aaaa0001" {
			t.Errorf("%s is completed with %v", template, values)
		}
	}
	m := c.Request("resources/templates/list", nil)
	if listed := m.Result["resourceTemplates"].([]any); len(listed) != 8 {
		t.Errorf("got %v, want len(listed)=8", listed)
	}
	ends(t, c)
}

// TestResources_Missing_IsNotFound: the protocol's error code depends on the revision.
func TestResources_Missing_IsNotFound(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'least_share', value: 1})", nil)
	c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
	modern := map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "modern", "version": "1"}}
	c.Initialize("2025-11-25")
	for uri, says := range map[string]string{
		"nomograph://policy/none":           "SYS_Policy node 'none' not found",
		"nomograph://threshold/least_shore": "least_share",
		"nomograph://decision/ffff0000":     "not found",
		"nomograph://graph/ffff0000":        "not found",
		"nomograph://threshold/":            "Unknown resource address",
		"https://example.org/":              "Unknown resource address",
	} {
		for _, ask := range []struct {
			method string
			params map[string]any
			code   int
		}{
			{"resources/read", map[string]any{"uri": uri}, -32002},
			{"resources/read", map[string]any{"uri": uri, "_meta": modern}, -32602},
			{"resources/subscribe", map[string]any{"uri": uri}, -32002},
			{"subscriptions/listen", listening(uri), -32602},
		} {
			if strings.Contains(ask.method, "subscri") && !strings.Contains(uri, "policy") &&
				!strings.Contains(uri, "threshold") {
				continue
			}
			m := c.Request(ask.method, ask.params)
			if m.Error == nil || m.Error.Code != ask.code || !strings.Contains(m.Error.Message, says) ||
				m.Error.Data["uri"] != uri ||
				m.Error.Data["error"] != "not_found" || m.Error.Data["hint"] == nil || m.Error.Data["id"] == nil {
				t.Errorf("%s %v: got %+v, want non-nil Error, Code=%v, Message with %q, uri=%v, error=not_found, non-nil hint, non-nil id", ask.method, ask.params, m.Error, ask.code, says, uri)
			}
		}
	}
	for method, params := range map[string]map[string]any{
		"resources/subscribe": {"uri": "nomograph://decision/x"},
		"prompts/get":         {"name": "after_work", "arguments": map[string]any{"decision": "ffff0000"}},
	} {
		if m := c.Request(method, params); m.Error == nil || m.Error.Code != -32602 || m.Error.Data["hint"] == nil {
			t.Errorf("%s: got %+v, want non-nil Error, Code=-32602, non-nil hint", method, m.Error)
		}
	}
	if m := c.Request("resources/read", address("least_share")); m.Error != nil {
		t.Errorf("an existing resource: got %+v, want Error=nil", m.Error)
	}
	ends(t, c)
}
