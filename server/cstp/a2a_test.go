package cstp_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/server/cstp"
	"nomograph/tools/toolstest"
)

// Messages of an agent card in specification/a2a.proto of A2A 1.0 (github.com/a2aproject/A2A, v1.0.1), with their JSON
// names. A field that ends in ! is required.
type (
	message map[string]any
	listOf  struct{ of any }
	mapOf   struct{ of any }
)

var (
	requirement  = message{"schemes": mapOf{message{"list": listOf{""}}}}
	interface10  = message{"url!": "", "protocolBinding!": "", "tenant": "", "protocolVersion!": ""}
	provider     = message{"url!": "", "organization!": ""}
	extension    = message{"uri": "", "description": "", "required": false, "params": mapOf{nil}}
	capabilities = message{"streaming": false, "pushNotifications": false, "extensions": listOf{extension},
		"extendedAgentCard": false}
	skill = message{"id!": "", "name!": "", "description!": "", "tags!": listOf{""}, "examples": listOf{""},
		"inputModes": listOf{""}, "outputModes": listOf{""}, "securityRequirements": listOf{requirement}}
	scheme = message{"apiKeySecurityScheme": mapOf{nil},
		"httpAuthSecurityScheme":      message{"description": "", "scheme!": "", "bearerFormat": ""},
		"oauth2SecurityScheme":        mapOf{nil},
		"openIdConnectSecurityScheme": mapOf{nil}, "mtlsSecurityScheme": mapOf{nil}}
	signature = message{"protected!": "", "signature!": "", "header": mapOf{nil}}
	agentCard = message{"name!": "", "description!": "", "supportedInterfaces!": listOf{interface10},
		"provider": provider, "version!": "", "documentationUrl": "", "capabilities!": capabilities,
		"securitySchemes": mapOf{scheme}, "securityRequirements": listOf{requirement}, "defaultInputModes!": listOf{""},
		"defaultOutputModes!": listOf{""}, "skills!": listOf{skill}, "signatures": listOf{signature}, "iconUrl": ""}
)

// mismatches returns the differences between a value and a message type.
func mismatches(at string, value, kind any) (wrong []string) {
	switch k := kind.(type) {
	case nil:
	case string:
		if text, ok := value.(string); !ok || text == "" {
			wrong = append(wrong, at+" is no text")
		}
	case bool:
		if _, ok := value.(bool); !ok {
			wrong = append(wrong, at+" is neither true nor false")
		}
	case listOf:
		all, ok := value.([]any)
		if !ok {
			return []string{at + " is no list"}
		}
		for _, one := range all {
			wrong = append(wrong, mismatches(at+"[]", one, k.of)...)
		}
	case mapOf:
		all, ok := value.(map[string]any)
		if !ok {
			return []string{at + " is no object"}
		}
		for name, one := range all {
			wrong = append(wrong, mismatches(at+"."+name, one, k.of)...)
		}
	case message:
		fields, ok := value.(map[string]any)
		if !ok {
			return []string{at + " is no object"}
		}
		for name, of := range k {
			bare := strings.TrimSuffix(name, "!")
			member, ok := fields[bare]
			if ok {
				wrong = append(wrong, mismatches(at+"."+bare, member, of)...)
			} else if bare != name {
				wrong = append(wrong, at+" has no "+bare)
			}
		}
		for name := range fields {
			if _, ok := k[name]; !ok {
				if _, ok = k[name+"!"]; !ok {
					wrong = append(wrong, at+"."+name+" is not of A2A 1.0")
				}
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// TestCard_Fields_MatchA2A compares each member of the card with A2A's own schema.
func TestCard_Fields_MatchA2A(t *testing.T) {
	for _, card := range []cstp.Card{{}, {Name: "bare", Description: "x", Version: "1", Open: true}} {
		d := serve(t, toolstest.App(t, toolstest.Unavailable(t)), cstp.Options{Card: card})
		_, _, text := graphtest.Send(t, http.DefaultClient, http.MethodGet, d.url+"/.well-known/agent-card.json", "")
		var value any
		graphtest.OK(t, json.Unmarshal([]byte(text), &value))
		if wrong := mismatches("card", value, agentCard); len(wrong) > 0 {
			t.Errorf("got %s\n%s, want no mismatches", strings.Join(wrong, "\n"), text)
		}
	}
	old := map[string]any{"name": "x", "url": "https://a.example", "protocolVersion": "0.3.0",
		"capabilities": map[string]any{"streaming": "yes"}, "skills": []any{map[string]any{"id": "a"}}}
	if wrong := mismatches("card", old, agentCard); len(wrong) < 10 ||
		!slices.Contains(wrong, "card.url is not of A2A 1.0") ||
		!slices.Contains(wrong, "card has no supportedInterfaces") {
		t.Errorf(`an A2A 0.3 card: got %v, want len(wrong) at least 10, wrong with "card.url is not of A2A 1.0", wrong with "card has no supportedInterfaces"`, wrong)
	}
}
