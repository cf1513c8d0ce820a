package clients

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/loopback"
	"nomograph/internal/pattern"
)

// A setting is a setting of a client that stops its hooks, or changes what they do.
type setting struct {
	Key string // path for gjson
	// Stops is the JSON value that stops hooks; "" if the value is a list or object that does, if it has the text
	// Names.
	Stops, Names string
}

// steering matches variables that select another program, library, database or settings file for a hook.
var steering = pattern.New(`(?i)^(?:PATH|HOME|ENV|BASH_ENV|SHELL|IFS|TMPDIR|USERPROFILE|APPDATA|LOCALAPPDATA|(?:LD|DYLD|XDG|NOMOGRAPH|NEO4J|NODE|GIT)_.*|CLAUDE_CODE_SIMPLE|.*_PROXY)$`)

// Problems returns why Nomograph's hooks in a file may not stop an action: what their entries have beside what Edit
// writes, and settings of the client that stop hooks. servers are the hosts to which hooks may send events. It is
// empty for a file without such hooks.
func (h HookFile) Problems(path string, scope Scope, servers ...string) (problems []string) {
	f, err := open(path, false)
	if err != nil || f.empty() {
		return nil
	}
	if h.Script != "" {
		return h.scriptProblems(f, scope)
	}
	plain, err := f.plain()
	if err != nil {
		return nil // Installed reports it
	}
	installed := false
	for _, event := range h.Checks() {
		found := h.find(plain.Get(h.place(f.path, event)))
		installed = installed || len(found) > 0
		for _, difference := range h.eventProblems(event, found, scope, servers) {
			problems = append(problems, event+": "+difference)
		}
	}
	if !installed {
		return nil
	}
	problems = slices.Concat(problems, h.fieldProblems(f.path, plain), h.switchedOff(f.path, plain, scope))
	slices.Sort(problems)
	return slices.Compact(problems)
}

// eventProblems returns what is wrong with the hooks for an event. One that works is enough.
func (h HookFile) eventProblems(event string, found []hookPosition, scope Scope, servers []string) (wrong []string) {
	if len(found) == 0 {
		return []string{"no hook"}
	}
	for _, at := range found {
		differences := h.differences(event, at, scope, servers)
		if len(differences) == 0 {
			return nil
		}
		if wrong == nil {
			wrong = differences
		}
	}
	return wrong
}

// fieldProblems returns fields of a file for which the client ignores the hooks.
func (h HookFile) fieldProblems(path string, plain gjson.Result) (problems []string) {
	if key := twice(plain); key != "" {
		problems = append(problems, fmt.Sprintf("%s is there twice, and clients read the last one", quote(key)))
	}
	for _, key := range h.missing(plain) {
		problems = append(problems, fmt.Sprintf("%s is missing; it should be %s", key, gjson.Get(h.base(), key).Raw))
	}
	for name := range plain.Get(strings.TrimSuffix(h.place(path, ""), ".")).Map() {
		if h.Name == "cursor" && !slices.ContainsFunc(h.Contract().Events,
			func(e hooks.Event) bool { return e.Name == name }) {
			problems = append(problems, fmt.Sprintf("%s is no event of Cursor, which then ignores the whole file",
				quote(name)))
		}
	}
	for name := range plain.Map() {
		if h.Name == "codex" && name != "hooks" && name != "description" {
			problems = append(problems, fmt.Sprintf("%s is no field of the file, and Codex then refuses the file",
				quote(name)))
		}
	}
	return problems
}

// variable are fields of an entry that only describe it, or that differences checks one by one.
var variable = strings.Fields("description statusMessage comment name hooks command bash powershell url headers " +
	"allowedEnvVars")

// differences returns how an entry differs from the one that Edit writes.
func (h HookFile) differences(event string, at hookPosition, scope Scope, servers []string) (found []string) {
	address := at.call.Get("url")
	written := h.entry(event, Hook{URL: address.String(), Command: " "})
	if h.Nested {
		found = differs(at.group, written)
		written = h.hookJSON(event, Hook{URL: address.String(), Command: " "})
	}
	found = append(found, differs(at.call, written)...)
	if address.Exists() {
		return append(found, h.urlProblems(address.String(), servers)...)
	}
	for _, field := range h.commandFields() {
		if command := at.call.Get(field).String(); !h.calls(command, event, scope) {
			found = append(found, fmt.Sprintf("%s is %s, which is more than a call of nomograph", field,
				quote(command)))
		}
	}
	return found
}

// differs returns a problem if an object has other fields than the written one.
func differs(now gjson.Result, written map[string]any) []string {
	there, _ := now.Value().(map[string]any)
	for _, name := range variable {
		delete(there, name)
		delete(written, name)
	}
	if reflect.DeepEqual(there, written) {
		return nil
	}
	return []string{fmt.Sprintf("it has %s where `nomograph hook install` writes %s", fields(there), fields(written))}
}

func fields(of map[string]any) string {
	text, _ := json.Marshal(of) // decoded from JSON
	return string(text)
}

// ourCall matches a command that only calls Nomograph: the program, hook, the client, an event, and flags without
// wildcards.
var ourCall = pattern.New("^(?:\"([^\"$`]+)\"|'([^']+)'|([^\\s;&|<>$()`\"'#]+)) +(hook +)?([a-z-]+)" +
	`(?: +([a-zA-Z][\w.-]*))?(?: +--(?:budget|fail-open)[= ]+'?[\w.,-]+'?)*\s*$`)

