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

// Write replaces the file. Its error is unavailable.
func (e Edit) Write() error { return e.file.write(e.text) }

// Preview returns the entry as text, for review or for manual changes.
func (e Edit) Preview() (string, error) {
	document, err := sjson.SetRaw(`{}`, e.client.section+".nomograph", e.entry)
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
		return apperr.Newf(apperr.Conflict, "%s is not JSON, so nothing was written", f.path).WithHint("Correct the file, or add the output of --show by hand").Because(err)
	}
	t := splicer{text: f.text}
	servers, err := objectMember(&root, c.section)
	if err != nil {
		return notAnObject(f.path, c.section)
	}
	var entry *hujson.Value
	if servers != nil {
		if entry, err = objectMember(servers, "nomograph"); err != nil {
			return notAnObject(f.path, c.section)
		}
	}
	if entry == nil {
		e.entry = newEntry(c.members(w))
		if servers == nil {
			t.add(&root, 1, c.section, `{"nomograph":`+e.entry+`}`)
		} else {
			t.add(servers, 2, "nomograph", e.entry)
		}
		e.text = t.done()
		return nil
	}
	if _, err := objectMember(entry, "command"); err != nil {
		return notAnObject(f.path, c.section+".nomograph")
	}
	if w.URL != "" || w.Container != "" {
		return e.updateConnection(w, f)
	}
	if err := e.update(&t, entry, f.path, w.Program, w.Options); err != nil {
		return err
	}
	if len(e.changed) > 0 {
		e.text = t.done()
	}
	after, err := hujson.Standardize(t.done())
	e.entry = gjson.GetBytes(after, c.section+".nomograph").Raw
	return err
}

// update changes an existing entry.
func (e *Edit) update(t *splicer, entry *hujson.Value, path, program string, options [][]string) error {
	standard := entry.Clone()
	standard.Standardize()
	var has struct {
		Command string
		Args    []string
		Env     map[string]any
	}
	if err := json.Unmarshal(standard.Pack(), &has); err != nil {
		return notAnObject(path, "nomograph")
	}
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(has.Command)), ".exe")
	if name != "nomograph" && has.Command != program { // a custom entry: go run, a container, a URL
		if len(options) > 0 {
			return apperr.Newf(apperr.Conflict, "The entry nomograph in %s starts another program, so nothing was written", path).
				WithHint("Add the flags by hand, or remove the entry and run this command again")
		}
		e.Starts = commandLine(has.Command, has.Args)
		return nil
	}
	args := has.Args
	if !slices.Contains(args, "serve") {
		args = []string{"serve"}
	}
	e.set(t, entry, "command", has.Command, program)
	e.set(t, entry, "args", has.Args, withOptions(args, options))
	if kept := withOptions(args, options); e.project && !slices.Equal(kept, withOptions([]string{"serve"}, options)) {
		e.kept = append(e.kept, "args "+list(kept))
	}
	for _, m := range entry.Value.(*hujson.Object).Members {
		switch key := m.Name.Value.(hujson.Literal).String(); key {
		case "command", "args":
		case "env":
			e.kept = append(e.kept, "env ("+strings.Join(slices.Sorted(maps.Keys(has.Env)), ", ")+")")
		default:
			e.kept = append(e.kept, key)
		}
	}
	return nil
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
	return apperr.Newf(apperr.Conflict, "%s in %s is not an object, so nothing was written", key, path).WithHint("Correct the file by hand first")
}
