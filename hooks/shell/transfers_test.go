package shell_test

import (
	"slices"
	"testing"

	"nomograph/hooks/shell"
)

// A name that only contains "localhost" once counted as this machine.
func TestParse_DeleteRequest_IsRemoteUnlessOnThisMachine(t *testing.T) {
	for address, remote := range map[string]bool{
		"http://localhost:3000/items/1": false, "localhost:3000/items/1": false, "http://127.0.0.1/items/1": false, "http://[::1]:8080/items/1": false,
		"file:///tmp/x": false, "http://localhost.example.com/items/1": true, "http://127.0.0.1.example.com/x": true,
		"http://localhost@example.com/x": true, "http://localhost:80@example.com/x": true, "localhost.example.com/x": true,
		"https://example.com/?next=localhost": true, "http://localhost:9200/logs": true,
	} {
		effects := shell.Parse("curl -X DELETE '"+address+"'", "/work")
		if got := len(effects.Remote) > 0; got != remote {
			t.Errorf("%s: got remote %v (%v), want %v", address, got, effects.Remote, remote)
		}
	}
}

func TestParse_Playbook_RunsOnTheHostsItNames(t *testing.T) {
	for _, tt := range []struct{ play, call, deletes string }{
		{"hosts: web", "ansible-playbook site.yml", "web:/var/log/app"},
		{"hosts: [web, db]", "ansible-playbook -i hosts.ini site.yml", "web:/var/log/app"},
		{"hosts: all", "ansible-playbook -v site.yml", "all:/var/log/app"},
		{"hosts: all", "ansible-playbook -i localhost, site.yml", "/var/log/app"},
		{"hosts: web", "ansible-playbook -c local site.yml", "/var/log/app"},
		{"hosts: web\n  connection: local", "ansible-playbook site.yml", "/var/log/app"},
		{"hosts: localhost", "ansible-playbook site.yml", "/var/log/app"},
	} {
		e := shell.Parse("printf -- '- "+tt.play+"\n  tasks:\n    - shell: rm -rf /var/log/app\n' > site.yml; "+tt.call, "/w")
		if !slices.Equal(e.Deletes, []string{tt.deletes}) {
			t.Errorf("%s of %q: deletes are %v, want %s", tt.call, tt.play, e.Deletes, tt.deletes)
		}
	}
}
