package server_test

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestDecisionsAndGraphsAreResources(t *testing.T) {
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
			t.Fatalf("%s: %+v", uri, m.Error)
		}
		if text := m.Result["contents"].([]any)[0].(map[string]any)["text"].(string); !strings.Contains(text, says) {
			t.Errorf("%s reads %s", uri, text)
		}
	}
	if m := c.Request("resources/read", map[string]any{"uri": "nomograph://graph/cccccccc"}); m.Error == nil || !strings.Contains(m.Error.Message, "not found") {
		t.Errorf("an unknown decision is answered with %+v", m)
	}
	for _, template := range []string{"nomograph://decision/{id}", "nomograph://graph/{id}"} {
		m := c.Request("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": template}, "argument": map[string]any{"name": "id", "value": "aaaa"}})
		if m.Error != nil {
			t.Fatalf("%s: %+v", template, m.Error)
		}
		if values := m.Result["completion"].(map[string]any)["values"].([]any); len(values) != 2 || values[0] != "aaaa0001" {
			t.Errorf("%s is completed with %v", template, values)
		}
	}
	m := c.Request("resources/templates/list", nil)
	if listed := m.Result["resourceTemplates"].([]any); len(listed) != 4 {
		t.Errorf("there are %v", listed)
	}
	ends(t, c)
}
