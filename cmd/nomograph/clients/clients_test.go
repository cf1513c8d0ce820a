package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/cmd/nomograph/clients"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

const address = "https://nomograph.example.org/mcp"

// TestEntry_EachClient_HasItsForm lists the entry of each client for each kind of connection.
func TestEntry_EachClient_HasItsForm(t *testing.T) {
	for _, c := range clients.All() {
		var shown strings.Builder
		for _, way := range []struct {
			title string
			clients.Connection
		}{
			{"started", clients.Connection{Program: "nomograph", Options: [][]string{{"--toolsets", "core"}}}},
			{"in a container", clients.Connection{Container: "nomograph-1"}},
			{"asked", clients.Connection{URL: address}},
			{"asked with a token", clients.Connection{URL: address, TokenEnv: "TEAM_TOKEN", System: "linux"}},
			{"asked over HTTP", clients.Connection{URL: "http://192.0.2.1:9991/mcp", TokenEnv: "TEAM_TOKEN",
				System: "darwin"}},
			{"asked with a token, on Windows", clients.Connection{URL: "http://192.0.2.1:9991/mcp",
				TokenEnv: "TEAM_TOKEN", System: "windows"}},
		} {
			edit, err := c.Edit("", false, way.Connection)
			if err != nil {
				t.Fatal(err)
			}
			_, entry, _ := strings.Cut(edit.Preview(), "\n\n")
			shown.WriteString("## " + way.title + "\n" + entry + c.NextSteps(way.Connection) + "\n")
		}
		golden.Check(t, filepath.Join("testdata", c.Name+".txt"), shown.String())
	}
}

func TestEntry_Existing_IsUpdatedInPlace(t *testing.T) {
	client := func(name string) clients.Client {
		for _, c := range clients.All() {
			if c.Name == name {
				return c
			}
		}
		t.Fatal(name)
		return clients.Client{}
	}
	asked := clients.Connection{URL: address, TokenEnv: "TEAM_TOKEN", System: "linux"}
	for name, tt := range map[string]struct {
		client, before, after string
		way                   clients.Connection
		says                  string
		refused               bool
	}{
		"a program": {client: "cursor", way: asked, says: `without args: ["serve"]`,
			before: "{\n  // ours\n  \"mcpServers\": {\n    \"nomograph\": {\n      \"command\": \"/old/nomograph\", // here\n      \"args\": [\"serve\"],\n      \"disabled\": false\n    },\n    \"other\": {\"url\": \"x\"}\n  }\n}\n",
			after:  "{\n  // ours\n  \"mcpServers\": {\n    \"nomograph\": {\n      \"disabled\": false,\n      \"url\":\"https://nomograph.example.org/mcp\",\n      \"headers\":{\"Authorization\":\"Bearer ${env:TEAM_TOKEN}\"}\n    },\n    \"other\": {\"url\": \"x\"}\n  }\n}\n"},
		"another address": {client: "cursor", way: asked, says: "headers: the token's",
			before: `{"mcpServers": {"nomograph": {"url": "http://127.0.0.1:9991/mcp", "headers": {"X-Team": "shop", "Authorization": "Bearer nmg_old"}, "disabled": true}}}`,
			after:  `{"mcpServers": {"nomograph": {"url": "https://nomograph.example.org/mcp", "headers": {"X-Team": "shop", "Authorization": "Bearer ${env:TEAM_TOKEN}"}, "disabled": true}}}`},
		"without a token other headers stay": {client: "cursor", way: clients.Connection{URL: address},
			says:   "unchanged: headers",
			before: `{"mcpServers": {"nomograph": {"url": "http://x", "headers": {"X-Team": "shop"}}}}`,
			after:  `{"mcpServers": {"nomograph": {"url": "https://nomograph.example.org/mcp", "headers": {"X-Team": "shop"}}}}`},
		"a type": {client: "vscode", way: clients.Connection{URL: address}, says: `type: "http", before "stdio"`,
			before: `{"servers": {"nomograph": {"type": "stdio", "command": "nomograph", "args": ["serve"]}}}`},
		"a bridge": {client: "claude-desktop", way: asked, says: "mcp-remote@latest",
			before: `{"mcpServers": {"nomograph": {"command": "npx", "args": ["mcp-remote@latest", "http://x/mcp"], "env": {"TEAM_TOKEN": "nmg_theirs"}}}}`},
		"a container": {client: "cursor", way: clients.Connection{Container: "n"}, says: "docker",
			before: `{"mcpServers": {"nomograph": {"url": "http://x"}}}`},
		"back to a program": {client: "cursor", way: clients.Connection{Program: "/new/nomograph"},
			says:   "without headers: the token's",
			before: "{\n  \"mcpServers\": {\n    \"nomograph\": {\n      \"url\": \"http://x\",\n      \"headers\": {\"Authorization\": \"Bearer nmg_theirs\"},\n      \"disabled\": true\n    }\n  }\n}\n",
			after:  "{\n  \"mcpServers\": {\n    \"nomograph\": {\n      \"disabled\": true,\n      \"command\":\"/new/nomograph\",\n      \"args\":[\"serve\"]\n    }\n  }\n}\n"},
		"back, with other headers": {client: "cursor", way: clients.Connection{Program: "/new/nomograph"},
			says:   "unchanged: headers",
			before: `{"mcpServers": {"nomograph": {"url": "http://x", "headers": {"Authorization": "Bearer nmg_theirs", "X-Team": "shop"}}}}`},
		"back from a bridge": {client: "claude-desktop", way: clients.Connection{Program: "/new/nomograph"},
			says:   `command: "/new/nomograph", before "npx"`,
			before: `{"mcpServers": {"nomograph": {"command": "npx", "args": ["mcp-remote@latest", "http://x/mcp"]}}}`},
		"somebody's own way": {client: "cursor", way: asked, refused: true,
			before: `{"mcpServers": {"nomograph": {"command": "go", "args": ["run", "./cmd/nomograph", "serve"]}}}`},
		"no entry at all": {client: "cursor", way: asked, refused: true,
			before: `{"mcpServers": {"nomograph": "x"}}`},
	} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		if err := os.WriteFile(path, []byte(tt.before), 0o600); err != nil {
			t.Fatal(err)
		}
		edit, err := client(tt.client).Edit(path, false, tt.way)
		if tt.refused {
			if !apperr.Is(err, apperr.Conflict) {
				t.Errorf("%s: got %v, want %s", name, err, apperr.Conflict)
			}
			continue
		}
		if err == nil && !edit.Same {
			err = edit.Write()
		}
		text, _ := os.ReadFile(path)
		if err != nil || tt.after != "" && string(text) != tt.after || !strings.Contains(edit.String(), tt.says) {
			t.Errorf("%s: %v\n%s%s\nwant\n%s", name, err, edit, text, tt.after)
		}
		if again, err := client(tt.client).Edit(path, false, tt.way); err != nil || !again.Same {
			t.Errorf("%s, again: %v %s", name, err, again)
		}
	}
}

