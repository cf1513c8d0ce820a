package views

import (
	"strings"
	"testing"

	"nomograph/agents/peers"
	"nomograph/internal/terminal"
)

func TestText_AgentInSeveralStates_NamesThemInFixedOrder(t *testing.T) {
	list := peers.List{Agents: []peers.KnownAgent{{Name: "ada", Listed: true, Subscribed: true, Following: true}}}
	for range 50 { // the iteration order of a map would show in some rounds
		if text, ok := Text(list, terminal.Page{}); !ok || !strings.Contains(text, "listed, subscribed, following") {
			t.Fatalf("got %s, want listed, subscribed, following in it", text)
		}
	}
}
