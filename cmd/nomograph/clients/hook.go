package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"

	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// HookEdit is a prepared change to a hook file.
type HookEdit struct {
	Path string
	Same bool // the file remains unchanged

	file file
	text []byte
	gone bool // the file contains only Nomograph's hooks and is deleted
}

// Write replaces the file atomically, or deletes it if nothing remains.
func (e HookEdit) Write() error {
	if e.gone {
		if err := os.Remove(e.file.path); err != nil {
			return writeError(e.file.path, err)
		}
		return nil
	}
	return e.file.write(e.text)
}

// String returns the new content of the file.
func (e HookEdit) String() string { return string(e.text) }

// hookPosition is the position of one of Nomograph's hooks: the index of its entry, and the index of the hook in the
// entry, or
// -1 if the entry is the hook.
type hookPosition struct{ entry, hook int }

// place returns the path of an event's list in a file, for gjson.
func (h HookFile) place(path, event string) string {
	return strings.TrimPrefix(h.eventsField(path)+"."+event, ".")
}

// pointer returns the JSON pointer of an event's list in a file.
func (h HookFile) pointer(path, event string) string {
	return "/" + strings.ReplaceAll(h.place(path, event), ".", "/")
}

// eventsField returns the field of a file with the events, "" for the file itself.
func (h HookFile) eventsField(path string) string {
	if h.Name == "devin" && filepath.Base(path) != "config.json" { // a file of a project has them at its top
		return ""
	}
	return cmp.Or(h.Root, "hooks")
}

func (h HookFile) path(file, event string, at hookPosition) string {
	path := fmt.Sprintf("%s/%d", h.pointer(file, event), at.entry)
	if at.hook >= 0 {
		path += fmt.Sprintf("/hooks/%d", at.hook)
	}
	return path
}

// hookCommand matches a command that calls Nomograph, with or without directory, quotes and .exe. hookURL matches the
// URL of its hook endpoint.
var (
	hookCommand = pattern.New(`(?i)(?:^|[/\\"'\s])nomograph(?:(?:\.exe)?["'\\]*\s+hook|-hook(?:\.exe)?["'\\]*)\s`)
	hookURL     = pattern.New(`(?i)^https?://[^/\s]+(?:/\S*)?/hooks/[a-z-]+\?contract=`)
)

// isOurs reports whether a hook calls Nomograph.
func (h HookFile) isOurs(hook gjson.Result) bool {
	for _, field := range h.commandFields() {
		if hookCommand.MatchString(hook.Get(field).String()) {
			return true
		}
	}
	return hookURL.MatchString(hook.Get("url").String())
}

func (h HookFile) commandFields() []string {
	if len(h.Commands) == 0 {
		return []string{"command"}
	}
	return h.Commands
}

// find returns Nomograph's hooks for an event.
func (h HookFile) find(list gjson.Result) (spots []hookPosition) {
	for i, entry := range list.Array() {
		if !h.Nested {
			if h.isOurs(entry) {
				spots = append(spots, hookPosition{i, -1})
			}
			continue
		}
		for j, hook := range entry.Get("hooks").Array() {
			if h.isOurs(hook) {
				spots = append(spots, hookPosition{i, j})
			}
		}
	}
	return spots
}

// HookCall is a hook in a client's configuration.
type HookCall struct {
	Event, Command, URL string
	Headers             map[string]string
}

