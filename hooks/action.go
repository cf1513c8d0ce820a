package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"nomograph/hooks/shell"
	"nomograph/internal/pattern"
	"nomograph/internal/redact"
)

// Kind is a kind of action, by the name with which rules select it.
type Kind string

// The kinds of actions.
const (
	ShellRun     Kind = "shell.run"
	FileRead     Kind = "file.read"
	FileWrite    Kind = "file.write" // includes edits
	FileDelete   Kind = "file.delete"
	WebFetch     Kind = "web.fetch"
	MCPCall      Kind = "mcp.call"
	AgentSpawn   Kind = "agent.spawn"
	PromptSubmit Kind = "prompt.submit"
	GitCommit    Kind = "git.commit"
	GitPush      Kind = "git.push"
)

// Kinds are all kinds of actions.
var Kinds = []Kind{ShellRun, FileRead, FileWrite, FileDelete, WebFetch, MCPCall, AgentSpawn, PromptSubmit, GitCommit, GitPush}

// Action is what an agent is about to do, the same for every client.
type Action struct {
	Kind        Kind
	Description string
	Params      map[string]any
	// Session and ToolUseID are the client's own ids, "" if it sends none.
	Session, ToolUseID string
	// Event is the client's name of the event, and Version the client's version, "" if it sends none.
	Event, Version string
	Cwd            string
	// twice says that another event about the same call has no id.
	twice bool
}

const (
	maxCommand   = 16 << 10 // bytes of a command in params
	maxArguments = 16 << 10 // bytes of the arguments of an MCP tool
	maxRead      = 2000     // texts in the arguments of an MCP tool that are read as paths, statements or commands
	maxWalked    = 200_000  // values in the arguments of an MCP tool, of any kind
	commandReads = 20       // how many texts a command counts as, because it takes longer to parse
	maxShown     = 200      // bytes of a description
)

// Command returns the action of a shell command.
func Command(command, cwd string) Action { return CommandIn(shell.Guess, command, cwd) }

// CommandIn is Command for a command in a known dialect.
func CommandIn(dialect shell.Dialect, command, cwd string) Action {
	effects := shell.ParseIn(dialect, command, cwd)
	return Action{Kind: ShellRun, Description: "Run: " + shortLine(command), Params: effects.Params(cut(command, maxCommand)), Cwd: cwd}
}

// File returns the action of reading, writing or deleting a file. content is what is written; only its size is recorded.
func File(kind Kind, name, cwd, content string) Action {
	verb := map[Kind]string{FileRead: "Read ", FileWrite: "Write ", FileDelete: "Delete "}[kind]
	params := map[string]any{"path": cut(name, 4096)}
	reads, writes, deletes := shell.PlacesOf(name, cwd)
	switch kind {
	case FileRead:
		params["reads_of"] = texts(reads)
	case FileDelete:
		params["deletes_of"] = texts(deletes)
	default:
		params["writes_of"], params["bytes"] = texts(writes), len(content)
	}
	return Action{Kind: kind, Description: verb + shortLine(name), Params: params, Cwd: cwd}
}

// Fetch returns the action of reading a page.
func Fetch(address, cwd string) Action {
	params := map[string]any{"url": cut(address, 4096)}
	if parsed, err := url.Parse(address); err == nil {
		params["host"] = parsed.Hostname()
	}
	if file, ok := shell.LocalFile(address); ok {
		params["path"] = cut(file, 4096)
	}
	params["reads_of"], params["secrets"] = texts(shell.PlacesOfAddress(address, cwd)), holdsSecret(address)
	return Action{Kind: WebFetch, Description: "Fetch " + shortLine(address), Params: params, Cwd: cwd}
}

// minSecretLength is the minimum length in bytes of a query value that can be a secret. Examples such as token=abc are
// shorter.
const minSecretLength = 8

// holdsSecret reports whether an address contains a secret.
func holdsSecret(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return redact.Mask(address) != address
	}
	if query, err := url.ParseQuery(parsed.RawQuery); err == nil {
		for name, values := range query {
			if !slices.ContainsFunc(values, func(value string) bool { return len(value) >= minSecretLength }) {
				query.Del(name)
			}
		}
		parsed.RawQuery = query.Encode()
		address = parsed.String()
	}
	return redact.Mask(address) != address
}

