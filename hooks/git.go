package hooks

import (
	"strings"

	"nomograph/hooks/shell"
	"nomograph/internal/apperr"
)

// git are the hooks of a repository: nomograph hook git pre-commit, commit-msg FILE, pre-push REMOTE URL. A user who
// skips git's hooks skips these, too.
var git = contract{
	read: func(e envelope) ([]Action, error) {
		switch e.Event {
		case "pre-commit":
			a := Other(GitCommit, "hook", e.Event, "")
			var places []string
			for _, file := range e.Staged {
				reads, _, _ := shell.PlacesOf(file, "")
				places = append(places, reads...)
			}
			a.Description = "Commit the staged changes"
			a.Params["commits_of"], a.Params["git"], a.Params["files"] = texts(places), []any{"commit"},
				texts(e.Staged[:min(len(e.Staged), 200)])
			return []Action{a}, nil
		case "commit-msg":
			a := Other(GitCommit, "message", e.Message, "")
			a.Params["git"] = []any{"commit"}
			return []Action{a}, nil
		case "pre-push":
			return []Action{push(e)}, nil
		}
		return nil, apperr.Newf(apperr.Validation, "The Git hook %q is not supported", e.Event).
			WithHint("Use pre-commit, commit-msg or pre-push")
	},
	answer: func(_ string, v Verdict) Answer {
		if v.Decision == Allow {
			return Answer{}
		}
		return Answer{Stderr: "nomograph: " + v.Reason + "\n", Exit: 1}
	},
}

// push reads the input of pre-push, lines of LOCAL_REF LOCAL_OID REMOTE_REF REMOTE_OID.
func push(e envelope) Action {
	remote, address := "", ""
	if len(e.Args) > 0 {
		remote = e.Args[0]
	}
	if len(e.Args) > 1 {
		address = e.Args[1]
	}
	operations, refs := []string{"push"}, []string{}
	for line := range strings.Lines(string(e.Stdin)) {
		parts := strings.Fields(line)
		if len(parts) != 4 || len(refs) == 200 {
			continue
		}
		refs = append(refs, parts[2])
		if strings.Trim(parts[1], "0") == "" && len(operations) == 1 {
			operations = append(operations, "push --delete")
		}
	}
	a := Other(GitPush, "remote", remote, "")
	a.Description = "Push to " + shortLine(remote)
	a.Params["url"], a.Params["refs"], a.Params["git"] = withoutPassword(address), texts(refs), texts(operations)
	return a
}

// withoutPassword removes a name and a password from an address.
func withoutPassword(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return cut(address, 1000)
	}
	if _, after, ok := strings.Cut(rest, "@"); ok {
		rest = after
	}
	return cut(scheme+"://"+rest, 1000)
}
