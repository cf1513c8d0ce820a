package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/cmd/nomograph/clients"
	"nomograph/graph/graphtest"
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
			edit := graphtest.Must(c.Edit("", false, way.Connection))(t)
			_, entry, _ := strings.Cut(edit.Preview(), "\n\n")
			shown.WriteString("## " + way.title + "\n" + entry + c.NextSteps(way.Connection) + "\n")
		}
		golden.Check(t, filepath.Join("testdata", c.Name+".txt"), shown.String())
	}
}

func TestEntry_Existing_IsUpdatedInPlace(t *testing.T) {
	ways := map[string]clients.Connection{"URL": {URL: address}, "container": {Container: "n"},
		"program":      {Program: "/new/nomograph"},
		"with a token": {URL: address, TokenEnv: "TEAM_TOKEN", System: "linux"}}
	lines := strings.NewReplacer(`\n`, "\n")
	for _, row := range golden.Rows(t, "testdata/entries.txt") {
		name, way, before, after, says := row[0], ways[row[2]], lines.Replace(row[3]), lines.Replace(row[4]), row[5]
		client, ok := clients.Find(row[1])
		path := filepath.Join(t.TempDir(), "mcp.json")
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil || !ok {
			t.Fatal(name, err)
		}
		edit, err := client.Edit(path, false, way)
		if after == "refused" {
			if !apperr.Is(err, apperr.Conflict) {
				t.Errorf("%s: got %v, want %s", name, err, apperr.Conflict)
			}
			continue
		}
		if err == nil && !edit.Same {
			err = edit.Write()
		}
		text, _ := os.ReadFile(path)
		if err != nil || after != "" && string(text) != after || !strings.Contains(edit.String(), says) {
			t.Errorf("%s: %v\n%s%s\nwant\n%s", name, err, edit, text, after)
		}
		if again, err := client.Edit(path, false, way); err != nil || !again.Same {
			t.Errorf("%s, again: %v %s", name, err, again)
		}
	}
}

func TestRemove_Entry_LeavesEverythingElse(t *testing.T) {
	cursor, lines := clients.All()[0], strings.NewReplacer(`\n`, "\n")
	for _, row := range golden.Rows(t, "testdata/removals.txt") {
		name, before, after := row[0], lines.Replace(row[1]), lines.Replace(row[2])
		path := filepath.Join(t.TempDir(), "mcp.json")
		graphtest.OK(t, os.WriteFile(path, []byte(before), 0o600))
		edit, err := cursor.Remove(path, false)
		if refused := after == "refused"; refused != apperr.Is(err, apperr.Conflict) || err != nil && !refused ||
			edit.Same != (after == "same") {
			t.Errorf("%s: got %+v, %v", name, edit, err)
		}
		if err != nil || edit.Same {
			continue
		}
		graphtest.OK(t, edit.Write())
		if text, _ := os.ReadFile(path); string(text) != after {
			t.Errorf("%s: got\n%s\nwant\n%s", name, text, after)
		}
	}
}
