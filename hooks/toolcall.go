package hooks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"nomograph/hooks/shell"
	"nomograph/internal/pattern"
	"nomograph/internal/redact"
)

// ToolCall returns the actions of a tool call outside of a client's hook, none for a harmless tool. server is the MCP
// server, "" for a tool of the agent.
func ToolCall(server, tool string, input any) ([]Action, error) {
	if server != "" {
		return mcpCall(server, tool, input, "")
	}
	return toolActions(tool, input, "")
}

// Tool returns the action of calling a tool of an MCP server. Commands and paths in its arguments are parsed like
// those of the agent's own tools.
func Tool(server, tool string, arguments map[string]any, cwd string) Action {
	c := &toolCall{server: server, tool: tool, arguments: arguments, cwd: cwd, left: maxRead,
		writes: writingTool.MatchString(removing.ReplaceAllString(tool, "")), deletes: deletingTool.MatchString(tool),
		params: map[string]any{"server": server, "tool": tool, "secrets": false, "reads_of": []any{}}}
	c.readAll(arguments)
	if text := commandOf(server, tool, arguments); text != "" {
		c.addCommand(text)
	}
	if raw, err := json.Marshal(arguments); err == nil {
		c.params["secrets"] = redact.Mask(string(raw)) != string(raw)
		if len(raw) <= maxArguments {
			c.params["arguments"] = arguments
		}
	}
	return Action{Kind: MCPCall, Description: "Call " + shortLine(server+" "+tool), Params: c.params, Cwd: cwd}
}

// toolCall is a call of a tool of an MCP server while its arguments are read.
type toolCall struct {
	server, tool, cwd string
	arguments         map[string]any
	params            map[string]any // of the action
	writes, deletes   bool           // whether the tool writes or deletes the files in its arguments
	left, walked      int            // texts that may still be read, and values seen
}

func (c *toolCall) add(param string, values ...string) { addTexts(c.params, param, texts(values)) }

func (c *toolCall) addCommand(command string) { c.addEffects(shell.Parse(command, c.cwd), command) }

// addEffects adds the effects of a text that the tool runs.
func (c *toolCall) addEffects(effects shell.Effects, text string) {
	if before, ok := c.params["command"]; ok {
		text = fmt.Sprint(before, "\n", text)
	}
	addEffects(c.params, effects)
	c.params["command"] = cut(text, maxCommand)
}

// readAll reads arguments, also those of an edit in a list of edits.
func (c *toolCall) readAll(arguments map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		argument := arguments[name]
		if text, ok := argument.(string); ok && meanings["argument"][strings.ToLower(name)] == "command" {
			argument = text + wordsAfter(arguments)
		}
		c.read(strings.ToLower(name), argument)
	}
}

// read reads an argument, by its name in lower case.
func (c *toolCall) read(key string, argument any) {
	if c.walked++; c.walked > maxWalked { // the rest is not examined
		c.add("unresolved", shell.TooComplex)
		return
	}
	switch argument := argument.(type) {
	case map[string]any:
		c.readAll(argument)
	case []any:
		c.readList(key, argument)
	case string:
		c.readText(key, argument)
	}
}

// readList reads the items of a list. A list of words is one command; a list of lines can be several.
func (c *toolCall) readList(key string, list []any) {
	item, command := singular(key), ""
	if meanings["argument"][key] == "command" {
		item, command = key, commandIn(fields{"command": list})
	}
	oneCommand := command != "" && (key == "command" || key == "cmd" || key == "argv" ||
		!slices.ContainsFunc(list, isLine))
	if !oneCommand {
		for _, each := range list[:min(len(list), maxWalked-c.walked+1)] {
			c.read(item, each)
		}
	}
	if command != "" {
		c.readText(key, command)
	}
}

