package clients

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"

	"nomograph/internal/apperr"
)

// updateConnection changes an existing entry to another way of reaching this server. It changes only the connection keys, and of the
// headers only the one with the token.
func (e *Edit) updateConnection(w Connection, f file) error {
	c := e.client
	at := c.section + ".nomograph"
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
	if !startsNomograph(has.Command, has.Args, has.URL) {
		return apperr.Newf(apperr.Conflict, "The entry nomograph in %s starts another program, so nothing was written", f.path).
			WithHint("Change it by hand, or remove it and run this command again")
	}
	wanted, text := c.members(w), f.text
	step := func(change func(t *splicer, entry *hujson.Value)) error {
		root, err := hujson.Parse(text)
		if err != nil {
			return err
		}
		servers, err := objectMember(&root, c.section)
		if err != nil {
			return notAnObject(f.path, c.section)
		}
		ours, err := objectMember(servers, "nomograph")
		if err != nil {
			return notAnObject(f.path, c.section)
		}
		t := splicer{text: text}
		change(&t, ours)
		text = t.done()
		return nil
	}
	for _, m := range wanted {
		before := entry.Get(m.key)
		if m.key == "headers" && before.IsObject() {
			token := gjson.Get(m.raw, authorization).Raw
			if before = before.Get(authorization); before.Raw == token {
				continue
			}
			e.changed = append(e.changed, "headers: the token's")
			if err := step(func(t *splicer, entry *hujson.Value) {
				headers, _ := objectMember(entry, "headers")
				if value, _ := objectMember(headers, authorization); value != nil {
					t.replace(value.StartOffset, value.EndOffset, token)
				} else {
					t.add(headers, 4, authorization, token)
				}
			}); err != nil {
				return err
			}
			continue
		}
		if err := step(func(t *splicer, entry *hujson.Value) {
			e.set(t, entry, m.key, before.Value(), json.RawMessage(m.raw))
		}); err != nil {
			return err
		}
	}
	for _, key := range transportKeys {
		if !entry.Get(key).Exists() || slices.ContainsFunc(wanted, func(m member) bool { return m.key == key }) {
			continue
		}
		e.changed = append(e.changed, "without "+key+": "+entry.Get(key).Raw)
		if err := step(func(t *splicer, entry *hujson.Value) { t.remove(entry, key) }); err != nil {
			return err
		}
	}
	entry.ForEach(func(key, _ gjson.Result) bool {
		switch name := key.String(); {
		case slices.Contains(transportKeys, name):
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
