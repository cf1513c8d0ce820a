package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"

	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/disk"
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
	if err != nil || len(bytes.TrimSpace(f.text)) == 0 {
		return nil
	}
	if h.Script != "" {
		return h.scriptProblems(f, scope)
	}
	plain, err := hujson.Standardize(slices.Clone(f.text))
	if err != nil {
		return nil // Installed reports it
	}
	if key := twice(gjson.ParseBytes(plain)); key != "" {
		problems = append(problems, fmt.Sprintf("%s is there twice, and clients read the last one", quote(key)))
	}
	missing, installed := []string{}, false
	for _, event := range h.Checks() {
		list := gjson.GetBytes(plain, h.place(f.path, event))
		found := h.find(list)
		if len(found) == 0 {
			missing = append(missing, event+": no hook")
			continue
		}
		installed = true
		var wrong []string
		for _, at := range found { // one that works is enough
			group := list.Array()[at.entry]
			hook := group
			if at.hook >= 0 {
				hook = group.Get("hooks").Array()[at.hook]
			}
			found := h.differences(event, group, hook, scope, servers)
			if wrong == nil || len(found) == 0 {
				wrong = found
			}
			if len(found) == 0 {
				break
			}
		}
		for _, difference := range wrong {
			problems = append(problems, event+": "+difference)
		}
	}
	if !installed {
		return nil
	}
	problems = append(problems, missing...)
	for _, key := range h.missing(gjson.ParseBytes(plain)) {
		problems = append(problems, fmt.Sprintf("%s is missing; it should be %s", key, gjson.Get(h.base(), key).Raw))
	}
	for name := range gjson.GetBytes(plain, strings.TrimSuffix(h.place(f.path, ""), ".")).Map() {
		if h.Name == "cursor" && !slices.ContainsFunc(h.Contract().Events,
			func(e hooks.Event) bool { return e.Name == name }) {
			problems = append(problems, fmt.Sprintf("%s is no event of Cursor, which then ignores the whole file",
				quote(name)))
		}
	}
	for name := range gjson.ParseBytes(plain).Map() {
		if h.Name == "codex" && name != "hooks" && name != "description" {
			problems = append(problems, fmt.Sprintf("%s is no field of the file, and Codex then refuses the file",
				quote(name)))
		}
	}
	problems = append(problems, h.switchedOff(f.path, plain, scope)...)
	slices.Sort(problems)
	return slices.Compact(problems)
}

// harmless are fields of an entry that only describe it.
var harmless = []string{"description", "statusMessage", "comment", "name", "hooks"}

// differences returns what an entry has beside what Edit writes.
func (h HookFile) differences(event string, group, hook gjson.Result, scope Scope, servers []string) (found []string) {
	expected := h.hookJSON(event, Hook{URL: hook.Get("url").String(), Command: " "})
	differs := func(of gjson.Result, expected map[string]any, without ...string) {
		there := of.Map()
		keys := slices.AppendSeq(slices.Collect(maps.Keys(there)), maps.Keys(expected))
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			if slices.Contains(without, key) || slices.Contains(harmless, key) {
				continue
			}
			now, want := there[key], expected[key]
			text, _ := json.Marshal(want) // texts, numbers and lists
			switch written := string(text); {
			case want == nil && now.Type == gjson.Number && strings.HasPrefix(strings.ToLower(key), "timeout") &&
				now.Num >= minTimeout:
			case want == nil:
				found = append(found, fmt.Sprintf("%s is %s, which `nomograph hook install` does not write", key,
					now.Raw))
			case !now.Exists():
				found = append(found, fmt.Sprintf("%s is missing; it should be %s", key, written))
			case now.Raw == written, now.Type == gjson.Number && gjson.Parse(written).Type == gjson.Number &&
				now.Num >= gjson.Parse(written).Num: // a longer timeout is harmless
			default:
				found = append(found, fmt.Sprintf("%s is %s, not %s", key, now.Raw, written))
			}
		}
	}
	if h.Nested {
		matcher := group.Get("matcher")
		if text := matcher.String(); matcher.Exists() &&
			(matcher.Type != gjson.String || !slices.Contains([]string{"", "*", ".*"}, text) || h.Name == "goose" &&
				text == "*") {
			found = append(found, "matcher is "+matcher.Raw+", so the hook runs only for some tools")
		}
		differs(group, nil, "matcher", "sequential")
	}
	differs(hook, expected, append(h.commandFields(), "url", "headers", "allowedEnvVars")...)
	if address := hook.Get("url"); address.Exists() {
		return append(found, h.urlProblems(address.String(), servers)...)
	}
	for _, field := range h.commandFields() {
		if command := hook.Get(field).String(); !h.calls(command, event, scope) {
			found = append(found, fmt.Sprintf("%s is %s, which is more than a call of nomograph", field,
				quote(command)))
		}
	}
	return found
}

