package clients

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Connection is how a client reaches this server: it starts a program, starts a program in a container, or sends
// requests to a URL.
type Connection struct {
	Program string     // program to start
	Options [][]string // flags of the server, each with an optional value

	Container string // container in which Docker starts the program

	URL      string // MCP URL of a running server
	TokenEnv string // environment variable with its token; empty means no token
	System   string // GOOS; empty means this system

	args []string // arguments of an existing entry; empty means serve
}

// member is a key of an entry with its value as JSON.
type member struct{ key, raw string }

// transportKeys are the keys of an entry that define how the server is reached. Others belong to the user.
var transportKeys = []string{"command", "args", "url"}

// members returns the keys that an entry needs, in the order of a new entry.
func (c Client) members(w Connection) []member {
	if w.URL == "" {
		if len(w.args) == 0 {
			w.args = []string{"serve"}
		}
		program, args := w.Program, withOptions(w.args, w.Options)
		if w.Container != "" {
			program, args = "docker", append([]string{"exec", "-i", w.Container, "nomograph"}, args...)
		}
		return c.programMembers(program, args)
	}
	if c.Bridged {
		return c.programMembers(w.bridge())
	}
	all := []member{{"url", quote(w.URL)}}
	if len(c.HTTP) == 2 {
		all = append([]member{{c.HTTP[0], quote(c.HTTP[1])}}, all...)
	}
	if w.TokenEnv != "" {
		all = append(all, member{"headers", object(authorization, "Bearer "+fmt.Sprintf(c.Variable, w.TokenEnv))})
	}
	return all
}

const authorization = "Authorization"

func (c Client) programMembers(program string, args []string) []member {
	all := []member{{"command", quote(program)}, {"args", list(args)}}
	if c.Typed {
		all = append([]member{{"type", quote("stdio")}}, all...)
	}
	return all
}

// bridge returns the program that connects clients without HTTP support to a URL. On Windows npx is a script that cmd
// runs, and spaces in arguments are lost. The token is therefore sent in a header that needs no space.
func (w Connection) bridge() (program string, args []string) {
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

// NextSteps returns what else the user has to do.
func (c Client) NextSteps(w Connection) string {
	if w.URL == "" || w.TokenEnv == "" {
		return ""
	}
	if c.Bridged {
		return fmt.Sprintf("%s does not pass its environment on: add \"env\": {\"%s\": \"...\"} with the token to the entry, in this file that only you can read.\n", c.Title, w.TokenEnv)
	}
	return fmt.Sprintf("%s reads the token from %s in the environment in which it starts.\n", c.Title, w.TokenEnv)
}

// startsNomograph reports whether an entry starts or calls this server, so that it may be changed.
func startsNomograph(command string, args []string, url string) bool {
	name := programName(command)
	return command == "" && url != "" || name == "nomograph" || name == "docker" && slices.Contains(args, "nomograph") ||
		isBridge(args)
}

// programName returns the name of a program without its folder and .exe, in lower case.
func programName(command string) string {
	return strings.TrimSuffix(strings.ToLower(base(command)), ".exe")
}

func isBridge(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "mcp-remote") })
}

// base returns the last part of a path of any system.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

func quote(text string) string {
	raw, _ := json.Marshal(text) // strings always encode
	return string(raw)
}

func list(texts []string) string {
	raw, _ := json.Marshal(texts) // strings always encode
	return string(raw)
}

func object(key, value string) string { return "{" + quote(key) + ":" + quote(value) + "}" }
