package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"nomograph/hooks"
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

// hookPosition is the position of one of Nomograph's hooks: the index of its entry, and of the hook in the entry.
type hookPosition struct {
	entry, hook int
	group, call gjson.Result
	mixed       bool // the entry has hooks of others, too
}

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
		hooks, first := []gjson.Result{entry}, len(spots)
		if h.Nested {
			hooks = entry.Get("hooks").Array()
		}
		for j, hook := range hooks {
			if h.isOurs(hook) {
				spots = append(spots, hookPosition{entry: i, hook: j, group: entry, call: hook})
			}
		}
		for at := range spots[first:] {
			spots[first+at].mixed = len(spots)-first < len(hooks)
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
	if err != nil {
		return nil, err
	}
	if h.Script != "" {
		if !hookCommand.MatchString(string(f.text)) || h.isAfter(path) { // the action has already happened
			return nil, nil
		}
		command := quote(f.path)
		if in := scripts[h.Script].command; in != nil {
			command = in(string(f.text))
		}
		return []HookCall{{Event: h.event(path), Command: command}}, nil
	}
	plain, err := f.plain()
	if err != nil {
		return nil, err
	}
	for _, event := range h.Checks() {
		found := h.find(plain.Get(h.place(f.path, event)))
		if len(found) == 0 {
			continue
		}
		hook := found[0].call
		call := HookCall{event, hook.Get(h.commandFields()[0]).String(), hook.Get("url").String(), map[string]string{}}
		for name, value := range hook.Get("headers").Map() {
			call.Headers[name] = value.String()
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// isAfter reports whether a file of its own for an event is for the one after the action.
func (h HookFile) isAfter(path string) bool {
	return h.Each && slices.Contains(h.events(Executions), h.event(path))
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
	ours := func(event string) bool {
		return hookCommand.MatchString(string(f.text)) &&
			(bytes.Contains(f.text, []byte(quote(event))) || h.Each && h.event(path) == event)
	}
	if h.Script == "" {
		plain, err := f.plain()
		if err != nil {
			return 0
		}
		ours = func(event string) bool { return len(h.find(plain.Get(h.place(f.path, event)))) > 0 }
	}
	for _, extra := range Extras {
		if slices.ContainsFunc(h.events(extra.Group), ours) {
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
	e, fresh := HookEdit{Path: f.path, file: f}, f.empty()
	if fresh {
		f.text = []byte(h.base())
	}
	plain, err := f.plain()
	if err != nil {
		return HookEdit{}, err
	}
	patch, err := h.patch(plain, f.path, hook)
	if err != nil {
		return HookEdit{}, err
	}
	e.Same = len(patch) == 0
	e.text, err = f.apply(patch, fresh)
	return e, err
}

// editWhole writes or deletes a file that contains only Nomograph's hook.
func (h HookFile) editWhole(path string, project bool, hook Hook) (HookEdit, error) {
	f, err := open(path, project)
	if err != nil {
		return HookEdit{}, err
	}
	after := h.isAfter(path)
	if after && hook.Extras&Executions == 0 {
		hook = Hook{}
	}
	e, command := HookEdit{Path: f.path, file: f, text: f.text}, h.command(h.event(path), hook)
	calls := hookCommand.MatchString(string(f.text))
	written := bytes.Contains(f.text, []byte(writtenBy)) || calls &&
		strings.HasPrefix(filepath.Base(f.path), "nomograph.")
	foreign := len(bytes.TrimSpace(f.text)) > 0 && !written
	switch {
	case foreign && (after || calls && hook != Hook{}): // the user's own, which may call Nomograph
		e.Same = true
		return e, nil
	case foreign && calls:
		return HookEdit{}, apperr.Newf(apperr.Conflict, "%s is a hook of yours, so nothing was removed", f.path).
			WithHint("Remove the `nomograph hook` call from that file by hand")
	case hook == Hook{}:
		e.Same, e.gone, e.text = !written, written, nil
		return e, nil
	case foreign:
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

// patch returns the steps that add or remove the hooks.
func (h HookFile) patch(root gjson.Result, path string, hook Hook) (steps []operation, err error) {
	events, in := root, h.eventsField(path)
	if in != "" {
		events = root.Get(in)
	}
	if !root.IsObject() || events.Exists() && !events.IsObject() {
		return nil, apperr.Newf(apperr.Conflict, "The hooks in %s are not a JSON object, so nothing was written", path).
			WithHint("Add the output of --show by hand")
	}
	if hook != (Hook{}) {
		for _, key := range h.missing(root) { // Cursor refuses a file without a version
			steps = append(steps, operation{"add", "/" + key, gjson.Get(h.base(), key).Value()})
		}
		if !events.Exists() {
			steps = append(steps, operation{"add", "/" + in, map[string]any{}})
		}
	}
	groups := append([]ExtraGroup{{uses: []hooks.Use{hooks.BeforeAction}}}, Extras...)
	for _, group := range groups {
		for _, event := range h.Contract().Installed(group.uses...) {
			list := events.Get(event)
			if list.Exists() && !list.IsArray() {
				return nil, apperr.Newf(apperr.Conflict, "%s in %s is not a list, so nothing was written", event, path).
					WithHint("Add the output of --show by hand")
			}
			steps = append(steps, h.steps(h.pointer(path, event), list, h.entry(event, hook.forGroup(group.Group)))...)
		}
	}
	others := func(step operation) bool { return strings.Count(step.Path, "/") > 2 } // the event has other hooks
	if hook == (Hook{}) && in == ownRoot && len(steps) > 0 && len(steps) == len(events.Map()) &&
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
	maps.Copy(made, h.Options)
	if !slices.Contains(h.Checks(), event) { // the event comes after the action, so the hook may deny nothing
		for _, field := range []string{"onFailure", "on_failure", "failClosed", "show_output"} {
			delete(made, field)
		}
	}
	if hook.URL == "" {
		for _, field := range h.commandFields() {
			made[field] = h.command(event, hook)
		}
		return made
	}
	made["type"], made["url"] = "http", hook.URL
	switch {
	case hook.Token != "":
		made["headers"], made["allowedEnvVars"] = map[string]any{"Authorization": "Bearer $" + hook.Token},
			[]any{hook.Token}
	case hook.Agent != "":
		made["headers"] = map[string]any{"X-Nomograph-Agent": hook.Agent}
	}
	return made
}

// entry returns the entry of a hook for an event, nil for no hook.
func (h HookFile) entry(event string, hook Hook) map[string]any {
	if hook == (Hook{}) {
		return nil
	}
	made := h.hookJSON(event, hook)
	if !h.Nested {
		return made
	}
	group := map[string]any{"hooks": []any{made}}
	if h.Matcher != "" && slices.Contains(slices.Concat(h.Checks(), h.events(Executions)),
		event) { // others have no tool
		group["matcher"] = h.Matcher
	}
	return group
}

// steps returns the steps for the list of an event at a JSON pointer: write the whole entry of Nomograph's first hook,
// and remove its others. What somebody else wrote into an entry, such as a matcher or async, could keep the hook from
// running.
func (h HookFile) steps(at string, list gjson.Result, entry map[string]any) (steps []operation) {
	found := slices.CompactFunc(h.find(list),
		// the entry is removed with its first hook
		func(a, b hookPosition) bool { return a.entry == b.entry && !a.mixed })
	whole := slices.DeleteFunc(slices.Clone(found), func(p hookPosition) bool { return p.mixed })
	written := -1
	switch {
	case entry == nil && len(whole) > 0 && len(whole) == len(list.Array()):
		return []operation{{Op: "remove", Path: at}}
	case entry == nil:
	case len(whole) > 0:
		written = whole[0].entry
		if raw, err := json.Marshal(entry); err != nil ||
			!reflect.DeepEqual(gjson.ParseBytes(raw).Value(), whole[0].group.Value()) {
			steps = append(steps, operation{"replace", fmt.Sprintf("%s/%d", at, written), entry})
		}
	case !list.Exists():
		return []operation{{"add", at, []any{entry}}}
	default:
		steps = append(steps, operation{"add", at + "/-", entry})
	}
	for _, spot := range slices.Backward(found) {
		path := fmt.Sprintf("%s/%d", at, spot.entry)
		if spot.mixed {
			path += fmt.Sprintf("/hooks/%d", spot.hook)
		}
		if spot.entry != written {
			steps = append(steps, operation{Op: "remove", Path: path})
		}
	}
	return steps
}
