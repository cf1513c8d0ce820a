package main

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/tools"
)

// data holds the requests, the archive, and the files of the working directory of all programs.
//
//go:embed all:data
var data embed.FS

// part is a sequence of requests on the imported archive.
type part struct {
	name string
	open func(ctx context.Context, p *program, part string) (ask func(context.Context, request) string, stop func(),
		err error)
	requests []request
}

// request is one request in the notation of its part. The text "wait" waits for background workers instead.
type request struct {
	name, text, stdin, capture string
	// path that gets the text as a message of JSON-RPC; empty for a whole HTTP request
	endpoint string
}

// lines reads a file of requests: one on each line, with "=> name:field" at its end to store a field of the answer as
// $name. Lines that begin with # are comments.
func lines(file string) (requests []request) {
	text, err := data.ReadFile("data/" + file)
	if err != nil {
		panic(err) // the file is embedded
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			line, capture, _ := strings.Cut(line, " => ")
			requests = append(requests, request{name: line, text: line, capture: capture})
		}
	}
	return requests
}

// names are the ids of the archive that requests use as $name.
var names = func() map[string]string {
	all := map[string]string{}
	for _, line := range lines("names.txt") {
		name, id, _ := strings.Cut(line.text, " ")
		all[name] = id
	}
	return all
}()

// route is the REST resource of an operation.
type route struct{ method, path string }

// allParts returns all parts. Both programs get the requests that the operations of this command allow.
func allParts() ([]part, error) {
	stdio, mcp, rest, err := operationRequests()
	if err != nil {
		return nil, err
	}
	over := func(endpoint string, requests []request) []request {
		for i := range requests {
			requests[i].endpoint = endpoint
		}
		return requests
	}
	var overHook, posted []request
	for _, e := range lines("hooks.txt") {
		words, event, _ := strings.Cut(e.text, " {")
		event = "{" + event
		client, name, _ := strings.Cut(words, " ")
		overHook = append(overHook, request{name: e.name, text: words, stdin: event})
		posted = append(posted, request{name: e.name, text: "POST /hooks/" + client + "?contract=1&event=" + name +
			" " + event})
	}
	commands := lines("commands.txt")
	for i := 0; i < len(overHook); i += 4 { // without a server, each takes much longer
		commands = append(commands, request{name: overHook[i].name, text: "nomograph hook " + overHook[i].text,
			stdin: overHook[i].stdin})
	}
	protocols := slices.Concat(over("/cstp", lines("cstp.txt")), lines("grpc.txt"), lines("ofrep.txt"),
		lines("authzen.txt"), posted)
	return []part{
		{"stdio", overStdio, append(lines("messages.txt"), stdio...)},
		{"mcp", overHTTP, append(over("/mcp", lines("messages.txt")), over("/mcp", mcp)...)},
		{"protocols", overHTTP, protocols},
		{"rest", withToken, append(rest, lines("rest.txt")...)},
		{"hooks", besideServer, overHook},
		{"commands", inShell, commands},
		{"remote-commands", inShellAtServer, commands},
		{"help", inHelp, nil},
	}, nil
}