func TestRemove_Entry_LeavesEverythingElse(t *testing.T) {
	cursor := clients.All()[0]
	for name, tt := range map[string]struct {
		before, after string
		refused, same bool
	}{
		"among others": {before: "{\n  // ours\n  \"mcpServers\": {\n    \"a\": {\"url\": \"x\"},\n    \"nomograph\": {\"command\": \"nomograph\"}\n  }\n}\n", after: "{\n  // ours\n  \"mcpServers\": {\n    \"a\": {\"url\": \"x\"}\n  }\n}\n"},
		"first": {before: `{"mcpServers": {"nomograph": {"url": "http://x/mcp"}, "b": {}}}`,
			after: `{"mcpServers": { "b": {}}}`},
		"alone": {before: `{"theme": 1, "mcpServers": {"nomograph": {"command": "nomograph", "args": ["serve"]}}}`,
			after: `{"theme": 1, "mcpServers": {}}`},
		"another program": {before: `{"mcpServers": {"nomograph": {"command": "make", "args": ["serve"]}}}`,
			refused: true},
		"none":             {before: `{"mcpServers": {"b": {}}}`, same: true},
		"no servers":       {before: `{}`, same: true},
		"an empty file":    {before: ``, same: true},
		"something else":   {before: `not JSON`, same: true},
		"of another shape": {before: `{"mcpServers": []}`, same: true},
	} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		if err := os.WriteFile(path, []byte(tt.before), 0o600); err != nil {
			t.Fatal(err)
		}
		edit, err := cursor.Remove(path, false)
		if tt.refused != apperr.Is(err, apperr.Conflict) || err != nil && !tt.refused || edit.Same != tt.same {
			t.Errorf("%s: got %+v, %v", name, edit, err)
		}
		if err != nil || edit.Same {
			continue
		}
		if err := edit.Write(); err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(path); string(text) != tt.after {
			t.Errorf("%s: got\n%s\nwant\n%s", name, text, tt.after)
		}
	}
}
