package spelling

import (
	"fmt"
	"testing"
)

func TestForcePushed_AnySpelling_NamesBranches(t *testing.T) {
	for _, c := range []struct {
		name, description string
		params            map[string]any
		want              string
	}{
		{"", "git push --force origin main", nil, "[main]"},
		{"", "Explain git push --force origin main", nil, "[]"},
		{"shell.run", "", map[string]any{"command": "bash -c 'git push --force origin main'"}, "[main]"},
		{"shell.run", "", map[string]any{"Cmd": `sudo sh -c "cd app && git -C ../lib push -fu origin HEAD:refs/heads/MAIN"`}, "[main]"},
		{"shell.run", "", map[string]any{"command": "git", "args": []any{"push", "--force", "origin", "main"}},
			"[main]"},
		{"shell.run", "", map[string]any{"words": []any{"git", "push", "origin", "+main"}}, "[main]"},
		{"shell.run", "", map[string]any{"command": "git push origin :main"}, "[main]"},
		{"shell.run", "", map[string]any{"command": "git push --force"}, "[*]"},
		{"shell.run", "", map[string]any{"command": "git push --force --all origin"}, "[*]"},
		{"shell.run", "", map[string]any{"command": "git push -o ci.skip origin main"}, "[]"},
		{"shell.run", "", map[string]any{"command": "git push --force-with-lease origin feature/x 2>&1 | tail -3"},
			"[feature/x]"},
		{"shell.run", "", map[string]any{"command": "grep -rn 'git push --force' docs; git log --oneline -f"}, "[]"},
		{"git push", "", map[string]any{"Branch": "main", "Force": true}, "[main]"},
		{"git_push", "", map[string]any{"branch": "main", "f": 1}, "[main]"},
		{"git-push", "", map[string]any{"branch": "main", "force": "with-lease"}, "[main]"},
		{"git.push", "", map[string]any{"flags": []any{"--force"}, "branch": "main"}, "[main]"},
		{"git.push", "", map[string]any{"options": map[string]any{"force": true}, "branch": "main"}, "[main]"},
		{"git.push", "", map[string]any{"arguments": []any{"origin", "main", "-f"}}, "[main origin]"},
		{"git.push", "", map[string]any{"args": "--force origin main"}, "[main origin]"},
		{"GitPush", "", map[string]any{"refspec": "+HEAD:main"}, "[main]"},
		{"git.push", "", map[string]any{"forceWithLease": true}, "[*]"},
		{"git.push", "", map[string]any{"branch": "main", "force": "no"}, "[]"},
		{"git.push", "", map[string]any{"branch": "main"}, "[]"},
		{"git.push", "", map[string]any{"message": "force", "description": "--force", "branch": "main"}, "[]"},
	} {
		if got := fmt.Sprint(ForcePushed(c.name, c.description, c.params)); got != c.want {
			t.Errorf("%s %s %v: got %s, want %s", c.name, c.description, c.params, got, c.want)
		}
	}
}
