package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/tailscale/hujson"
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
	root, err := hujson.Parse(f.text)
	if err != nil {
		return e, err
	}
	servers, err := objectMember(&root, c.Section)
	if err != nil {
		return e, notAnObject(f.path, c.Section)
	}
	t := splicer{text: f.text}
	t.remove(servers, "nomograph")
	e.text = t.done()
	return e, nil
}

// Write replaces the file. Its error is unavailable.
func (e Edit) Write() error { return e.file.write(e.text) }

// Preview returns the entry as text, for review or for manual changes.
func (e Edit) Preview() (string, error) {
	document, err := sjson.SetRaw(`{}`, e.client.Section+".nomograph", e.entry)
	if err != nil {
		return "", err
	}
	if e.client.Name == "openclaw" {
		text, err := yaml.JSONToYAML([]byte(document))
		return fmt.Sprintf("Add this to the gateway's configuration:\n\n%s", text), err
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
	c, f := e.client, e.file
	fresh := !strings.ContainsFunc(string(f.text), func(r rune) bool { return r > ' ' })
	if fresh {
		f.text = []byte("{}\n")
	}
	root, err := hujson.Parse(f.text)
	if err != nil {
		return apperr.Newf(apperr.Conflict, "%s is not JSON, so nothing was written", f.path).
			WithHint("Correct the file, or add the output of --show by hand").Because(err)
	}
	t := splicer{text: f.text}
	servers, err := objectMember(&root, c.Section)
	if err != nil {
		return notAnObject(f.path, c.Section)
	}
	var entry *hujson.Value
	if servers != nil {
		if entry, err = objectMember(servers, "nomograph"); err != nil {
			return notAnObject(f.path, c.Section)
		}
	}
	if entry == nil {
		e.entry = newEntry(c.members(w))
		if servers == nil {
			t.add(&root, 1, c.Section, `{"nomograph":`+e.entry+`}`)
		} else {
			t.add(servers, 2, "nomograph", e.entry)
		}
		e.text = t.done()
		return nil
	}
	if _, err := objectMember(entry, "command"); err != nil {
		return notAnObject(f.path, c.Section+".nomograph")
	}
	return e.update(w, f)
}

// update changes an existing entry: the keys that define how the server is reached, and of the headers only the one
// with the token. An entry that starts another program stays.
func (e *Edit) update(w Connection, f file) error {
	at := e.client.Section + ".nomograph"
	plain, err := hujson.Standardize(slices.Clone(f.text))
	if err != nil {
		return err
	}
	var has struct {
		Command, URL string
		Args         []string
		Env          map[string]any
	}
	entry := gjson.GetBytes(plain, at)
	if err := json.Unmarshal([]byte(entry.Raw), &has); err != nil {
		return notAnObject(f.path, "nomograph")
	}
	wanted, replaced := e.client.members(w), transportKeys
	remote := has.URL != "" || isBridge(has.Args)
	elsewhere := w.URL != "" || w.Container != "" || remote
	if token := entry.Get("headers." + authorization); remote && w.URL == "" && token.Exists() &&
		len(entry.Get("headers").Map()) == 1 {
		replaced = append(slices.Clone(replaced), "headers") // only the token of the address
	}
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(has.Command)), ".exe")
	switch other := apperr.Newf(apperr.Conflict,
		"The entry nomograph in %s starts another program, so nothing was written", f.path); {
	case elsewhere && !startsNomograph(has.Command, has.Args, has.URL):
		return other.WithHint("Change it by hand, or remove it and run this command again")
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
		return other.WithHint("Add the flags by hand, or remove the entry and run this command again")
	default:
		e.Starts, e.entry = commandLine(has.Command, has.Args), entry.Raw
		return nil
	}
	text := f.text
	for _, m := range wanted {
		if text, err = e.setMember(text, entry.Get(m.key), m); err != nil {
			return err
		}
	}
	for _, key := range replaced {
		if !entry.Get(key).Exists() || slices.ContainsFunc(wanted, func(m member) bool { return m.key == key }) {
			continue
		}
		value := entry.Get(key).Raw
		if key == "headers" {
			value = "the token's"
		}
		e.changed = append(e.changed, "without "+key+": "+value)
		if text, err = e.inEntry(text, func(t *splicer, entry *hujson.Value) { t.remove(entry, key) }); err != nil {
			return err
		}
	}
	entry.ForEach(func(key, _ gjson.Result) bool {
		switch name := key.String(); {
		case slices.Contains(replaced, name):
		case name == "env":
			e.kept = append(e.kept, "env ("+strings.Join(slices.Sorted(maps.Keys(has.Env)), ", ")+")")
		default:
			e.kept = append(e.kept, name)
		}
		return true
	})
	if len(e.changed) > 0 {
		e.text = text
	}
	after, err := hujson.Standardize(slices.Clone(text))
	e.entry = gjson.GetBytes(after, at).Raw
	return err
}

// setMember sets a member of the entry. Of existing headers it sets only the one with the token.
func (e *Edit) setMember(text []byte, before gjson.Result, m member) ([]byte, error) {
	if m.key != "headers" || !before.IsObject() {
		return e.inEntry(text, func(t *splicer, entry *hujson.Value) {
			e.set(t, entry, m.key, before.Value(), json.RawMessage(m.raw))
		})
	}
	token := gjson.Get(m.raw, authorization).Raw
	if before.Get(authorization).Raw == token {
		return text, nil
	}
	e.changed = append(e.changed, "headers: the token's")
	return e.inEntry(text, func(t *splicer, entry *hujson.Value) {
		headers, _ := objectMember(entry, "headers")
		if value, _ := objectMember(headers, authorization); value != nil {
			t.replace(value.StartOffset, value.EndOffset, token)
		} else {
			t.add(headers, 4, authorization, token)
		}
	})
}

// inEntry changes this server's entry in a text.
func (e *Edit) inEntry(text []byte, change func(t *splicer, entry *hujson.Value)) ([]byte, error) {
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	servers, err := objectMember(&root, e.client.Section)
	if err != nil {
		return nil, notAnObject(e.file.path, e.client.Section)
	}
	entry, err := objectMember(servers, "nomograph")
	if err != nil {
		return nil, notAnObject(e.file.path, e.client.Section)
	}
	t := splicer{text: text}
	change(&t, entry)
	return t.done(), nil
}

func commandLine(command string, args []string) string {
	return strings.TrimSpace(strings.Join(append([]string{command}, args...), " "))
}

func (e *Edit) set(t *splicer, entry *hujson.Value, key string, from, to any) {
	before, _ := json.Marshal(from) // values decoded from JSON
	after, _ := json.Marshal(to)
	if string(before) == string(after) {
		return
	}
	change := key + ": " + string(after)
	if from != nil {
		change += ", before " + string(before)
	}
	e.changed = append(e.changed, change)
	if value, _ := objectMember(entry, key); value != nil {
		t.replace(value.StartOffset, value.EndOffset, string(after))
	} else {
		t.add(entry, 3, key, string(after))
	}
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