// Tool returns the action of calling a tool of an MCP server. Commands and paths in its arguments are parsed like
// those of the agent's own tools.
func Tool(server, tool string, arguments map[string]any, cwd string) Action {
	params := map[string]any{"server": server, "tool": tool, "secrets": false}
	list := func(name string, values ...string) { addTexts(params, name, texts(values)) }
	list("reads_of")
	deleting := deletingTool.MatchString(tool)
	writing := writingTool.MatchString(removing.ReplaceAllString(tool, ""))
	left, walked := maxRead, 0
	merge := func(effects shell.Effects, text string) {
		if before, ok := params["command"]; ok {
			text = fmt.Sprint(before, "\n", text)
		}
		addEffects(params, effects)
		params["command"] = cut(text, maxCommand)
	}
	var read func(name string, argument any)
	within := func(arguments map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(arguments)) {
			argument := arguments[name]
			if text, ok := argument.(string); ok && isCommand(strings.ToLower(name)) {
				argument = text + wordsAfter(arguments)
			}
			read(name, argument)
		}
	}
	read = func(name string, argument any) {
		key := strings.ToLower(name)
		if walked++; walked > maxWalked { // the rest is not examined
			list("unresolved", shell.TooComplex)
			return
		}
		var text string
		switch argument := argument.(type) {
		case map[string]any: // such as an edit in a list of edits
			within(argument)
			return
		case []any:
			item := singular(key)
			if isCommand(key) { // a list of words is one command; a list of lines can be several
				text = commandIn(fields{"command": argument})
				if item = key; text != "" && (key == "command" || key == "cmd" || key == "argv" || !slices.ContainsFunc(argument, isLine)) {
					break
				}
			}
			for _, each := range argument[:min(len(argument), maxWalked-walked+1)] {
				read(item, each)
			}
			if text == "" {
				return
			}
		case string:
			text = argument
		default:
			return
		}
		if !isRead(key) && !isCode(key, tool) && key != "url" {
			return
		}
		if left--; left < 0 {
			list("unresolved", shell.TooComplex)
			return
		}
		switch {
		case isStatement(key):
			if remote := shell.Statement(text); remote != "" && (key != "query" || databaseTool.MatchString(tool)) {
				list("remote", remote)
			}
		case isCommand(key) && !isCode(key, tool):
			left -= commandReads
			merge(shell.Parse(text, cwd), text)
			if program := programOf(server, tool); program != "" && !strings.HasPrefix(strings.TrimSpace(text), program) && (key == "command" || key == "cmd") {
				merge(shell.Parse(program+" "+text, cwd), program+" "+text)
			}
		case isCode(key, tool):
			left -= commandReads
			language, _ := arguments["language"].(string)
			if language = languageOf(language, key, tool, server); language == "sh" {
				merge(shell.Parse(text, cwd), text)
			} else {
				merge(shell.Code(language, text, cwd), text)
			}
			if key == "source" && !strings.ContainsAny(text, "\n(;") {
				places, _, _ := shell.PlacesOf(text, cwd)
				list("reads_of", places...)
			}
		case key == "url" || key == "uri" && strings.Contains(text, ":"):
			list("reads_of", shell.PlacesOfAddress(text, cwd)...)
		case slices.Contains(targetArguments, key):
			_, writes, _ := shell.PlacesOf(text, cwd)
			list("writes_of", writes...)
			list("writes", text)
		case slices.Contains(pathArguments, key):
			places, writes, deletes := shell.PlacesOf(text, cwd)
			list("reads_of", places...) // a tool that uploads or moves a file reads it
			if writing {
				list("writes_of", writes...)
				list("writes", text)
			}
			if deleting {
				list("deletes_of", deletes...)
				list("deletes", text)
			}
		}
	}
	within(arguments)
	if text := commandOf(server, tool, arguments); text != "" {
		merge(shell.Parse(text, cwd), text)
	}
	if raw, err := json.Marshal(arguments); err == nil {
		params["secrets"] = redact.Mask(string(raw)) != string(raw)
		if len(raw) <= maxArguments {
			params["arguments"] = arguments
		}
	}
	return Action{Kind: MCPCall, Description: "Call " + shortLine(server+" "+tool), Params: params, Cwd: cwd}
}