// readText reads a text by the meaning of its argument.
func (c *toolCall) readText(key, text string) {
	code, use := isCode(key, c.tool), meanings["argument"][key]
	if use == "" && !code && key != "url" {
		return
	}
	if c.left--; c.left < 0 {
		c.add("unresolved", shell.TooComplex)
		return
	}
	switch {
	case use == "statement":
		if remote := shell.Statement(text); remote != "" && (key != "query" || databaseTool.MatchString(c.tool)) {
			c.add("remote", remote)
		}
	case code:
		c.readCode(key, text)
	case use == "command":
		c.left -= commandReads
		c.addCommand(text)
		program := programOf(c.server, c.tool)
		if program != "" && !strings.HasPrefix(strings.TrimSpace(text), program) && (key == "command" || key == "cmd") {
			c.addCommand(program + " " + text)
		}
	case key == "url" || key == "uri" && strings.Contains(text, ":"):
		c.add("reads_of", shell.PlacesOfAddress(text, c.cwd)...)
	case use == "target":
		_, writes, _ := shell.PlacesOf(text, c.cwd)
		c.add("writes_of", writes...)
		c.add("writes", text)
	case use == "path":
		c.readPath(text)
	}
}

// readCode reads code that the tool runs, or the name of a file with code.
func (c *toolCall) readCode(key, text string) {
	c.left -= commandReads
	language, _ := c.arguments["language"].(string)
	if language = languageOf(language, key, c.tool, c.server); language == "sh" {
		c.addCommand(text)
	} else {
		c.addEffects(shell.Code(language, text, c.cwd), text)
	}
	if key == "source" && !strings.ContainsAny(text, "\n(;") {
		places, _, _ := shell.PlacesOf(text, c.cwd)
		c.add("reads_of", places...)
	}
}

// readPath reads the path of a file. A tool that uploads or moves a file reads it.
func (c *toolCall) readPath(path string) {
	places, writes, deletes := shell.PlacesOf(path, c.cwd)
	c.add("reads_of", places...)
	if c.writes {
		c.add("writes_of", writes...)
		c.add("writes", path)
	}
	if c.deletes {
		c.add("deletes_of", deletes...)
		c.add("deletes", path)
	}
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

// isCode reports whether an argument of a tool is code that it runs.
func isCode(key, tool string) bool {
	words := wordsOf(tool)
	runs := slices.ContainsFunc(words, func(word string) bool { return meanings["word"][word] == "runs" })
	switch {
	case !runs && slices.ContainsFunc(words, func(word string) bool {
		return meanings["word"][word] == "shows" || strings.HasSuffix(word, "lint")
	}):
		return false
	case key == "code" || strings.HasSuffix(key, "_code") && key != "source_code":
		return true
	case key == "input" || key == "source_code" || key == "source" || key == "program" || key == "cell":
		return runs || codeTool.MatchString(tool)
	}
	return key == "script" && !slices.Contains([]string{"", "sh"}, namedLanguage(tool))
}

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

// languages are interpreters by parts of names that are unambiguous.
var languages = [][2]string{{"python", "python3"}, {"javascript", "node"}, {"typescript", "node"},
	{"powershell", "sh"}, {"bash", "sh"}, {"shell", "sh"}, {"golang", "go"}}

// namedLanguage returns the interpreter of the language in a name, "" if it names none.
func namedLanguage(name string) string {
	lower := strings.ToLower(name)
	for _, one := range languages {
		if strings.Contains(lower, one[0]) {
			return one[1]
		}
	}
	for _, word := range wordsOf(name) {
		if language := meanings["language"][word]; language != "" {
			return language
		}
	}
	return ""
}

// programOf returns the program that a tool runs, by its name or that of its server.
func programOf(server, tool string) string {
	for _, name := range []string{tool, server} {
		for _, part := range strings.FieldsFunc(strings.ToLower(name),
			func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' }) {
			if program := meanings["program"][part]; program != "" {
				return program
			}
		}
	}
	return ""
}

// commandOf returns the command that a tool runs if its arguments do not form a command line: git_push {"force": true},
// kubectl {"args": [...]}.
func commandOf(server, tool string, arguments map[string]any) string {
	program, operation := programOf(server, tool), gitOperation(server, tool)
	if _, ok := arguments["args"]; ok && operation == "" && program != "" && arguments["command"] == nil &&
		arguments["cmd"] == nil {
		return program + wordsAfter(arguments)
	}
	if method, _ := arguments["method"].(string); strings.EqualFold(method, "DELETE") ||
		strings.EqualFold(method, "PURGE") {
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
			case "branch", "remote", "ref", "target", "branch_name", "tag", "refspec", "commit", "action", "operation",
				"subcommand":
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
		if word == "git" && meanings["git"][words[i+1]] != "" {
			return words[i+1]
		}
	}
	return ""
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
