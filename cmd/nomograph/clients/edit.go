package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/pretty"
	"github.com/tidwall/sjson"

	"nomograph/internal/apperr"
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
	text    []byte   // new content of the file; nil if unchanged
	entry   string   // new entry of this server
	changed []string // changes to an existing entry
	kept    []string // other keys of the existing entry
}

// Edit prepares the client's entry for this server. Without a path it is only shown. It returns a conflict if the file
// is not a valid configuration, and unavailable if it cannot be read.
func (c Client) Edit(path string, project bool, w Connection) (Edit, error) {
	f, err := open(path, project)
	if err != nil {
		return Edit{}, err
	}
	e := Edit{client: c, named: path, project: project, file: f}
	err = e.merge(w)
	e.Same = e.text == nil
	return e, err
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
	f, err := open(path, project)
	if err != nil {
		return Edit{}, err
	}
	e := Edit{client: c, named: path, project: project, file: f}
	found, other := c.Entry(path)
	if !found {
		e.Same = true
		return e, nil
	}
	if other != "" {
		return e, apperr.Newf(apperr.Conflict, "The entry nomograph in %s starts another program, so it stays: %s",
			f.path, other).WithHint("Remove it by hand")
	}
	d, err := parse(f)
	if err != nil {
		return e, err
	}
	d.at(c.Section).remove("nomograph")
	e.text = d.Pack()
	return e, nil
}

// Write replaces the file. Its error is unavailable.
func (e Edit) Write() error { return e.file.write(e.text) }

// Preview returns the entry as text, for review or for manual changes.
func (e Edit) Preview() (string, error) {
	if e.client.Set != "" {
		return fmt.Sprintf("Run this:\n\n"+e.client.Set+"\n", pretty.Ugly([]byte(e.entry))), nil
	}
	document, err := sjson.SetRaw(`{}`, e.client.Section+".nomograph", e.entry)
	if err != nil {
		return "", err
	}
	lead := "This would be written to " + e.named
	switch {
	case e.Starts != "":
		lead = "This entry stays in " + e.named
	case e.Same:
		lead = "This is already in " + e.named
	}
	return fmt.Sprintf("%s:\n\n%s%s", lead, pretty.Pretty([]byte(document)), e), nil
}

// merge inserts the entry. In an existing entry it changes only the command and the given options.
func (e *Edit) merge(w Connection) error {
	section := e.client.Section
	d, err := parse(e.file)
	if err != nil {
		return err
	}
	root := d.at()
	if !root.isObject() {
		return notAnObject(e.file.path, section)
	}
	servers := d.at(section)
	if !servers.exists() {
		root.set(section, "{}")
		servers = d.at(section)
	}
	if !servers.isObject() {
		return notAnObject(e.file.path, section)
	}
	entry := d.at(section, "nomograph")
	if !entry.exists() {
		e.entry = newEntry(e.client.members(w))
		servers.set("nomograph", e.entry)
		e.text = d.Pack()
		return nil
	}
	if !entry.isObject() {
		return notAnObject(e.file.path, section+".nomograph")
	}
	if err := e.update(w, entry); err != nil {
		return err
	}
	if e.entry = entry.plain().Raw; len(e.changed) > 0 {
		e.text = d.Pack()
	}
	return nil
}

// existing is what an entry has.
type existing struct {
	Command, URL string
	Args         []string
	Env          map[string]any
	plain        gjson.Result
}

// update changes an existing entry: the keys that define how the server is reached, and of the headers only the one
// with the token. An entry that starts another program stays.
func (e *Edit) update(w Connection, entry value) error {
	has := existing{plain: entry.plain()}
	if err := json.Unmarshal([]byte(has.plain.Raw), &has); err != nil {
		return notAnObject(e.file.path, "nomograph")
	}
	wanted, replaced, err := e.wanted(w, has)
	if err != nil || wanted == nil {
		return err
	}
	for _, m := range wanted {
		e.set(entry, has.plain.Get(m.key), m)
	}
	for _, key := range replaced {
		old := has.plain.Get(key).Raw
		if old == "" || slices.ContainsFunc(wanted, func(m member) bool { return m.key == key }) {
			continue
		}
		if key == "headers" {
			old = "the token's"
		}
		e.changed = append(e.changed, "without "+key+": "+old)
		entry.remove(key)
	}
	for _, key := range entry.keys() {
		switch {
		case slices.Contains(replaced, key), !has.plain.Get(key).Exists():
		case key == "env":
			e.kept = append(e.kept, "env ("+strings.Join(slices.Sorted(maps.Keys(has.Env)), ", ")+")")
		default:
			e.kept = append(e.kept, key)
		}
	}
	return nil
}

// wanted returns the members that an existing entry needs, and the keys that they replace. It returns none for an entry
// that starts another program.
func (e *Edit) wanted(w Connection, has existing) (wanted []member, replaced []string, err error) {
	wanted, replaced = e.client.members(w), transportKeys
	remote := has.URL != "" || isBridge(has.Args)
	elsewhere := w.URL != "" || w.Container != "" || remote
	if headers := has.plain.Get("headers"); remote && w.URL == "" && headers.Get(authorization).Exists() &&
		len(headers.Map()) == 1 {
		replaced = append(slices.Clone(replaced), "headers") // only the token of the address
	}
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(has.Command)), ".exe")
	switch other := apperr.Newf(apperr.Conflict,
		"The entry nomograph in %s starts another program, so nothing was written", e.file.path); {
	case elsewhere && !startsNomograph(has.Command, has.Args, has.URL):
		return nil, nil, other.WithHint("Change it by hand, or remove it and run this command again")
	case elsewhere:
	case name == "nomograph" || has.Command == w.Program:
		args := has.Args
		if !slices.Contains(args, "serve") {
			args = []string{"serve"}
		}
		args = withOptions(args, w.Options)
		wanted, replaced = []member{{"command", quote(w.Program)}, {"args", list(args)}}, []string{"command", "args"}
		if e.project && !slices.Equal(args, withOptions([]string{"serve"}, w.Options)) {
			e.kept = append(e.kept, "args "+list(args))
		}
	case len(w.Options) > 0: // a custom entry: go run, a container, a URL
		return nil, nil, other.WithHint("Add the flags by hand, or remove the entry and run this command again")
	default:
		e.Starts = commandLine(has.Command, has.Args)
		return nil, nil, nil
	}
	return wanted, replaced, nil
}

// set sets a member of the entry. Of existing headers it sets only the one with the token.
func (e *Edit) set(entry value, before gjson.Result, m member) {
	if m.key == "headers" && before.IsObject() {
		token := gjson.Get(m.raw, authorization).Raw
		if before.Get(authorization).Raw != token {
			e.changed = append(e.changed, "headers: the token's")
			entry.at("headers").set(authorization, token)
		}
		return
	}
	old := string(pretty.Ugly([]byte(before.Raw)))
	if old == m.raw {
		return
	}
	change := m.key + ": " + m.raw
	if old != "" {
		change += ", before " + old
	}
	e.changed = append(e.changed, change)
	entry.set(m.key, m.raw)
}

func commandLine(command string, args []string) string {
	return strings.TrimSpace(strings.Join(append([]string{command}, args...), " "))
}

func newEntry(members []member) string {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = quote(m.key) + ":" + m.raw
	}
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
