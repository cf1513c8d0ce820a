package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/pretty"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// Edit is a prepared change to a client's configuration file.
type Edit struct {
	Same bool // the file remains unchanged
	// Starts is the command line of an existing entry that starts another program and is kept; otherwise empty.
	Starts string

	client  Client
	named   string // requested path
	project bool   // the file belongs to a folder, whose author may be somebody else
	file    file
	text    []byte   // new content of the file
	entry   string   // new entry of this server
	changed []string // changes to an existing entry
	kept    []string // other keys of the existing entry
}

// Edit prepares the client's entry for this server. Without a path it is only shown. It returns a conflict if the file
// is not a valid configuration, and unavailable if it cannot be read.
func (c Client) Edit(path string, project bool, w Connection) (Edit, error) {
	e, err := c.open(path, project)
	if err != nil {
		return e, err
	}
	steps, err := e.steps(w)
	if err != nil {
		return e, err
	}
	return e, e.prepare(steps)
}

func (c Client) open(path string, project bool) (Edit, error) {
	f, err := open(path, project)
	return Edit{client: c, named: path, project: project, file: f}, err
}

// prepare applies the steps to the text of the file.
func (e *Edit) prepare(steps []operation) error {
	text, err := e.file.apply(steps, e.file.empty())
	if err != nil {
		return err
	}
	e.Same, e.text = len(steps) == 0, text
	after, err := file{text: text}.plain()
	e.entry = after.Get(e.client.Section + ".nomograph").Raw
	return err
}

// String lists the changes to an existing entry and the kept keys; it is empty for a new entry.
func (e Edit) String() string {
	text := ""
	if e.Starts != "" {
		text = "  it starts: " + e.Starts + "\n  To have it start this program, remove the entry and run this again.\n"
	}
	for _, change := range e.changed {
		text += "  " + change + "\n"
	}
	if len(e.kept) > 0 {
		text += "  unchanged: " + strings.Join(e.kept, ", ") + "\n"
		if e.project {
			text += "  The file of this folder sets these. Remove what you do not know: it can make the program do something else.\n"
		}
	}
	return text
}

// Remove prepares the removal of the client's entry for this server. It returns a conflict if the entry starts another
// program, and the errors of Edit.
func (c Client) Remove(path string, project bool) (Edit, error) {
	e, err := c.open(path, project)
	if err != nil {
		return e, err
	}
	found, other := c.Entry(path)
	switch {
	case !found:
		e.Same = true
		return e, nil
	case other != "":
		return e, apperr.Newf(apperr.Conflict, "The entry nomograph in %s starts another program, so it stays: %s",
			e.file.path, other).WithHint("Remove it by hand")
	}
	return e, e.prepare([]operation{{Op: "remove", Path: "/" + c.Section + "/nomograph"}})
}

// Write replaces the file. Its error is unavailable.
func (e Edit) Write() error { return e.file.write(e.text) }

// Preview returns the entry as text, for review or for manual changes.
func (e Edit) Preview() string {
	if e.client.Set != "" {
		return fmt.Sprintf("Run this:\n\n"+e.client.Set+"\n", pretty.Ugly([]byte(e.entry)))
	}
	lead := "This would be written to " + e.named
	switch {
	case e.Starts != "":
		lead = "This entry stays in " + e.named
	case e.Same:
		lead = "This is already in " + e.named
	}
	document := fmt.Sprintf(`{%s: {"nomograph": %s}}`, quote(e.client.Section), e.entry)
	return fmt.Sprintf("%s:\n\n%s%s", lead, pretty.Pretty([]byte(document)), e)
}

// steps returns the steps that insert the entry, or change an existing one.
func (e *Edit) steps(w Connection) ([]operation, error) {
	root, err := e.file.plain()
	if err != nil {
		return nil, err
	}
	section := e.client.Section
	servers, entry := root.Get(section), root.Get(section+".nomograph")
	switch {
	case !root.IsObject(), servers.Exists() && !servers.IsObject():
		return nil, notAnObject(e.file.path, section)
	case entry.Exists() && !entry.IsObject():
		return nil, notAnObject(e.file.path, section+".nomograph")
	case entry.Exists():
		return e.update(w, entry)
	}
	made := newEntry(e.client.members(w))
	if !servers.Exists() {
		return []operation{{"add", "/" + section, json.RawMessage(`{"nomograph":` + made + "}")}}, nil
	}
	return []operation{{"add", "/" + section + "/nomograph", json.RawMessage(made)}}, nil
}