// addTexts adds values to a list of params, once each.
func addTexts(params map[string]any, name string, values []any) {
	list, ok := params[name].([]any)
	if list = slices.Clip(list); !ok {
		list = []any{}
	}
	for _, each := range values {
		if !slices.Contains(list, each) {
			list = append(list, each)
		}
	}
	params[name] = list
}

// addEffects adds the effects of a command to params. They are parsed if all commands are, and privileged if one is.
func addEffects(params map[string]any, effects shell.Effects) {
	for name, effect := range effects.Params("") {
		switch effect := effect.(type) {
		case []any:
			addTexts(params, name, effect)
		case bool:
			was, ok := params[name].(bool)
			params[name] = name == "parsed" && (!ok || was) && effect || name != "parsed" && (was || effect)
		}
	}
}

// Names of arguments, in lower case. A list has the same name, or a plural that singular converts.
var (
	commandArguments = []string{"command", "cmd", "script", "shell", "bash", "shell_command", "command_line", "argv"}
	targetArguments  = []string{"destination", "dest", "target", "new_path", "to"}
	pathArguments    = []string{"path", "file", "file_path", "filename", "filepath", "uri", "source", "absolute_path", "relative_path"}
)

func isCommand(key string) bool { return slices.Contains(commandArguments, key) }

func isStatement(key string) bool {
	return key == "sql" || key == "query" || key == "statement" || key == "cypher"
}

// isCode reports whether an argument of a tool is code that it runs.
func isCode(key, tool string) bool {
	words := wordsOf(tool)
	runs := slices.ContainsFunc(words, func(word string) bool { return slices.Contains(executing, word) })
	switch {
	case !runs && slices.ContainsFunc(words, func(word string) bool { return slices.Contains(showing, word) || strings.HasSuffix(word, "lint") }):
		return false
	case key == "code" || strings.HasSuffix(key, "_code") && key != "source_code":
		return true
	case key == "input" || key == "source_code" || key == "source" || key == "program" || key == "cell":
		return runs || codeTool.MatchString(tool)
	}
	return key == "script" && !slices.Contains([]string{"", "sh"}, namedLanguage(tool))
}

// Words in the names of tools that run the code in their arguments, and of tools that only show, check or change it.
var (
	executing = []string{"run", "runs", "exec", "execute", "eval", "evaluate", "repl", "interpreter", "interpret", "kernel", "jupyter", "notebook", "cell", "sandbox", "shell", "bash", "python"}
	showing   = []string{"review", "format", "explain", "lint", "prettify", "beautify", "highlight", "minify", "document", "summarize", "translate", "critique"}
)

