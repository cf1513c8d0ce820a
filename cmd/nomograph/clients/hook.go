package clients

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// HookFile is the configuration of a client's hooks.
type HookFile struct {
	Name, Project string
	Events        []string // that call us
	user          func() (string, error)
	base          string // what a new file holds
	nested        bool   // an entry holds a list of hooks
	matcher       string
	options       map[string]any // of a hook
}

// HookFiles are those that we write.
var HookFiles = []HookFile{
	{Name: "claude-code", user: home(".claude", "settings.json"), Project: ".claude/settings.json", Events: []string{"PreToolUse"}, base: "{}", nested: true, matcher: "*",
		options: map[string]any{"type": "command", "timeout": 15, "onFailure": "block"}},
	{Name: "cursor", user: home(".cursor", "hooks.json"), Project: ".cursor/hooks.json", Events: []string{"beforeShellExecution", "beforeMCPExecution", "beforeReadFile"}, base: `{"version": 1}`,
		options: map[string]any{"failClosed": true}},
	{Name: "codex", user: home(".codex", "hooks.json"), Project: ".codex/hooks.json", Events: []string{"PreToolUse"}, base: "{}", nested: true,
		options: map[string]any{"type": "command", "timeout": 15}},
}

// FindHookFile gives the file of a client, false for a client whose hooks we do not write.
func FindHookFile(name string) (HookFile, bool) {
	at := slices.IndexFunc(HookFiles, func(h HookFile) bool { return h.Name == name })
	if at < 0 {
		return HookFile{}, false
	}
	return HookFiles[at], true
}

// User is the path of the file for this user. It returns an unavailable error where the user has no home folder.
func (h HookFile) User() (string, error) { return h.user() }

// HookEdit is a change of a file of hooks that is not written yet.
type HookEdit struct {
	Path string
	Same bool // nothing has to be written

	file file
	text []byte
}

// Write replaces the file in one step.
func (e HookEdit) Write() error { return e.file.write(e.text) }

// String is the whole file as it would be written.
func (e HookEdit) String() string { return string(e.text) }

// spot is where a hook of ours stands: the index of its entry, and in that the index of the hook, -1 where the entry is the hook.
type spot struct{ entry, hook int }

func (h HookFile) path(event string, at spot) string {
	path := fmt.Sprintf("/hooks/%s/%d", event, at.entry)
	if at.hook >= 0 {
		path += fmt.Sprintf("/hooks/%d", at.hook)
	}
	return path
}

// oursIn matches a command that calls us, with or without a folder, quotes and .exe.
var oursIn = pattern.New(`(?i)(?:^|[/\\"'\s])nomograph(?:\.exe)?["']?\s+hook\s`)

// find gives the hooks of ours under an event.
func (h HookFile) find(list gjson.Result) (spots []spot) {
	for i, entry := range list.Array() {
		if !h.nested {
			if oursIn.MatchString(entry.Get("command").String()) {
				spots = append(spots, spot{i, -1})
			}
			continue
		}
		for j, hook := range entry.Get("hooks").Array() {
			if oursIn.MatchString(hook.Get("command").String()) {
				spots = append(spots, spot{i, j})
			}
		}
	}
	return spots
}

// Installed are the events under which the file calls us.
func (h HookFile) Installed(path string) (events []string, err error) {
	f, err := open(path, false)
	if err != nil || len(strings.TrimSpace(string(f.text))) == 0 {
		return nil, err
	}
	plain, err := hujson.Standardize(slices.Clone(f.text))
	if err != nil {
		return nil, notJSON(f.path, err)
	}
	for _, event := range h.Events {
		if len(h.find(gjson.GetBytes(plain, "hooks."+event))) > 0 {
			events = append(events, event)
		}
	}
	return events, nil
}

func notJSON(path string, cause error) error {
	return apperr.Newf(apperr.Conflict, "%s is not JSON, so nothing was written", path).WithHint("Correct the file, or add the output of --show by hand").Because(cause)
}