// operationRequests returns the calls of operations, and over stdio and REST also calls with a mistake.
func operationRequests() (stdio, mcp, rest []request, err error) {
	operations, problems := tools.Operations("") // with named queries
	if len(problems) > 0 {
		return nil, nil, nil, problems[0]
	}
	routes, first := map[string]route{}, map[string]string{} // arguments of the first call
	for _, o := range operations {
		method, path, _ := strings.Cut(o.REST, " ")
		routes[o.Name] = route{method, "/api" + path}
	}
	for _, c := range lines("calls.txt") {
		name, arguments, _ := strings.Cut(c.text, " ")
		over := c
		if r, ok := routes[name]; ok { // otherwise it waits
			first[name] = cmp.Or(first[name], arguments)
			over.text = r.request(arguments)
			c.text = fmt.Sprintf(`tools/call {"name": %q, "arguments": %s}`, name, arguments)
		}
		stdio, mcp, rest = append(stdio, c), append(mcp, c), append(rest, over)
	}
	for _, o := range operations {
		valid := map[string]any{}
		if err := json.Unmarshal([]byte(first[o.Name]), &valid); err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		variants := invalid(o.Input(), valid)
		for _, wrong := range slices.Sorted(maps.Keys(variants)) {
			text, _ := json.Marshal(variants[wrong])
			stdio = append(stdio, request{name: o.Name + " with " + wrong,
				text: fmt.Sprintf(`tools/call {"name": %q, "arguments": %s}`, o.Name, text)})
			if wrong == "an unknown argument" {
				rest = append(rest, request{name: o.Name + " with " + wrong,
					text: routes[o.Name].request(string(text))})
			}
		}
	}
	return stdio, mcp, rest, nil
}

// invalid returns variants of valid arguments, each with one mistake.
func invalid(input *jsonschema.Schema, valid map[string]any) map[string]map[string]any {
	variants := map[string]map[string]any{}
	if len(input.Required) > 0 {
		variants["nothing"] = map[string]any{}
	}
	for i, name := range slices.Sorted(maps.Keys(input.Properties)) {
		if i == 0 {
			unknown := maps.Clone(valid)
			unknown[name+"s"] = "x"
			variants["an unknown argument"] = unknown
		}
		if i < 2 {
			mistyped := maps.Clone(valid)
			mistyped[name] = []any{map[string]any{"a": 1}}
			variants["a wrong type of "+name] = mistyped
		}
	}
	return variants
}

var (
	variable  = regexp.MustCompile(`\$[a-z]\w*`)
	parameter = regexp.MustCompile(`\{(\w+)\}`)
)

// request returns the request of a call with arguments in JSON.
func (r route) request(arguments string) string {
	var values map[string]any
	if err := json.Unmarshal([]byte(arguments), &values); err != nil {
		return r.method + " " + r.path + " " + arguments
	}
	path := parameter.ReplaceAllStringFunc(r.path, func(name string) string {
		name = strings.Trim(name, "{}")
		value := fmt.Sprint(values[name])
		delete(values, name)
		return url.PathEscape(value)
	})
	if r.method != "GET" && r.method != "DELETE" {
		body, _ := json.Marshal(values)
		return r.method + " " + path + " " + string(body)
	}
	query := url.Values{}
	for name, value := range values {
		switch v := value.(type) {
		case []any:
			for _, member := range v {
				query.Add(name, fmt.Sprint(member))
			}
		case map[string]any:
			for key, member := range v {
				query.Add(name+"["+key+"]", fmt.Sprint(member))
			}
		default:
			query.Add(name, fmt.Sprint(v))
		}
	}
	return strings.TrimSuffix(r.method+" "+path+"?"+strings.ReplaceAll(query.Encode(), "%24", "$"), "?")
}

var listed = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) {2,}\S`)

// inHelp asks for the help of every command, and gives every command an unknown flag.
func inHelp(ctx context.Context, p *program, part string) (func(context.Context, request) string, func(), error) {
	var walk func(path []string)
	walk = func(path []string) {
		help := p.output(p.command(ctx, part, p.path, append(slices.Clone(path), "--help")...), "")
		p.record(part, "help "+strings.Join(path, " "), help, "")
		p.record(part, "flag "+strings.Join(path, " "),
			p.output(p.command(ctx, part, p.path, append(slices.Clone(path), "--no-such-flag")...), ""), "")
		_, commands, _ := strings.Cut(help, "[command]\n")
		commands, _, _ = strings.Cut(commands, "\nFlags:")
		for _, found := range listed.FindAllStringSubmatch(commands, -1) {
			if ctx.Err() == nil {
				walk(append(slices.Clone(path), found[1]))
			}
		}
	}
	walk(nil)
	return nil, func() {}, nil
}