// calls reports whether a command only calls Nomograph for the client. A file of a project must not name a program in
// the project.
func (h HookFile) calls(command, event string, scope Scope) bool {
	found := ourCall.FindStringSubmatch(command)
	if found == nil || found[5] != h.Name || found[6] != "" && found[6] != event {
		return false
	}
	program := found[1] + found[2] + found[3]
	if base(program) != program && (scope == ForProject && h.Name != "git" || !filepath.IsAbs(program)) {
		return false
	}
	return programName(program) == map[bool]string{true: "nomograph", false: "nomograph-hook"}[found[4] != ""]
}

// urlProblems returns what is wrong with the address of a hook.
func (h HookFile) urlProblems(address string, servers []string) (found []string) {
	u, err := url.Parse(address)
	switch {
	case err != nil, strings.TrimSuffix(u.Path, "/hooks/"+h.Name) == u.Path:
		return []string{"url is " + quote(address) + ", which is no address of its hooks"}
	case !loopback.Is(u.Hostname()) && !slices.Contains(servers, u.Host):
		found = append(found, "it sends every event to "+u.Host+", which is not the server of your settings")
	}
	for name, values := range u.Query() {
		if name == "fail_open" && slices.ContainsFunc(values,
			func(value string) bool { return strings.ContainsAny(value, "*?[") }) || name != "fail_open" &&
			name != "contract" {
			found = append(found, "url has "+quote(name+"="+strings.Join(values, ",")))
		}
	}
	return found
}

// scriptProblems judges a file that contains only a hook.
func (h HookFile) scriptProblems(f file, scope Scope) []string {
	text, event := string(f.text), h.event(f.path)
	if !hookCommand.MatchString(text) || h.isAfter(f.path) {
		return nil
	}
	var command string
	if in := scripts[h.Script].command; in != nil {
		command = in(text)
	} else {
		_, rest, _ := strings.Cut(text, "\nexec ")
		command, _, _ = strings.Cut(rest, "\n")
		command = strings.TrimSuffix(command, ` "$@"`)
	}
	if scripts[h.Script].write(event, command, Hook{Command: command, Extras: h.Extras(f.path)}) != text {
		return []string{event + ": the file is not the one that `nomograph hook install` writes, so read it"}
	}
	if !h.calls(command, event, scope) {
		return []string{fmt.Sprintf("%s: the command is %s, which is more than a call of nomograph", event,
			quote(command))}
	}
	if info, err := os.Stat(f.path); err == nil && h.Each && runtime.GOOS != "windows" && info.Mode()&0o100 == 0 {
		return []string{event + ": the file is not executable, so it does not run"}
	}
	return nil
}

// switchedOff returns the settings that stop hooks, in the hook file and in other files of the client.
func (h HookFile) switchedOff(path string, plain gjson.Result, scope Scope) []string {
	found := h.stoppedBy(path, plain, scope)
	if beside := filepath.Join(filepath.Dir(path), "hooks.json"); h.Name == "droid" && fileExists(beside) {
		found = append(found, beside+" replaces the hooks of the file")
	}
	for _, name := range h.Off.Files {
		at, err := filepath.FromSlash(name), error(nil)
		if strings.HasPrefix(name, "~/") {
			at, err = expand(name)
		}
		if err != nil {
			continue
		}
		f, err := open(at, false)
		if err != nil || f.path == path {
			continue
		}
		if strings.HasSuffix(name, ".toml") {
			raw, _ := json.Marshal(tomlTables(string(f.text))) // texts
			found = append(found, h.stoppedBy(name, gjson.ParseBytes(raw), scope)...)
		} else if text, err := f.plain(); err == nil {
			found = append(found, h.stoppedBy(name, text, scope)...)
		}
	}
	return found
}

// stoppedBy returns the settings in a file that stop hooks.
func (h HookFile) stoppedBy(file string, text gjson.Result, scope Scope) (found []string) {
	for _, s := range h.Off.Settings {
		value := text.Get(s.Key)
		key := strings.ReplaceAll(s.Key, `\`, "")
		switch {
		case !value.Exists(), scope == ForMachine && key == "allowManagedHooksOnly":
		case key == "env":
			for name := range value.Map() {
				if steering.MatchString(name) {
					found = append(found, fmt.Sprintf("%s sets %s for hooks", file, name))
				}
			}
		case s.Names != "" && strings.Contains(value.Raw, s.Names), s.Stops != "" &&
			strings.EqualFold(value.String(), s.Stops):
			found = append(found, fmt.Sprintf("%s has %s: %s, which stops hooks", file, key, value.Raw))
		}
	}
	return found
}

// twice returns a key that an object of a JSON value has twice, or "".
func twice(value gjson.Result) (found string) {
	keys := map[string]bool{}
	value.ForEach(func(key, inner gjson.Result) bool {
		if value.IsObject() && keys[key.String()] {
			found = key.String()
		} else if keys[key.String()] = true; inner.IsObject() || inner.IsArray() {
			found = twice(inner)
		}
		return found == ""
	})
	return found
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// insideRepository returns a conflict if a hook of Git would be written out of the repository, by core.hooksPath or a
// link: such a folder belongs to other repositories or programs.
func insideRepository(path string) error {
	roots := []string{}
	for _, of := range []string{"--show-toplevel", "--git-common-dir"} {
		root, err := gitPath(of)
		if err == nil {
			root, err = filepath.EvalSymlinks(root)
		}
		if err == nil {
			roots = append(roots, root)
		}
	}
	real, err := resolveLinks(path)
	if err == nil && slices.ContainsFunc(roots, func(root string) bool {
		relative, err := filepath.Rel(root, real)
		return err == nil && filepath.IsLocal(relative)
	}) {
		return nil
	}
	return apperr.Newf(apperr.Conflict, "Git's hooks of this repository are outside of it, at %s, so nothing was written", filepath.Dir(real)).
		WithHint("Unset core.hooksPath or replace the link, or call `nomograph hook git EVENT \"$@\"` from the hook there")
}
