package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

const (
	// for one answer, and for background work; an engine plans statements for seconds on a busy machine
	patience = 2 * time.Minute
	poll     = 20 * time.Millisecond

	// A foreign node keeps programs from applying the pack core, as they do to an empty graph.
	empty = "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock DETACH DELETE n WITH count(*) AS c MERGE (:Foreign {name: 'foreign'})"
	// Background workers look for nodes with labels such as Unindexed.
	unfinished = "MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH 'Un' AND l <> 'UnmetNeed') RETURN count(n)"
	census     = `MATCH (n) WHERE NOT n:TokenUsage AND NOT n:SYS_Server UNWIND labels(n) AS label UNWIND CASE keys(n) WHEN [] THEN [''] ELSE keys(n) END AS name
	              WITH label, name, count(*) AS count ORDER BY label, name
	              WITH label, collect(' ' + name + '=' + count) AS counts
	              RETURN ':' + label + reduce(line = '', one IN counts | line + one) AS line
	              UNION MATCH ()-[r]->() WITH type(r) AS type, count(*) AS count RETURN '-' + type + '- ' + count AS line`
)

// program is one of the two builds, with its engine, its folders and its answers.
type program struct {
	name, path, hook, home string
	version                *regexp.Regexp // the version of the program, with the word before it
	environ                []string
	// settings of servers over HTTP; with their own engine they would open all pages in advance
	database []string
	known    map[string]bool   // values of the archive and of the requests, which are not masked
	vars     map[string]string // values of earlier answers in this part, and names of the archive
	serves   bool              // true if this part has a server
	driver   neo4j.DriverWithContext
	engine   string // what `engine status` says about the running process

	asked   []string // names of requests, in order
	answers map[string]string
	took    time.Duration
}

func newProgram(name, path, home string) (*program, error) {
	bin := filepath.Join(home, "bin") // both programs have paths of the same length, which widths of columns depend on
	p := &program{name: name, path: filepath.Join(bin, "nomograph"), hook: filepath.Join(bin, "nomograph-hook"),
		home: home, known: map[string]bool{}, answers: map[string]string{}}
	for from, to := range map[string]string{path: p.path, filepath.Join(filepath.Dir(path), "nomograph-hook"): p.hook} {
		text, err := os.ReadFile(from)
		if err = errors.Join(err, os.MkdirAll(bin, 0o755), os.WriteFile(to, text, 0o755)); err != nil {
			return nil, err
		}
	}
	cache := os.Getenv("NOMOGRAPH_ENGINE_CACHE")
	if cache == "" { // so that the jars of Neo4j are not fetched again
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		cache = filepath.Join(user, "nomograph")
	}
	p.environ = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "JAVA_HOME=" + os.Getenv("JAVA_HOME"), "TZ=UTC",
		"LANG=C.UTF-8", "NOMOGRAPH_ENGINE_DIR=" + filepath.Join(home, "engine"),
		"NOMOGRAPH_ENGINE_CACHE=" + cache, "NOMOGRAPH_ENGINE_IDLE=9m", "NOMOGRAPH_ENGINE_HEAP=512m",
		"NOMOGRAPH_CHECK_TIMEOUT=1m", "NOMOGRAPH_APPROVAL_DELAY=0s",
		"NOMOGRAPH_AGENT=judge", "NOMOGRAPH_PROJECT=acme/shop"}
	text, err := p.command(context.Background(), "version", p.path, "version").Output()
	if words := strings.Fields(string(text)); len(words) > 1 {
		p.version = regexp.MustCompile(`(version"?:?\s+"?|nomograph[ /])` + regexp.QuoteMeta(words[1]))
	}
	return p, errors.Join(err, fs.WalkDir(data, "data", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := data.ReadFile(file)
		for _, found := range changing.FindAllString(string(text), -1) {
			p.known[key(found)] = true
		}
		return err
	}))
}

// command returns a command in the home folder of a part.
func (p *program) command(ctx context.Context, part, path string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, path, args...)
	command.Dir = filepath.Join(p.home, part, "work")
	command.Env = append(slices.Clone(p.environ), "HOME="+filepath.Join(p.home, part))
	command.WaitDelay = time.Second
	_ = os.MkdirAll(command.Dir, 0o755) // if it fails, so does the command
	return command
}