// update returns the steps that change an existing entry: the keys that define how the server is reached, and of the
// headers only the one with the token. An entry that starts another program stays.
func (e *Edit) update(w Connection, entry gjson.Result) (steps []operation, err error) {
	var has struct {
		Command, URL string
		Args         []string
		Env          map[string]any
	}
	if err := json.Unmarshal([]byte(entry.Raw), &has); err != nil {
		return nil, notAnObject(e.file.path, "nomograph")
	}
	if !startsNomograph(has.Command, has.Args, has.URL) && has.Command != w.Program {
		if w.URL == "" && w.Container == "" && len(w.Options) == 0 {
			e.Starts = commandLine(has.Command, has.Args)
			return nil, nil
		}
		return nil, apperr.Newf(apperr.Conflict,
			"The entry nomograph in %s starts another program, so nothing was written", e.file.path).
			WithHint("Change it by hand, or remove it and run this command again")
	}
	own := programName(has.Command) == "nomograph" || has.Command == w.Program
	if own && slices.Contains(has.Args, "serve") && w.URL == "" && w.Container == "" { // flags of the user stay
		w.args = has.Args
		args := withOptions(has.Args, w.Options)
		if e.project && !slices.Equal(args, withOptions([]string{"serve"}, w.Options)) {
			e.kept = append(e.kept, "args "+list(args))
		}
	}
	wanted, headers := e.client.members(w), entry.Get("headers")
	remote := has.URL != "" || isBridge(has.Args)
	onlyToken := remote && w.URL == "" && headers.Get(authorization).Exists() && len(headers.Map()) == 1
	for _, m := range wanted {
		steps = append(steps, e.set(entry, m)...)
	}
	entry.ForEach(func(key, value gjson.Result) bool {
		name, old := key.String(), value.Raw
		switch {
		case slices.ContainsFunc(wanted, func(m member) bool { return m.key == name }):
			return true
		case slices.Contains(transportKeys, name), name == "type" && (remote || w.URL != ""):
		case name == "headers" && onlyToken:
			old = "the token's"
		case name == "env":
			e.kept = append(e.kept, "env ("+strings.Join(slices.Sorted(maps.Keys(has.Env)), ", ")+")")
			return true
		default:
			e.kept = append(e.kept, name)
			return true
		}
		e.changed = append(e.changed, "without "+name+": "+old)
		steps = append(steps, operation{Op: "remove", Path: e.path(name)})
		return true
	})
	return steps, nil
}

// path returns the JSON pointer of a key of the entry.
func (e *Edit) path(key string) string { return "/" + e.client.Section + "/nomograph/" + key }

// set returns the step that sets a member of the entry, if it differs. Of existing headers it sets only the one with
// the token.
func (e *Edit) set(entry gjson.Result, m member) []operation {
	at, old, change := m.key, entry.Get(m.key), m.key+": "+m.raw
	if m.key == "headers" && old.IsObject() {
		at, old, m.raw = m.key+"/"+authorization, old.Get(authorization), gjson.Get(m.raw, authorization).Raw
		change = "headers: the token's"
	} else if old.Exists() {
		change += ", before " + string(pretty.Ugly([]byte(old.Raw)))
	}
	if string(pretty.Ugly([]byte(old.Raw))) == m.raw {
		return nil
	}
	e.changed = append(e.changed, change)
	return []operation{{"add", e.path(at), json.RawMessage(m.raw)}}
}

func commandLine(command string, args []string) string {
	return strings.TrimSpace(strings.Join(append([]string{command}, args...), " "))
}

func newEntry(members []member) string {
	parts := lists.Map(members, func(m member) string { return quote(m.key) + ":" + m.raw })
	return "{" + strings.Join(parts, ",") + "}"
}

// withOptions returns arguments in which each option occurs once, with its new value.
func withOptions(args []string, options [][]string) []string {
	out := slices.Clone(args)
	for _, option := range options {
		name, _, _ := strings.Cut(option[0], "=")
		for i := 0; i < len(out); i++ {
			switch {
			case out[i] == name && len(option) > 1 && i+1 < len(out):
				out = slices.Delete(out, i, i+2)
				i--
			case out[i] == name, strings.HasPrefix(out[i], name+"="):
				out = slices.Delete(out, i, i+1)
				i--
			}
		}
		out = append(out, option...)
	}
	return out
}

func notAnObject(path, key string) error {
	return apperr.Newf(apperr.Conflict, "%s in %s is not an object, so nothing was written", key, path).
		WithHint("Correct the file by hand first")
}
