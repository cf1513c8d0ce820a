package manifest

import (
	"strconv"
	"sync"

	"nomograph/graph"
	"nomograph/internal/document"
	"nomograph/internal/schema"
	"nomograph/policies/pack"
)

var parsedSchema = sync.OnceValue(func() schema.Schema { return schema.MustCompile([]byte(Schema)) })

// Defaults of a context.
const (
	onMatch     = "on_match"
	contentType = "text/markdown"
)

func (a *Atlas) takeContexts(fields map[string]any) {
	list, _ := fields["context_blocks"].([]any)
	for i, raw := range list {
		block, _ := raw.(map[string]any)
		a.addContext(a.problems, block, a.root.Get("context_blocks").Item(i))
	}
}

// addContext adds a context unless its id is in use, and the problems that it finds to those of the context's file.
// Defaults are filled in, so that readers of the graph see them.
func (a *Atlas) addContext(problems *pack.Problems, block map[string]any, node *document.Node) {
	id, _ := block["context_id"].(string)
	if id == "" { // the schema has reported it
		return
	}
	if a.Item("contexts", id) != nil {
		problems.Add(node.At("context_id"), "Give each context its own id", "the context '%s' already exists", id)
		return
	}
	properties := map[string]any{"priority": int64(0), "inject_mode": onMatch, "content_type": contentType}
	for key, value := range block {
		if list, ok := value.([]any); ok && len(list) == 0 || value == nil {
			continue // empty values and lists count as absent
		}
		properties[key] = value
	}
	if properties["inject_mode"] == "risk_based" && properties["risk_tiers"] == nil {
		problems.Add(node.At("inject_mode"), `Name them, such as risk_tiers: ["high", "critical"]`,
			"'%s' is given by risk, so it needs risk_tiers", id)
	}
	a.Items = append(a.Items, pack.Item{Section: pack.SectionOf("contexts"), Key: id, Properties: properties,
		Node: node})
}

// filesOf returns the files that the context packs of a manifest name, with the defaults of each pack.
func (a *Atlas) filesOf() []packFile {
	var named []packFile
	packs := a.root.Get("context_packs")
	if packs == nil {
		return nil
	}
	for i, item := range packs.Items {
		fields, _ := pack.Bolt(item.Value()).(map[string]any)
		for n, file := range graph.Texts(fields["files"]) {
			named = append(named, packFile{file: file, fields: fields,
				at: a.root.At("context_packs", strconv.Itoa(i), "files", strconv.Itoa(n))})
		}
	}
	return named
}

type packFile struct {
	file   string
	fields map[string]any // fields of the context pack
	at     document.Position
}
