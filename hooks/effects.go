package hooks

import (
	"maps"
	"slices"
	"strings"

	"nomograph/hooks/shell"
	"nomograph/internal/normalize"
)

// Effects returns the params of a check with the effects of the action, for rules to read. Hooks send effects; other
// callers send only a command, a path, an address, or a call of a tool. programs are the properties of SYS_Program
// nodes, which add effects to commands that run these programs. A param that the caller sends stays.
func Effects(name string, params map[string]any, cwd string, programs []map[string]any) map[string]any {
	if params == nil {
		return nil
	}
	kind, text := Kind(normalize.Name(name)), func(key string) string {
		value, _ := params[key].(string)
		return value
	}
	out := maps.Clone(params)
	for key, effect := range effectsOf(kind, params, text, cwd) {
		if _, sent := params[key]; !sent {
			out[key] = effect
		}
	}
	command, _ := out["command"].(string)
	if kind != ShellRun && kind != MCPCall || command == "" || len(programs) == 0 {
		return out
	}
	rows := rowsOf(programs)
	if ran, _ := out["programs"].([]any); !slices.ContainsFunc(ran,
		func(p any) bool { name, _ := p.(string); return rows.Name(name) }) {
		return out
	}
	if guessed, ok := out["remote"].([]any); ok { // the row replaces a guess by words such as delete
		out["remote"] = slices.DeleteFunc(slices.Clone(guessed), func(operation any) bool {
			text, _ := operation.(string)
			program, _, _ := strings.Cut(text, " ")
			return rows.Name(program) && !shell.Knows(program)
		})
	}
	addEffects(out, rows.Parse(command, cwd))
	if unknown, ok := out["unknown_programs"].([]any); ok {
		out["unknown_programs"] = slices.DeleteFunc(slices.Clone(unknown),
			func(p any) bool { name, _ := p.(string); return rows.Name(name) })
	}
	return out
}

// effectsOf returns the effects of an action whose caller did not send them.
func effectsOf(kind Kind, params map[string]any, text func(string) string, cwd string) map[string]any {
	_, parsed := params["parsed"]
	_, reads := params["reads_of"]
	switch {
	case kind == ShellRun && !parsed && text("command") != "":
		return Command(text("command"), cwd).Params
	case text("path") != "" && (kind == FileRead && !reads || kind == FileWrite && params["writes_of"] == nil ||
		kind == FileDelete && params["deletes_of"] == nil):
		effects := File(kind, text("path"), cwd, text("content")).Params
		if params["content"] == nil {
			delete(effects, "bytes")
		}
		return effects
	case kind == WebFetch && !reads && text("url") != "":
		return Fetch(text("url"), cwd).Params
	case kind == MCPCall && !reads && text("tool") != "":
		arguments, _ := params["arguments"].(map[string]any)
		return Tool(text("server"), text("tool"), arguments, cwd).Params
	}
	return nil
}

// rowsOf returns the rows of programs that nodes hold.
func rowsOf(nodes []map[string]any) *shell.Programs {
	rows := make([]shell.Program, len(nodes))
	for i, node := range nodes {
		list := func(key string) (values []string) {
			found, _ := node[key].([]any)
			for _, value := range found {
				if text, ok := value.(string); ok {
					values = append(values, text)
				}
			}
			return values
		}
		row := shell.Program{Aliases: list("aliases"), Reads: list("reads"), Writes: list("writes"),
			Deletes: list("deletes"), Sends: list("sends"),
			Connects: list("connects"), Runs: list("runs"), DeletesElsewhere: list("deletes_elsewhere"),
			PrintsSecrets: list("prints_secrets"),
			Publishes:     list("publishes"), Weakens: list("weakens")}
		row.Name, _ = node["name"].(string)
		row.Privileged, _ = node["privileged"].(bool)
		rows[i] = row
	}
	return shell.NewPrograms(rows)
}
