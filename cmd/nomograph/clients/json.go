package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"

	"nomograph/internal/apperr"
)

// operation is one step of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

func (f file) empty() bool { return len(bytes.TrimSpace(f.text)) == 0 }

// parse returns the JSON of a file, {} for an empty one. It returns a conflict if the file has something else.
func (f file) parse() (hujson.Value, error) {
	text := slices.Clone(f.text)
	if f.empty() {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return root, notJSON(f.path, err)
	}
	return root, nil
}

// plain returns the JSON of a file without comments and trailing commas.
func (f file) plain() (gjson.Result, error) {
	root, err := f.parse()
	if err != nil {
		return gjson.Result{}, err
	}
	root.Standardize()
	return gjson.ParseBytes(bytes.TrimSpace(root.Pack())), nil
}

// apply returns the text of a file after a patch, which preserves every other byte. format formats the whole text. It
// returns a conflict for a file with duplicate keys.
func (f file) apply(patch []operation, format bool) ([]byte, error) {
	plain, err := f.plain()
	if err != nil {
		return nil, err
	}
	if key := twice(plain); key != "" {
		return nil, apperr.Newf(apperr.Conflict, "%s has %s twice, so nothing was written", f.path, quote(key)).
			WithHint("Remove one of them by hand")
	}
	root, err := f.parse()
	if err != nil {
		return nil, err
	}
	steps, err := json.Marshal(append([]operation{}, patch...))
	if err == nil {
		err = root.Patch(steps)
	}
	if err != nil {
		return nil, notJSON(f.path, err)
	}
	for _, step := range patch {
		indent(&root, step.Path)
	}
	if format {
		root.Format()
	}
	return root.Pack(), nil
}

// indent begins a line for a member that was added to an object, if the member before it does.
func indent(root *hujson.Value, path string) {
	at := strings.LastIndex(path, "/")
	parent := root.Find(path[:at])
	if parent == nil {
		return
	}
	object, _ := parent.Value.(*hujson.Object)
	for i := 1; object != nil && i < len(object.Members); i++ {
		before, name := object.Members[i-1].Name.BeforeExtra, &object.Members[i].Name
		line := bytes.LastIndexByte(before, '\n')
		if line < 0 || name.Value.(hujson.Literal).String() != path[at+1:] {
			continue
		}
		if comment := bytes.TrimSpace(name.BeforeExtra); len(comment) > 0 { // after the member before it
			name.BeforeExtra = slices.Concat(hujson.Extra(" "), comment, before[line:])
		} else {
			name.BeforeExtra = slices.Clone(before[line:])
		}
	}
}
