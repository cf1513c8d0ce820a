package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
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

// tool is an entry of tools/list.
type tool struct {
	Name        string
	InputSchema struct {
		Properties map[string]struct{ Type any }
		Required   []string
	}
}

// route is the REST resource of an operation.
type route struct{ method, path string }

// parts returns all parts. Requests for every tool derive from the lists of this program, so that both programs get
// the same.
func (p *program) parts(ctx context.Context) ([]part, error) {
	tools, routes, err := p.surface(ctx)
	if err != nil {
		return nil, err
	}
	calls := lines("calls.txt")
	var stdio, mcp, rest []request
	for _, c := range calls {
		name, arguments, _ := strings.Cut(c.text, " ")
		if name == "wait" {
			stdio, mcp, rest = append(stdio, c), append(mcp, c), append(rest, c)
			continue
		}
		c.text = fmt.Sprintf(`tools/call {"name": %q, "arguments": %s}`, name, arguments)
		stdio = append(stdio, c)
		c.endpoint = "/mcp"
		mcp = append(mcp, c)
		if r, ok := routes[name]; ok {
			c.endpoint, c.text = "", r.request(arguments)
			rest = append(rest, c)
		}
	}
	for _, t := range tools {
		valid := map[string]any{}
		if i := slices.IndexFunc(calls, func(c request) bool { return strings.HasPrefix(c.text, t.Name+" ") }); i >= 0 {
			if err := json.Unmarshal([]byte(strings.TrimPrefix(calls[i].text, t.Name+" ")), &valid); err != nil {
				return nil, fmt.Errorf("%s: %w", calls[i].text, err)
			}
		}
		for wrong, arguments := range t.invalid(valid) {
			text, _ := json.Marshal(arguments)
			stdio = append(stdio, request{name: t.Name + " with " + wrong,
				text: fmt.Sprintf(`tools/call {"name": %q, "arguments": %s}`, t.Name, text)})
			if r, ok := routes[t.Name]; ok && wrong == "an unknown argument" {
				rest = append(rest, request{name: t.Name + " with " + wrong, text: r.request(string(text))})
			}
		}
	}
	slices.SortStableFunc(stdio[len(calls):], func(a, b request) int { return strings.Compare(a.name, b.name) })
	messages := lines("messages.txt")
	for i := range messages {
		messages[i].endpoint = "/mcp"
	}
	methods := lines("cstp.txt")
	for i := range methods {
		methods[i].endpoint = "/cstp"
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
	protocols := slices.Concat(methods, lines("grpc.txt"), lines("ofrep.txt"), lines("authzen.txt"), posted)
	return []part{
		{"stdio", overStdio, append(slices.Clone(messages), stdio...)},
		{"mcp", overHTTP, append(messages, mcp...)},
		{"protocols", overHTTP, protocols},
		{"rest", withToken, append(rest, lines("rest.txt")...)},
		{"hooks", besideServer, overHook},
		{"commands", inShell, commands},
		{"remote-commands", inShellAtServer, commands},
		{"help", inHelp, nil},
	}, nil
}

// invalid returns variants of valid arguments, each with one mistake.
func (t tool) invalid(valid map[string]any) map[string]map[string]any {
	variants := map[string]map[string]any{}
	if len(t.InputSchema.Required) > 0 {
		variants["nothing"] = map[string]any{}
	}
	for i, name := range slices.Sorted(maps.Keys(t.InputSchema.Properties)) {
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

// surface asks this program for its tools and its REST resources. Neither needs a database.
func (p *program) surface(ctx context.Context) (tools []tool, routes map[string]route, err error) {
	url, stop, err := p.serve(ctx, "surface", "--uri", "bolt://127.0.0.1:1")
	if err != nil {
		return nil, nil, err
	}
	defer stop()
	var list struct{ Result struct{ Tools []tool } }
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	for path, into := range map[string]any{"/mcp": &list, "/openapi.json": &document} {
		method, body := http.MethodGet, ""
		if path == "/mcp" {
			method, body = http.MethodPost, message(1, "tools/list")
		}
		r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			return nil, nil, err
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, nil, err
		}
		err = json.NewDecoder(answer.Body).Decode(into)
		_ = answer.Body.Close()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	routes = map[string]route{}
	for path, methods := range document.Paths {
		for method, o := range methods {
			routes[o.OperationID] = route{strings.ToUpper(method), path}
		}
	}
	return list.Result.Tools, routes, nil
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