// Edit makes the file call a command, or no longer call us where the command is empty. Other hooks, comments and the order stay.
func (h HookFile) Edit(path string, project bool, command string) (HookEdit, error) {
	f, err := open(path, project)
	if err != nil {
		return HookEdit{}, err
	}
	e := HookEdit{Path: f.path, file: f, text: f.text}
	fresh := len(strings.TrimSpace(string(f.text))) == 0
	if fresh {
		e.text = []byte(h.base)
	}
	value, err := hujson.Parse(slices.Clone(e.text))
	if err != nil {
		return HookEdit{}, notJSON(f.path, err)
	}
	plain, err := hujson.Standardize(slices.Clone(e.text))
	if err != nil {
		return HookEdit{}, notJSON(f.path, err)
	}
	patch, err := h.patch(gjson.ParseBytes(plain), f.path, command)
	if err != nil {
		return HookEdit{}, err
	}
	if len(patch) == 0 {
		e.Same = true
		return e, nil
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return HookEdit{}, err
	}
	if err := value.Patch(text); err != nil {
		return HookEdit{}, notJSON(f.path, err)
	}
	if fresh {
		value.Format()
	}
	e.text = value.Pack()
	return e, nil
}

// only tells whether an event has no other hooks than ours.
func (h HookFile) only(list gjson.Result, ours int) bool {
	all := len(list.Array())
	if h.nested {
		all = 0
		for _, entry := range list.Array() {
			all += len(entry.Get("hooks").Array())
		}
	}
	return all == ours
}

// operation is one step of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patch gives the steps that make the file call the command.
func (h HookFile) patch(root gjson.Result, path, command string) (steps []operation, err error) {
	hooks := root.Get("hooks")
	if !root.IsObject() || hooks.Exists() && !hooks.IsObject() {
		return nil, apperr.Newf(apperr.Conflict, "The hooks in %s are not a JSON object, so nothing was written", path).WithHint("Add the output of --show by hand")
	}
	if command != "" && !hooks.Exists() {
		steps = append(steps, operation{"add", "/hooks", map[string]any{}})
	}
	for _, event := range h.Events {
		list := hooks.Get(event)
		if list.Exists() && !list.IsArray() {
			return nil, apperr.Newf(apperr.Conflict, "%s in %s is not a list, so nothing was written", event, path).WithHint("Add the output of --show by hand")
		}
		steps = append(steps, h.steps(event, list, command)...)
	}
	return steps, nil
}

// steps are those for one event: the first hook of ours is made right, others of ours go.
func (h HookFile) steps(event string, list gjson.Result, command string) (steps []operation) {
	found := h.find(list)
	kept := 0
	if command != "" {
		hook := map[string]any{"command": command}
		for key, option := range h.options {
			hook[key] = option
		}
		entry := hook
		if h.nested {
			entry = map[string]any{"hooks": []any{hook}}
			if h.matcher != "" {
				entry["matcher"] = h.matcher
			}
		}
		switch {
		case len(found) > 0:
			kept = 1
			at := list.Array()[found[0].entry]
			if found[0].hook >= 0 {
				at = at.Get("hooks").Array()[found[0].hook]
			}
			if at.Get("command").String() != command { // options that a person set stay
				steps = append(steps, operation{"replace", h.path(event, found[0]) + "/command", command})
			}
		case !list.Exists():
			return []operation{{"add", "/hooks/" + event, []any{entry}}}
		default:
			return []operation{{"add", "/hooks/" + event + "/-", entry}}
		}
	}
	if command == "" && len(found) > 0 && h.only(list, len(found)) {
		return []operation{{Op: "remove", Path: "/hooks/" + event}}
	}
	for i := len(found) - 1; i >= kept; i-- {
		at := found[i]
		if at.hook >= 0 && len(list.Array()[at.entry].Get("hooks").Array()) == 1 {
			at.hook = -1
		}
		steps = append(steps, operation{Op: "remove", Path: h.path(event, at)})
	}
	return steps
}