// play starts the engine, plays all parts and stops the engine.
func (p *program) play(ctx context.Context, parts []part) error {
	defer func() { _ = p.command(context.WithoutCancel(ctx), "engine", p.path, "engine", "stop").Run() }()
	if text, err := p.command(ctx, "engine", p.path, "engine", "start").CombinedOutput(); err != nil {
		return fmt.Errorf("engine of the %s program: %w: %s", p.name, err, text)
	}
	if err := p.connect(ctx); err != nil {
		return err
	}
	defer func() { _ = p.driver.Close(context.WithoutCancel(ctx)) }()
	begun, engine := time.Now(), p.engine
	for _, each := range parts {
		if err := p.playPart(ctx, each); err != nil {
			return fmt.Errorf("%s program, part %s: %w", p.name, each.name, err)
		}
	}
	p.took = time.Since(begun)
	if err := p.connect(ctx); err != nil || p.engine != engine {
		return fmt.Errorf("the engine of the %s program stopped during the comparison, so the answers mean nothing; compare again when the machine is less busy", p.name)
	}
	return nil
}

// connect reads the address of the running engine and connects to it.
func (p *program) connect(ctx context.Context) error {
	text, err := p.command(ctx, "engine", p.path, "engine", "status", "-o", "json").Output()
	if err != nil {
		return err
	}
	var status struct {
		URI, Username string
		PasswordFile  string `json:"password_file"`
		PID           int
	}
	if err := json.Unmarshal(text, &status); err != nil {
		return err
	}
	text, err = os.ReadFile(status.PasswordFile)
	if err != nil {
		return err
	}
	password := strings.TrimSpace(string(text))
	p.engine = fmt.Sprint(status.URI, status.PID)
	p.database = []string{"NEO4J_URI=" + status.URI, "NEO4J_USERNAME=" + status.Username, "NEO4J_PASSWORD=" + password}
	p.driver, err = neo4j.NewDriverWithContext(status.URI, neo4j.BasicAuth(status.Username, password, ""))
	return err
}

// cypher runs a statement and returns the values of the first column.
func (p *program) cypher(ctx context.Context, statement string) (values []any, err error) {
	result, err := neo4j.ExecuteQuery(ctx, p.driver, statement, nil, neo4j.EagerResultTransformer)
	if err != nil {
		return nil, err
	}
	for _, record := range result.Records {
		values = append(values, record.Values[0])
	}
	return values, nil
}