// wordsOf splits the name of a tool into words in lower case: git_push, gitPush and git-push are "git" and "push".
func wordsOf(name string) []string {
	var words strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(words.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// languageOf returns the interpreter of the code that a tool runs, "sh" for a shell.
func languageOf(language, key, tool, server string) string {
	for _, name := range []string{language, key, tool, server} {
		if found := namedLanguage(name); found != "" {
			return found
		}
	}
	return "python3"
}

// Interpreters by parts of names that are unambiguous, and by whole words.
var (
	languages    = [][2]string{{"python", "python3"}, {"javascript", "node"}, {"typescript", "node"}, {"powershell", "sh"}, {"bash", "sh"}, {"shell", "sh"}, {"golang", "go"}}
	languageWord = map[string]string{"node": "node", "nodejs": "node", "js": "node", "ts": "node", "ruby": "ruby", "perl": "perl", "php": "php", "lua": "lua", "rust": "rust", "java": "java", "sh": "sh", "zsh": "sh", "py": "python3", "jupyter": "python3", "ipython": "python3"}
)

// namedLanguage returns the interpreter of the language in a name, "" if it names none.
func namedLanguage(name string) string {
	lower := strings.ToLower(name)
	for _, one := range languages {
		if strings.Contains(lower, one[0]) {
			return one[1]
		}
	}
	for _, word := range wordsOf(name) {
		if language := languageWord[word]; language != "" {
			return language
		}
	}
	return ""
}

// programs are programs that tools and servers are named after. A server of MCP may use a database of another machine.
var programs = map[string]string{"kubectl": "kubectl", "helm": "helm", "terraform": "terraform", "git": "git", "docker": "docker", "aws": "aws", "gcloud": "gcloud", "az": "az", "gh": "gh", "redis": "redis-cli -h server", "psql": "psql", "mysql": "mysql", "argocd": "argocd", "vault": "vault"}

// programOf returns the program that a tool runs, by its name or that of its server.
func programOf(server, tool string) string {
	for _, name := range []string{tool, server} {
		for _, part := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' }) {
			if program := programs[part]; program != "" {
				return program
			}
		}
	}
	return ""
}

// gitOperations are operations of git that tools offer with arguments of their own, such as git_push with force.
var gitOperations = []string{"push", "reset", "clean", "checkout", "restore", "switch", "stash", "branch", "tag", "rebase", "rm", "gc"}

// commandOf returns the command that a tool runs if its arguments do not form a command line: git_push {"force": true},
// kubectl {"args": [...]}.
func commandOf(server, tool string, arguments map[string]any) string {
	program, operation := programOf(server, tool), gitOperation(server, tool)
	if _, ok := arguments["args"]; ok && operation == "" && program != "" && arguments["command"] == nil && arguments["cmd"] == nil {
		return program + wordsAfter(arguments)
	}
	if method, _ := arguments["method"].(string); strings.EqualFold(method, "DELETE") || strings.EqualFold(method, "PURGE") {
		if address, ok := arguments["url"].(string); ok {
			return commandIn(fields{"command": []any{"curl", "-X", method, address}})
		}
	}
	if operation == "" {
		return ""
	}
	words := []any{"git", operation}
	for _, key := range slices.Sorted(maps.Keys(arguments)) {
		switch given := arguments[key].(type) {
		case bool:
			if given {
				words = append(words, optionOf(key))
			}
		case float64:
			if given == 1 {
				words = append(words, optionOf(key))
			}
		case string:
			switch name := strings.ToLower(key); {
			case strings.EqualFold(given, "true") || strings.EqualFold(given, "yes"):
				words = append(words, optionOf(key))
				continue
			case strings.HasPrefix(given, "-") && name != "message":
				for _, option := range strings.Fields(given) {
					words = append(words, option)
				}
				continue
			}
			switch strings.ToLower(key) {
			case "mode", "type":
				words = append(words, "--"+given)
			case "branch", "remote", "ref", "target", "branch_name", "tag", "refspec", "commit", "action", "operation", "subcommand":
				words = append(words, given)
			}
		case []any:
			words = append(words, given...)
		}
	}
	return commandIn(fields{"command": words})
}

// optionOf returns the option for an argument of a tool: --set-upstream for set_upstream and setUpstream.
func optionOf(key string) string { return "--" + strings.Join(wordsOf(key), "-") }

// gitOperation returns the operation of git that a tool runs, "" if it runs none: git_push, or push of the server
// git.
func gitOperation(server, tool string) string {
	words := wordsOf(tool)
	if slices.Contains(wordsOf(server), "git") {
		words = append([]string{"git"}, words...)
	}
	for i, word := range words[:max(len(words)-1, 0)] {
		if word == "git" && slices.Contains(gitOperations, words[i+1]) {
			return words[i+1]
		}
	}
	return ""
}

func isRead(key string) bool {
	return isStatement(key) || isCommand(key) || slices.Contains(targetArguments, key) || slices.Contains(pathArguments, key)
}

// isLine reports whether an item of a list has several words.
func isLine(item any) bool {
	text, ok := item.(string)
	return ok && strings.ContainsAny(text, " \t\n;&|")
}

// singular returns the name of a list's items: path for paths, query for queries.
func singular(key string) string {
	if one := strings.TrimSuffix(strings.TrimSuffix(key, "_list"), "list"); one != key {
		key = one
	}
	if one, ok := strings.CutSuffix(key, "ies"); ok {
		return one + "y"
	}
	return strings.TrimSuffix(key, "s")
}

// wordsAfter returns the words of args, which follow a command in a field of its own.
func wordsAfter(arguments map[string]any) string {
	var text strings.Builder
	switch args := arguments["args"].(type) {
	case string:
		return " " + args
	case []any:
		for _, arg := range args {
			word := fmt.Sprint(arg)
			if quoted := commandIn(fields{"command": []any{word}}); quoted != "" {
				word = quoted
			}
			text.WriteString(" " + word)
		}
	}
	return text.String()
}

// Patterns for the names of tools. They tell whether a tool writes or deletes the files in its arguments.
var (
	removing     = pattern.New(`(?i)remove`) // contains "move"
	writingTool  = pattern.New(`(?i)write|edit|append|create|save|patch|replace|move|rename|upload|update|insert|(?:^|_)(?:put|set)(?:_|$)`)
	codeTool     = pattern.New(`(?i)repl|interpreter|(?:run|exec|execute|eval)\w*_?(?:code|python|js|javascript|node|script)|python|jupyter|notebook`)
	databaseTool = pattern.New(`(?i)sql|query|execute|database|cypher|neo4j|mongo|(?:^|_)db(?:_|$)`)
	deletingTool = pattern.New(`(?i)delete|remove|unlink|rmdir|trash`)
)

// Other returns an action of the given kind. Its only param is the text under key.
func Other(kind Kind, key, text, cwd string) Action {
	verb := map[Kind]string{AgentSpawn: "Start an agent: ", PromptSubmit: "Submit a prompt: ", GitCommit: "Commit: ", GitPush: "Push: "}[kind]
	return Action{Kind: kind, Description: verb + shortLine(text), Params: map[string]any{key: cut(text, maxCommand)}, Cwd: cwd}
}

// Arguments returns the arguments of check_action.
func (a Action) Arguments(client string) map[string]any {
	context := map[string]any{"client": client, "event": a.Event, "content_key": a.content()}
	for key, text := range map[string]string{"client_session": a.Session, "tool_use_id": a.ToolUseID, "client_version": a.Version, "cwd": a.Cwd} {
		if text != "" {
			context[key] = cut(text, 1000)
		}
	}
	return map[string]any{"name": string(a.Kind), "description": a.Description, "params": a.Params, "context": context}
}

// identifying are the params that are equal in the events before and after an action.
var identifying = []string{"command", "path", "url", "server", "tool", "arguments", "prompt"}

// content returns a hash that matches an executed action with its check if the program gives the call no id. Secrets
// are masked first, so it cannot be used to guess them.
func (a Action) content() string {
	parts := []any{a.Kind}
	for _, name := range identifying {
		parts = append(parts, a.Params[name])
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(redact.Mask(string(text))))
	return hex.EncodeToString(sum[:16])
}

// How long an answer counts for a repeated call: Cursor has two events for one command, and VS Code runs the hooks of
// three programs. The time begins when the check ends.
const (
	CallAgain    = time.Minute     // for a call with an id
	ContentAgain = 5 * time.Second // for an equal action in the same session
)

// Key returns the same key for events about one call of a client with the same surroundings, such as the client and the
// project. lasts is how long they count as one call, 0 if a repeated event cannot be told from a new call.
func (a Action) Key(surroundings ...any) (key string, lasts time.Duration, err error) {
	id := a.ToolUseID
	if a.twice {
		id = ""
	}
	text, err := json.Marshal([]any{a.Session, id, a.Kind, a.Params, a.Cwd, surroundings})
	if err != nil {
		return "", 0, err
	}
	switch {
	case id != "":
		lasts = CallAgain
	case a.Session != "":
		lasts = ContentAgain
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), lasts, nil
}

func texts(list []string) []any {
	values := make([]any, len(list))
	for i, text := range list {
		values[i] = text
	}
	return values
}

// shortLine returns a text as one line for a description.
func shortLine(text string) string {
	text = strings.Join(strings.Fields(cut(text, 4*maxShown)), " ")
	if text == "" {
		return "(empty)"
	}
	if len(text) > maxShown {
		text = cut(text, maxShown) + "..."
	}
	return text
}

func cut(text string, maximum int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maximum {
		return text
	}
	for maximum > 0 && !utf8.RuneStart(text[maximum]) {
		maximum--
	}
	return text[:maximum]
}
