package clients

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Way is how a client reaches this server: it starts a program, one in a container, or sends requests to an address.
type Way struct {
	Program string     // to start
	Options [][]string // of the server, each a flag and its value or nothing

	Container string // in which Docker starts it, instead

	URL      string // of MCP, where a server runs
	TokenEnv string // the environment variable that holds the token for it; empty: none is sent
	System   string // as Go calls it; empty: this one
}

// member is a key of an entry, and its value as JSON.
type member struct{ key, raw string }

// transportKeys are those of an entry that say how the server is reached. What else stands in it is the user's.
var transportKeys = []string{"type", "command", "args", "url"}

// members are what an entry has to say for a way, in the order in which they stand in a new one.
func (c Client) members(w Way) []member {
	if w.URL == "" {
		program, args := w.Program, withOptions([]string{"serve"}, w.Options)
		if w.Container != "" {
			program, args = "docker", append([]string{"exec", "-i", w.Container, "nomograph"}, args...)
		}
		return c.started(program, args)
	}
	if c.bridged {
		return c.started(w.bridge())
	}
	all := []member{{"url", quoted(w.URL)}}
	if c.http != "" {
		all = append([]member{{"type", quoted(c.http)}}, all...)
	}
	if w.TokenEnv != "" {
		all = append(all, member{"headers", object(authorization, "Bearer "+fmt.Sprintf(c.variable, w.TokenEnv))})
	}
	return all
}

const authorization = "Authorization"

func (c Client) started(program string, args []string) []member {
	all := []member{{"command", quoted(program)}, {"args", list(args)}}
	if c.typed {
		all = append([]member{{"type", quoted("stdio")}}, all...)
	}
	return all
}

// bridge is the program that speaks HTTP for a client which only starts programs. On Windows npx is a script, which cmd runs, and blanks
// within an argument are lost on the way: there the token goes into a header that needs none.
func (w Way) bridge() (program string, args []string) {
	windows := cmp.Or(w.System, runtime.GOOS) == "windows"
	args = []string{"mcp-remote@latest", w.URL}
	if strings.HasPrefix(w.URL, "http://") {
		args = append(args, "--allow-http")
	}
	switch {
	case w.TokenEnv == "":
	case windows:
		args = append(args, "--header", "X-API-Key:${"+w.TokenEnv+"}")
	default:
		args = append(args, "--header", authorization+": Bearer ${"+w.TokenEnv+"}")
	}
	if windows {
		return "cmd", append([]string{"/c", "npx"}, args...)
	}
	return "npx", args
}

// Note is what a person has to do beside, for a way.
func (c Client) Note(w Way) string {
	if w.URL == "" || w.TokenEnv == "" {
		return ""
	}
	if c.bridged {
		return fmt.Sprintf("%s hands none of its own environment on: write \"env\": {\"%s\": \"...\"} with the token into the entry, in this file of yours alone.\n", c.Title, w.TokenEnv)
	}
	return fmt.Sprintf("%s takes the token from %s in the environment that it is started in.\n", c.Title, w.TokenEnv)
}

// ours tells whether an entry starts or asks this server, so that it may be changed to another way.
func ours(command string, args []string, url string) bool {
	name := strings.TrimSuffix(strings.ToLower(base(command)), ".exe")
	switch {
	case command == "" && url != "":
		return true
	case name == "nomograph":
		return true
	case name == "docker":
		return slices.Contains(args, "nomograph")
	}
	return slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "mcp-remote") })
}

// base is the last part of a path, of whatever system.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

func quoted(text string) string {
	raw, _ := json.Marshal(text) // a text
	return string(raw)
}

func list(texts []string) string {
	raw, _ := json.Marshal(texts) // texts
	return string(raw)
}

func object(key, value string) string { return "{" + quoted(key) + ":" + quoted(value) + "}" }