// Calls returns Nomograph's hooks in a file, at most one per event.
func (h HookFile) Calls(path string) (calls []HookCall, err error) {
	f, err := open(path, false)
	if err != nil || len(bytes.TrimSpace(f.text)) == 0 {
		return nil, err
	}
	if h.Script != "" {
		if !hookCommand.MatchString(string(f.text)) {
			return nil, nil
		}
		command := quote(f.path)
		if in := scripts[h.Script].command; in != nil {
			command = in(string(f.text))
		}
		if h.Each && slices.Contains(h.events(Executions), h.event(path)) { // the action has already happened
			return nil, nil
		}
		return []HookCall{{Event: h.event(path), Command: command}}, nil
	}
	plain, err := hujson.Standardize(slices.Clone(f.text))
	if err != nil {
		return nil, notJSON(f.path, err)
	}
	for _, event := range h.Checks() {
		list := gjson.GetBytes(plain, h.place(f.path, event))
		found := h.find(list)
		if len(found) == 0 {
			continue
		}
		hook := list.Array()[found[0].entry]
		if found[0].hook >= 0 {
			hook = hook.Get("hooks").Array()[found[0].hook]
		}
		call := HookCall{Event: event, Command: hook.Get(h.commandFields()[0]).String(), URL: hook.Get("url").String(),
			Headers: map[string]string{}}
		for name, value := range hook.Get("headers").Map() {
			call.Headers[name] = value.String()
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// events returns the events of a group.
func (h HookFile) events(group Extra) []string {
	at := slices.IndexFunc(Extras, func(e ExtraGroup) bool { return e.Group == group })
	return h.Contract().Installed(Extras[at].uses...)
}

// Has returns the groups for which the client has events.
func (h HookFile) Has() (groups Extra) {
	for _, extra := range Extras {
		if len(h.events(extra.Group)) > 0 {
			groups |= extra.Group
		}
	}
	return groups
}

// Extras returns the groups of events for which the file calls Nomograph.
func (h HookFile) Extras(path string) (groups Extra) {
	f, err := open(path, false)
	if err != nil {
		return 0
	}
	if h.Script != "" {
		for _, extra := range Extras {
			for _, event := range h.events(extra.Group) {
				if (bytes.Contains(f.text, []byte(quote(event))) || h.Each && h.event(path) == event) &&
					hookCommand.MatchString(string(f.text)) {
					groups |= extra.Group
				}
			}
		}
		return groups
	}
	plain, err := hujson.Standardize(slices.Clone(f.text))
	if err != nil {
		return 0
	}
	for _, extra := range Extras {
		if events := h.events(extra.Group); len(events) > 0 &&
			len(h.find(gjson.GetBytes(plain, h.place(f.path, events[0])))) > 0 {
			groups |= extra.Group
		}
	}
	return groups
}

// Installed returns the events with a hook for Nomograph.
func (h HookFile) Installed(path string) (events []string, err error) {
	calls, err := h.Calls(path)
	for _, call := range calls {
		events = append(events, call.Event)
	}
	return events, err
}

func notJSON(path string, cause error) error {
	return apperr.Newf(apperr.Conflict, "%s is not JSON, so nothing was written", path).
		WithHint("Correct the file, or add the output of --show by hand").Because(cause)
}

// Edit adds a hook for all events, or removes Nomograph's hooks if hook is the zero value. Other hooks, comments and
// the order remain.
func (h HookFile) Edit(path string, project bool, hook Hook) (HookEdit, error) {
	if h.Script != "" {
		return h.editWhole(path, project, hook)
	}
	f, err := open(path, project)
	if err != nil {
		return HookEdit{}, err
	}
	e := HookEdit{Path: f.path, file: f, text: f.text}
	fresh := len(strings.TrimSpace(string(f.text))) == 0
	if fresh {
		e.text = []byte(h.base())
	}
	value, err := hujson.Parse(slices.Clone(e.text))
	if err != nil {
		return HookEdit{}, notJSON(f.path, err)
	}
	plain, err := hujson.Standardize(slices.Clone(e.text))
	if err != nil {
		return HookEdit{}, notJSON(f.path, err)
	}
	if key := twice(gjson.ParseBytes(plain)); key != "" {
		return HookEdit{}, apperr.Newf(apperr.Conflict, "%s has %s twice, so nothing was written", f.path, quote(key)).
			WithHint("Remove one of them by hand")
	}
	patch, err := h.patch(gjson.ParseBytes(plain), f.path, hook)
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

// editWhole writes or deletes a file that contains only Nomograph's hook.
func (h HookFile) editWhole(path string, project bool, hook Hook) (HookEdit, error) {
	f, err := open(path, project)
	if err != nil {
		return HookEdit{}, err
	}
	e := HookEdit{Path: f.path, file: f}
	after := h.Each && slices.Contains(h.events(Executions),
		h.event(path)) // a separate file for an event after the action
	if after && hook.Extras&Executions == 0 {
		hook = Hook{}
	}
	command := h.command(h.event(path), hook)
	there, calls := len(bytes.TrimSpace(f.text)) > 0, hookCommand.MatchString(string(f.text))
	written := bytes.Contains(f.text, []byte(writtenBy)) || calls &&
		strings.HasPrefix(filepath.Base(f.path), "nomograph.")
	switch {
	case after && there && !written: // the user's own
		e.Same, e.text = true, f.text
		return e, nil
	case hook == Hook{} && calls && !written:
		return HookEdit{}, apperr.Newf(apperr.Conflict, "%s is a hook of yours, so nothing was removed", f.path).
			WithHint("Remove the `nomograph hook` call from that file by hand")
	case hook == Hook{}:
		e.Same, e.gone = !written, written
		return e, nil
	case calls && !written: // the user's own script calls Nomograph
		e.Same, e.text = true, f.text
		return e, nil
	case there && !written:
		return HookEdit{}, apperr.Newf(apperr.Conflict, "%s is a hook of yours, so nothing was written", f.path).
			WithHint("Call this command from your hook, and exit with its exit code: %s", command)
	}
	e.text = []byte(scripts[h.Script].write(h.event(path), command, hook))
	e.file.mode = scripts[h.Script].mode
	e.Same = bytes.Equal(e.text, f.text)
	return e, nil
}

// command returns the command for an event.
func (h HookFile) command(event string, hook Hook) string {
	if h.Named && hook.Command != "" {
		return hook.Command + " " + event
	}
	return hook.Command
}

// hasOnlyOurs reports whether an event has no other hooks than Nomograph's.
func (h HookFile) hasOnlyOurs(list gjson.Result, ours int) bool {
	all := len(list.Array())
	if h.Nested {
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

// patch returns the steps that add or remove the hooks.
func (h HookFile) patch(root gjson.Result, path string, hook Hook) (steps []operation, err error) {
	hooks, in := root, h.eventsField(path)
	if in != "" {
		hooks = root.Get(in)
	}
	if !root.IsObject() || hooks.Exists() && !hooks.IsObject() {
		return nil, apperr.Newf(apperr.Conflict, "The hooks in %s are not a JSON object, so nothing was written", path).
			WithHint("Add the output of --show by hand")
	}
	if hook != (Hook{}) {
		for _, key := range h.missing(root) { // Cursor refuses a file without a version
			steps = append(steps, operation{"add", "/" + key, gjson.Get(h.base(), key).Value()})
		}
		if !hooks.Exists() {
			steps = append(steps, operation{"add", "/" + in, map[string]any{}})
		}
	}
	add := func(event string, group Extra) error {
		list := hooks.Get(event)
		if list.Exists() && !list.IsArray() {
			return apperr.Newf(apperr.Conflict, "%s in %s is not a list, so nothing was written", event, path).
				WithHint("Add the output of --show by hand")
		}
		steps = append(steps, h.steps(path, event, list, hook.forGroup(group))...)
		return nil
	}
	for _, event := range h.Checks() {
		if err := add(event, 0); err != nil {
			return nil, err
		}
	}
	for _, extra := range Extras {
		for _, event := range h.events(extra.Group) {
			if err := add(event, extra.Group); err != nil {
				return nil, err
			}
		}
	}
	others := func(step operation) bool { return strings.Count(step.Path, "/") > 2 } // the event has other hooks
	if hook == (Hook{}) && in == ownRoot && len(steps) > 0 && len(steps) == len(hooks.Map()) &&
		!slices.ContainsFunc(steps, others) {
		return []operation{{Op: "remove", Path: "/" + in}}, nil
	}
	return steps, nil
}

// base returns the content of a new file.
func (h HookFile) base() string { return cmp.Or(h.Base, "{}") }

// missing returns the fields of a new file that a file does not have, or has with another type.
func (h HookFile) missing(root gjson.Result) (keys []string) {
	for key, value := range gjson.Parse(h.base()).Map() {
		if root.Get(key).Type != value.Type {
			keys = append(keys, key)
		}
	}
	return keys
}

// ownRoot is the field that holds only Nomograph's hooks, in files whose fields are hooks with names.
const ownRoot = "nomograph"

// promptPasses are the arguments of a hook for a prompt: it gives a context, so a failed check must not stop the
// prompt.
const promptPasses = " --fail-open prompt.submit"

// forGroup returns the hook for an event of a group, 0 for a check; the zero value if the group is left out.
func (hook Hook) forGroup(group Extra) Hook {
	switch {
	case group == 0:
		return hook
	case hook.Extras&group == 0:
		return Hook{}
	case hook.URL != "" && group == PromptContext:
		hook.URL += "&fail_open=prompt.submit"
	case hook.URL != "" && group == Executions:
	case group == PromptContext:
		hook = Hook{Command: hook.Program + promptPasses}
	default: // clients take no HTTP hook there
		hook = Hook{Command: hook.Program}
	}
	hook.Extras = group
	return hook
}

// hookJSON returns a hook as JSON for the file.
func (h HookFile) hookJSON(event string, hook Hook) map[string]any {
	made := map[string]any{}
	for key, option := range h.Options {
		made[key] = option
	}
	if hook.URL == "" {
		for _, field := range h.commandFields() {
			made[field] = h.command(event, hook)
		}
		if hook.Extras != 0 && !slices.Contains(h.Checks(),
			event) { // the event comes after the action, so the hook may deny nothing
			for _, field := range []string{"onFailure", "on_failure", "failClosed", "show_output"} {
				delete(made, field)
			}
		}
		return made
	}
	made["type"], made["url"] = "http", hook.URL
	if !slices.Contains(h.Checks(), event) {
		delete(made, "onFailure")
	}
	switch {
	case hook.Token != "":
		made["headers"], made["allowedEnvVars"] = map[string]any{"Authorization": "Bearer $" + hook.Token},
			[]any{hook.Token}
	case hook.Agent != "":
		made["headers"] = map[string]any{"X-Nomograph-Agent": hook.Agent}
	}
	return made
}

// steps returns the steps for one event: write the whole entry of Nomograph's first hook, and remove its others. What
// somebody else wrote into an entry, such as a matcher or async, could keep the hook from running.
func (h HookFile) steps(file, event string, list gjson.Result, hook Hook) (steps []operation) {
	found, entries := h.find(list), list.Array()
	if hook == (Hook{}) && len(found) > 0 && h.hasOnlyOurs(list, len(found)) {
		return []operation{{Op: "remove", Path: h.pointer(file, event)}}
	}
	mixed := func(at hookPosition) bool { // the entry has hooks of others, too
		ours := 0
		for _, other := range found {
			if other.entry == at.entry {
				ours++
			}
		}
		return at.hook >= 0 && ours < len(entries[at.entry].Get("hooks").Array())
	}
	written := -1
	if hook != (Hook{}) {
		var entry any = h.hookJSON(event, hook)
		if h.Nested {
			group := map[string]any{"hooks": []any{entry}}
			if h.Matcher != "" && (slices.Contains(h.Checks(), event) ||
				slices.Contains(h.events(Executions), event)) { // other events have no tool
				group["matcher"] = h.Matcher
			}
			entry = group
		}
		at := slices.IndexFunc(found, func(at hookPosition) bool { return !mixed(at) })
		switch {
		case at >= 0:
			written = found[at].entry
			if !equalJSON(entries[written].Raw, entry) {
				steps = append(steps, operation{"replace", h.path(file, event, hookPosition{written, -1}), entry})
			}
		case !list.Exists():
			return []operation{{"add", h.pointer(file, event), []any{entry}}}
		default:
			steps = append(steps, operation{"add", h.pointer(file, event) + "/-", entry})
		}
	}
	for i := len(found) - 1; i >= 0; i-- {
		at := found[i]
		if !mixed(at) {
			if at.entry == written || i > 0 && found[i-1].entry == at.entry { // the entry is removed with its first hook
				continue
			}
			at.hook = -1
		}
		steps = append(steps, operation{Op: "remove", Path: h.path(file, event, at)})
	}
	return steps
}

// equalJSON reports whether a text of JSON has a value.
func equalJSON(text string, value any) bool {
	var one, other any
	raw, err := json.Marshal(value)
	return err == nil && json.Unmarshal([]byte(text), &one) == nil && json.Unmarshal(raw, &other) == nil &&
		reflect.DeepEqual(one, other)
}
