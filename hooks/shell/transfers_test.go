package shell_test

import (
	"testing"

	"nomograph/hooks/shell"
	"nomograph/internal/golden"
)

// A name that only contains "localhost" once counted as this machine.
func TestParse_DeleteRequest_IsRemoteUnlessOnThisMachine(t *testing.T) {
	for address, remote := range map[string]bool{
		"http://localhost:3000/items/1": false, "localhost:3000/items/1": false, "http://127.0.0.1/items/1": false,
		"http://[::1]:8080/items/1": false,
		"file:///tmp/x":             false, "http://localhost.example.com/items/1": true,
		"http://127.0.0.1.example.com/x": true,
		"http://localhost@example.com/x": true, "http://localhost:80@example.com/x": true,
		"localhost.example.com/x":             true,
		"https://example.com/?next=localhost": true, "http://localhost:9200/logs": true,
	} {
		effects := shell.Parse("curl -X DELETE '"+address+"'", "/work")
		golden.Equal(t, address+" is remote", len(effects.Remote) > 0, remote)
	}
}
