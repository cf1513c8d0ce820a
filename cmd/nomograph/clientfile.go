package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"
	"github.com/tidwall/pretty"

	"nomograph/fault"
)

// clientFile is a client's configuration: JSON, which may have comments and trailing commas.
type clientFile struct {
	path string // that links lead to; empty where we only show what to add
	text []byte // empty where there is no file
	mode fs.FileMode
}

// readClientFile follows the links of a path, as dotfiles are often kept. In a project they must stay in it: whoever wrote the
// repository is not to choose which file of the user's is written.
func readClientFile(path string, project bool) (clientFile, error) {
	f := clientFile{mode: 0o600}
	if path == "" {
		return f, nil
	}
	var err error
	if f.path, err = followed(path); err != nil {
		return f, unreadableClient(path, err)
	}
	if project {
		here, err := followed(".")
		if way, relErr := filepath.Rel(here, f.path); err != nil || relErr != nil || !filepath.IsLocal(way) {
			return f, fault.Newf(fault.Conflict, "%s is a link out of this folder, to %s, so nothing was written", path, f.path).WithHint("--show prints what to add by hand")
		}
	}
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, unreadableClient(path, err)
	}
	f.mode = info.Mode().Perm()
	if f.text, err = os.ReadFile(f.path); err != nil {
		return f, unreadableClient(path, err)
	}
	return f, nil
}

func unreadableClient(path string, cause error) error {
	return fault.Newf(fault.Unavailable, "%s cannot be read", path).WithHint("Mend the file, or its rights").Because(cause)
}

// followed is where a path leads, also where there is nothing yet.
func followed(path string) (string, error) {
	path, err := filepath.Abs(path)
	for range 40 {
		if err != nil {
			return "", err
		}
		dir, base := filepath.Split(path)
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			path = filepath.Join(real, base)
		}
		target, linkErr := os.Readlink(path)
		if linkErr != nil {
			return path, nil //nolint:nilerr // what is no link is the file itself
		}
		if path = target; !filepath.IsAbs(target) {
			path = filepath.Join(dir, target)
		}
	}
	return "", errors.New("too many links")
}

// clientEdit is what an installation makes of a client's file.
type clientEdit struct {
	text    []byte   // the whole file; nil where it stays as it is
	entry   string   // ours, as it stands in it then
	changed []string // what of an entry that was there changes
	kept    []string // its other keys
}

func (e clientEdit) told() string {
	text := ""
	for _, change := range e.changed {
		text += "  " + change + "\n"
	}
	if len(e.kept) > 0 {
		text += "  kept of the entry: " + strings.Join(e.kept, ", ") + "\n"
	}
	return text
}

// merge puts our entry where it belongs. Of an entry that is there only the command changes, and the options that are given.
func (f clientFile) merge(c client, program string, options [][]string) (clientEdit, error) {
	fresh := !strings.ContainsFunc(string(f.text), func(r rune) bool { return r > ' ' })
	if fresh {
		f.text = []byte("{}\n")
	}
	root, err := hujson.Parse(f.text)
	if err != nil {
		return clientEdit{}, fault.Newf(fault.Conflict, "%s is not JSON, so nothing was written", f.path).WithHint("Mend it, or add by hand what --show prints for another client").Because(err)
	}
	t := splicer{text: f.text}
	servers, err := objectMember(&root, c.section)
	if err != nil {
		return clientEdit{}, notAnObject(f.path, c.section)
	}
	var ours *hujson.Value
	if servers != nil {
		if ours, err = objectMember(servers, "nomograph"); err != nil {
			return clientEdit{}, notAnObject(f.path, c.section)
		}
	}
	var e clientEdit
	if ours == nil {
		e.entry = newEntry(c, program, withOptions([]string{"serve"}, options))
		if servers == nil {
			t.add(&root, 1, c.section, `{"nomograph":`+e.entry+`}`)
		} else {
			t.add(servers, 2, "nomograph", e.entry)
		}
		e.text = t.done()
		return e, nil
	}
	if _, err := objectMember(ours, "command"); err != nil {
		return clientEdit{}, notAnObject(f.path, c.section+".nomograph")
	}
	if err := e.update(&t, ours, f.path, program, options); err != nil {
		return clientEdit{}, err
	}
	if len(e.changed) > 0 {
		e.text = t.done()
	}
	after, err := hujson.Standardize(t.done())
	e.entry = gjson.GetBytes(after, c.section+".nomograph").Raw
	return e, err
}

// update changes what has to change of an entry that is there.
func (e *clientEdit) update(t *splicer, ours *hujson.Value, path, program string, options [][]string) error {
	standard := ours.Clone()
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
	if name != "nomograph" && has.Command != program { // somebody's own way: go run, a container, an address
		if len(options) > 0 {
			return fault.Newf(fault.Conflict, "The entry nomograph in %s does not start this program, so nothing was written", path).
				WithHint("Add the flags there by hand, or remove the entry and run this again")
		}
		e.kept = []string{"all of it, since it does not start this program but: " + strings.TrimSpace(strings.Join(append([]string{has.Command}, has.Args...), " "))}
		return nil
	}
	args := has.Args
	if !slices.Contains(args, "serve") {
		args = []string{"serve"}
	}
	e.set(t, ours, "command", has.Command, program)
	e.set(t, ours, "args", has.Args, withOptions(args, options))
	for _, m := range ours.Value.(*hujson.Object).Members {
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

func (e *clientEdit) set(t *splicer, ours *hujson.Value, key string, from, to any) {
	before, _ := json.Marshal(from) // texts
	after, _ := json.Marshal(to)
	if string(before) == string(after) {
		return
	}
	e.changed = append(e.changed, fmt.Sprintf("%s: %s, before %s", key, after, before))
	if value, _ := objectMember(ours, key); value != nil {
		t.replace(value.StartOffset, value.EndOffset, string(after))
	} else {
		t.add(ours, 3, key, string(after))
	}
}

func newEntry(c client, program string, args []string) string {
	type entry struct {
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	made := entry{Command: program, Args: args}
	if c.typed {
		made.Type = "stdio"
	}
	text, _ := json.Marshal(made) // texts
	return string(text)
}

// withOptions gives arguments in which each option stands once, with the value that it has now.
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
	return fault.Newf(fault.Conflict, "%s in %s does not hold what clients read there, so nothing was written", key, path).WithHint("Mend it by hand first")
}

// write replaces the file in one step, under a name that nobody can have prepared.
func (f clientFile) write(text []byte) error {
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return unwritable(f.path, err)
	}
	aside, err := os.CreateTemp(dir, ".nomograph-*")
	if err != nil {
		return unwritable(f.path, err)
	}
	_, err = aside.Write(text)
	if err = errors.Join(err, aside.Close(), os.Chmod(aside.Name(), f.mode)); err == nil {
		err = os.Rename(aside.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(aside.Name())
		return unwritable(f.path, err)
	}
	return nil
}

func unwritable(path string, cause error) error {
	return fault.Newf(fault.Unavailable, "%s cannot be written", path).WithHint("--show prints what to add by hand").Because(cause)
}

// indented is a JSON text as people write it, to stand at a depth.
func indented(raw, indent, prefix string) string {
	options := *pretty.DefaultOptions
	options.Indent, options.Prefix = indent, prefix
	return strings.TrimSpace(string(pretty.PrettyOptions([]byte(raw), &options)))
}