// minTimeout is the smallest timeout of an entry, in seconds, in which a hook can deny.
const minTimeout = 10

// ourCall matches a command that only calls Nomograph: the program, the client with an event, and flags.
var ourCall = pattern.New(`^(?:"([^"$` + "`" + `]+)"|'([^']+)'|(\S+))((?: +[^\s;&|<>$()` + "`" +
	`"'\\#]+| +'[^']*')*)\s*$`)

// calls reports whether a command only calls Nomograph for the client. A file of a project must not name a program in
// the project.
func (h HookFile) calls(command, event string, scope Scope) bool {
	found := ourCall.FindStringSubmatch(command)
	if found == nil {
		return false
	}
	program, words := found[1]+found[2]+found[3], strings.Fields(strings.ReplaceAll(found[4], "'", ""))
	name := strings.TrimSuffix(strings.ToLower(base(program)), ".exe")
	if bare := base(program) == program; !bare && (scope == ForProject && h.Name != "git" || !filepath.IsAbs(program)) {
		return false
	}
	switch {
	case name == "nomograph" && len(words) > 1 && words[0] == "hook":
		words = words[1:]
	case name != "nomograph-hook" || len(words) == 0:
		return false
	}
	if words[0] != h.Name {
		return false
	}
	words = words[1:]
	for i := 0; i < len(words); i++ {
		flag, value, given := strings.Cut(words[i], "=")
		if !strings.HasPrefix(flag, "-") {
			if words[i] != event || i > 0 {
				return false
			}
			continue
		}
		if i++; !given && i < len(words) {
			value = words[i]
		} else {
			i--
		}
		budget, err := time.ParseDuration(value)
		if flag != "--budget" && (flag != "--fail-open" || strings.ContainsAny(value, "*?[")) || flag == "--budget" &&
			(err != nil || budget < time.Second) {
			return false
		}
	}
	return true
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
	if !hookCommand.MatchString(text) || h.Each && slices.Contains(h.events(Executions), event) {
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
func (h HookFile) switchedOff(path string, plain []byte, scope Scope) (found []string) {
	look := func(file string, text []byte) {
		for _, s := range h.Off.Settings {
			value := gjson.GetBytes(text, s.Key)
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
	}
	look(path, plain)
	if h.Name == "droid" {
		if beside := filepath.Join(filepath.Dir(path), "hooks.json"); fileExists(beside) {
			found = append(found, beside+" replaces the hooks of the file")
		}
	}
	for _, name := range h.Off.Files {
		file, err := filepath.FromSlash(name), error(nil)
		if strings.HasPrefix(name, "~/") {
			file, err = expand(name)
		}
		var text []byte
		if err == nil {
			text, err = disk.Read(file, maxFileLength)
		}
		if resolved, _ := resolveLinks(file); err != nil || resolved == path {
			continue
		}
		if strings.HasSuffix(name, ".toml") {
			look(name, tomlFeatures(string(text)))
			continue
		}
		text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		if text, err = hujson.Standardize(text); err == nil {
			look(name, text)
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

// tomlFeatures returns the switches of [features] of a TOML file as JSON.
func tomlFeatures(text string) []byte {
	features, table := map[string]string{}, ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if strings.HasPrefix(line, "[") {
			table = strings.Trim(strings.ReplaceAll(line, `"`, ""), "[] ")
			continue
		}
		line = strings.Trim(strings.TrimPrefix(strings.ReplaceAll(line, `"`, ""), "features"),
			" .={}") // also the dotted and the inline form
		for pair := range strings.SplitSeq(line, ",") {
			name, value, ok := strings.Cut(pair, "=")
			if ok && (table == "features" || table == "" && strings.Contains(text, "features")) {
				features[strings.TrimSpace(name)] = strings.TrimSpace(value)
			}
		}
	}
	raw, _ := json.Marshal(features) // texts
	return raw
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