// playPart imports the archive into an empty graph, plays the requests of a part, and counts the nodes of the graph.
func (p *program) playPart(ctx context.Context, each part) error {
	p.vars, p.serves = maps.Clone(names), false
	home := filepath.Join(p.home, each.name)
	files, err := fs.Sub(data, "data/files")
	if err == nil {
		err = os.CopyFS(filepath.Join(home, "work"), files)
	}
	if err != nil {
		return err
	}
	if len(each.requests) > 0 {
		if err := p.importArchive(ctx, each.name); err != nil {
			return err
		}
	}
	ask, stop, err := each.open(ctx, p, each.name)
	if err != nil {
		return err
	}
	p.finish(ctx)
	for i, r := range each.requests {
		if r.text == "wait" {
			p.finish(ctx)
			continue
		}
		r.text = variable.ReplaceAllStringFunc(r.text,
			func(name string) string { return cmp.Or(p.vars[name[1:]], name) })
		within, cancel := context.WithTimeout(ctx, patience)
		p.record(each.name, fmt.Sprintf("%03d %s", i+1, r.name), ask(within, r), r.capture)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	p.finish(ctx)
	stop()
	if len(each.requests) == 0 {
		return nil
	}
	counts, err := p.cypher(ctx, census)
	var lines []string
	for _, line := range counts {
		lines = append(lines, line.(string))
	}
	slices.Sort(lines)
	p.record(each.name, "999 graph afterwards", strings.Join(lines, "\n"), "")
	return err
}

// importArchive fills the empty graph.
func (p *program) importArchive(ctx context.Context, part string) error {
	archive, err := data.ReadFile("data/archive.jsonl")
	if err != nil {
		return err
	}
	file := filepath.Join(p.home, "archive.jsonl")
	if err := os.WriteFile(file, archive, 0o600); err != nil {
		return err
	}
	if _, err := p.cypher(ctx, empty); err != nil {
		return err
	}
	text, err := p.command(ctx, part, p.path, "import", "archive", file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("import: %w: %s", err, text)
	}
	p.record(part, "000 import", string(text), "")
	return nil
}

// finish waits until the background workers of a server have finished their work.
func (p *program) finish(ctx context.Context) {
	for until := time.Now().Add(patience); p.serves && time.Now().Before(until) && ctx.Err() == nil; time.Sleep(poll) {
		if left, err := p.cypher(ctx, unfinished); err == nil && left[0] == int64(0) {
			return
		}
	}
}

var unsafe = regexp.MustCompile(`[^\w .,:=+@$-]+`)

// record stores an answer. capture is "name:field": the value of the field is "$name" in later requests.
func (p *program) record(part, request, answer, capture string) {
	if name, field, ok := strings.Cut(capture, ":"); ok {
		if found := regexp.MustCompile(regexp.QuoteMeta(field) + `\\?"?:?\s+\\?"?([\w.:-]{8,})`).
			FindStringSubmatch(answer); found != nil {
			p.vars[name] = found[1]
		}
	}
	if request = unsafe.ReplaceAllString(request, " "); len(request) > 100 {
		request = request[:100]
	}
	name := filepath.Join(part, request)
	p.asked = append(p.asked, name)
	p.answers[name] = strings.TrimRight(p.mask(answer), "\n") + "\n"
}

// overStdio starts a server over stdio. A request is a method of MCP with its parameters, or a raw line.
func overStdio(ctx context.Context, p *program, part string) (func(context.Context, request) string, func(), error) {
	command := p.command(ctx, part, p.path, "serve", "--toolsets", "all")
	in, err := command.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	lines, id := make(chan []byte), 0
	go func() {
		defer close(lines)
		for reader := bufio.NewReader(output); ; {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	ask := func(ctx context.Context, r request) string {
		id++
		text, want, first := message(id, r.text), strconv.Itoa(id), ""
		if text == r.text { // the server may not answer it
			want = "0"
			text += "\n" + message(0, "ping")
		}
		if _, err := io.WriteString(in, text+"\n"); err != nil {
			return err.Error()
		}
		for {
			select {
			case <-ctx.Done():
				return "no answer"
			case line, ok := <-lines:
				var answer struct {
					ID     json.RawMessage
					Method string
				}
				switch _ = json.Unmarshal(line, &answer); {
				case !ok:
					return "the server has ended"
				case answer.Method != "": // a notification
				case string(answer.ID) == want:
					return cmp.Or(first, pretty(line))
				case want == "0":
					first = pretty(line)
				}
			}
		}
	}
	stop := func() {
		_ = in.Close()
		_ = command.Wait()
	}
	p.serves = true
	return ask, stop, command.Start()
}

// message returns a message of JSON-RPC: the text itself, or a request with the method and parameters in it.
func message(id int, text string) string {
	method, params, _ := strings.Cut(text, " ")
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return text
	}
	if params == "" {
		params = "{}"
	}
	return fmt.Sprintf(`{"jsonrpc": "2.0", "id": %d, "method": %q, "params": %s}`, id, method, params)
}

var (
	served  = regexp.MustCompile(`Serving MCP at (http://\S+)/mcp`)
	bracket = regexp.MustCompile(`^\s*\[([\w-]+): ([^]]*)\]`)
	headers = []string{"Allow", "Cache-Control", "Content-Disposition", "Content-Type", "Etag", "Idempotent-Replayed",
		"Link", "Location", "Retry-After", "Vary", "Www-Authenticate"}
)

// withToken creates a token, and starts a server that requires it.
func withToken(ctx context.Context, p *program, part string) (func(context.Context, request) string, func(), error) {
	text, err := p.command(ctx, part, p.path, "token", "create", "judge", "--permissions", "admin").CombinedOutput()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %s", err, text)
	}
	p.vars["token"] = regexp.MustCompile(`nmg_[\w-]+`).FindString(string(text))
	return overHTTP(ctx, p, part)
}

// overHTTP starts a server. A request is a method, a path, headers in brackets, and a body; or a method of JSON-RPC,
// which is sent to the endpoint of the part.
func overHTTP(ctx context.Context, p *program, part string) (func(context.Context, request) string, func(), error) {
	var args []string
	given := http.Header{"Accept": {"application/json, text/event-stream, */*;q=0.1"}, "X-Nomograph-Agent": {"judge"}}
	if p.vars["token"] != "" {
		args = []string{"--auth"}
		given.Set("Authorization", "Bearer "+p.vars["token"])
	}
	url, stop, err := p.serve(ctx, part, args...)
	if err == nil {
		err = p.ready(ctx, url, given)
	}
	id := 0
	return func(ctx context.Context, r request) string {
		if r.endpoint != "" {
			id++
			r.text = "POST " + r.endpoint + " " + message(id, r.text)
		}
		method, rest, _ := strings.Cut(r.text, " ")
		path, rest, _ := strings.Cut(rest, " ")
		asked, err := http.NewRequestWithContext(ctx, method, url+path, nil)
		if err != nil {
			return err.Error()
		}
		asked.Header = given.Clone()
		for found := bracket.FindStringSubmatch(rest); found != nil; found = bracket.FindStringSubmatch(rest) {
			asked.Header.Set(found[1], found[2])
			rest = rest[len(found[0]):]
		}
		if rest = strings.TrimSpace(rest); rest != "" {
			asked.Body = io.NopCloser(strings.NewReader(rest))
			asked.ContentLength = int64(len(rest))
			if asked.Header.Get("Content-Type") == "" {
				asked.Header.Set("Content-Type", "application/json")
			}
		}
		answer, err := http.DefaultClient.Do(asked)
		if err != nil {
			return err.Error()
		}
		defer func() { _ = answer.Body.Close() }()
		if session := answer.Header.Get("Mcp-Session-Id"); session != "" {
			given.Set("Mcp-Session-Id", session)
		}
		return textOf(answer)
	}, stop, err
}

// textOf returns the status, the headers and the body of an answer.
func textOf(answer *http.Response) string {
	body, err := io.ReadAll(answer.Body)
	var text strings.Builder
	fmt.Fprintln(&text, answer.Status)
	for _, name := range headers {
		for _, value := range answer.Header.Values(name) {
			fmt.Fprintf(&text, "%s: %s\n", name, value)
		}
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") { // the last event is the answer
		events := strings.Split(strings.TrimSpace(string(body)), "data: ")
		body = []byte(events[len(events)-1])
	}
	text.WriteString(pretty(body))
	if err != nil {
		fmt.Fprintln(&text, err)
	}
	return text.String()
}

// serve starts a server on a free port and returns its address.
func (p *program) serve(ctx context.Context, part string, args ...string) (url string, stop func(), err error) {
	command := p.command(ctx, part, p.path, append([]string{"serve", "--http", "127.0.0.1:0", "--toolsets", "all"},
		args...)...)
	command.Env = append(command.Env, p.database...)
	errs, err := command.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	reader := bufio.NewReader(errs)
	for url == "" {
		line, err := reader.ReadString('\n')
		if found := served.FindStringSubmatch(line); found != nil {
			url = found[1]
		} else if err != nil {
			return "", nil, fmt.Errorf("the server ended: %s", line)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	p.serves = true
	return url, func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	}, nil
}

// ready waits until a server has its database and knows the caller.
func (p *program) ready(ctx context.Context, url string, given http.Header) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, path := range []string{"/readyz", "/openapi.json"} {
		for status := 0; status != http.StatusOK; {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
			if err != nil {
				return err
			}
			r.Header = given
			if answer, err := http.DefaultClient.Do(r); err == nil {
				status = answer.StatusCode
				_ = answer.Body.Close()
			}
			select {
			case <-time.After(poll):
			case <-ctx.Done():
				return fmt.Errorf("GET %s: got %d, want 200: %w", path, status, ctx.Err())
			}
		}
	}
	return nil
}

// inShell runs command lines of a shell, which open the database.
func inShell(_ context.Context, p *program, part string) (func(context.Context, request) string, func(), error) {
	return func(ctx context.Context, r request) string {
		return p.output(p.command(ctx, part, "sh", "-c", r.text), r.stdin)
	}, func() {}, nil
}

// inShellAtServer runs command lines of a shell with answers as JSON, which ask a server.
func inShellAtServer(ctx context.Context, p *program, part string) (func(context.Context, request) string, func(),
	error) {
	url, stop, err := p.serve(ctx, part)
	return func(ctx context.Context, r request) string {
		command := p.command(ctx, part, "sh", "-c", `nomograph() { command nomograph -o json "$@"; }`+"\n"+r.text)
		command.Env = append(command.Env, "NOMOGRAPH_URL="+url)
		return p.output(command, r.stdin)
	}, stop, err
}

// besideServer runs the small program for hooks, which asks a running server.
func besideServer(ctx context.Context, p *program, part string) (func(context.Context, request) string, func(), error) {
	_, stop, err := p.serve(ctx, part)
	return func(ctx context.Context, r request) string {
		command := p.command(ctx, part, p.hook, strings.Fields(r.text)...)
		command.Env = append(command.Env, p.database...)
		return p.output(command, r.stdin)
	}, stop, err
}

// output runs a command and returns its exit code and what it printed.
func (p *program) output(command *exec.Cmd, stdin string) string {
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := command.Run(); command.ProcessState == nil {
		return err.Error()
	}
	text := fmt.Sprintf("exit %d\n%s", command.ProcessState.ExitCode(), pretty(stdout.Bytes()))
	if stderr.Len() > 0 {
		text = strings.TrimRight(text, "\n") + "\n-- stderr\n" + pretty(stderr.Bytes())
	}
	return text
}
