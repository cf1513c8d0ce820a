package tools

import (
	"encoding/json"
	"fmt"
	"strings"

	"nomograph/internal/render"
)

const generated = "\n\n<!-- Made from the catalog in tools/ by `make surface`; do not edit. -->\n\n"

// Pages returns the catalog as Markdown, by path in docs/reference: an index, and a page for each toolset.
func Pages() map[string]string {
	operations, _ := Operations("")
	pages := map[string]string{}
	var b strings.Builder
	b.WriteString("# Operations" + generated)
	b.WriteString("Each operation is one declaration with four forms: an MCP tool, a command, a [REST](http.md) resource, and `nomograph call NAME JSON`.\nMCP serves the toolsets marked *default*; `--toolsets` or NOMOGRAPH_TOOLSETS names others. `tools/list` shows some default toolsets only on a\ncondition; clients can call the tools of these toolsets by name before that. A toolset that you name is listed from the start. `find_tools` searches all operations.\n\n")
	fmt.Fprintf(&b, "JSON answers with recorded text begin with the field `%s`: `%s`.\n\n", render.RecordedField,
		render.RecordedNotice)
	b.WriteString("| toolset | | what for | operations |\n|---|---|---|---|\n")
	for _, set := range Toolsets {
		mark := ""
		if set.Default {
			mark = "*default*"
			if set.Listing != ListedAlways {
				mark += ", listed " + string(set.Listing)
			}
		}
		var page strings.Builder
		fmt.Fprintf(&page, "# Operations: %s%s%s\n", set.Name, generated, set.Use)
		var names []string
		for _, o := range operations {
			if o.Toolset != set.Name {
				continue
			}
			o.page(&page)
			names = append(names, fmt.Sprintf("[%s](tools/%s.md#%[1]s)", o.Name, set.Name))
		}
		fmt.Fprintf(&b, "| [%s](tools/%[1]s.md) | %s | %s | %s |\n", set.Name, mark, set.Use, strings.Join(names, ", "))
		pages["tools/"+set.Name+".md"] = page.String()
	}
	listed := func(preset string) string { return "`" + strings.ReplaceAll(presets[preset], " ", "`, `") + "`" }
	fmt.Fprintf(&b, "\n`core` has the operations that a coding agent needs most, from several toolsets: %s. `minimal` has %s.\n",
		listed("core"), listed("minimal"))
	pages["tools.md"] = b.String()
	return pages
}

func (o Operation) page(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", o.Name, o.Use)
	method, path, _ := strings.Cut(o.REST, " ")
	fmt.Fprintf(b, "Command: `nomograph %s`. REST: `%s /api%s`. ", o.Usage(), method, path)
	if o.CSTP != "" {
		fmt.Fprintf(b, "CSTP: `%s`. ", o.CSTP)
	}
	fmt.Fprintf(b, "Needs: %s. %s.\n", o.Permission, o.Hints.words())
	if len(o.Input().PropertyOrder) > 0 {
		b.WriteString("\n| argument | type | | |\n|---|---|---|---|\n")
	}
	for _, name := range o.Input().PropertyOrder {
		property := o.Input().Properties[name]
		kind := property.Type
		if kind == "" {
			kind = strings.Join(property.Types, ", ")
		}
		if property.Items != nil {
			kind += " of " + property.Items.Type
		}
		var notes []string
		if o.Requires(name) {
			notes = append(notes, "required")
		}
		if len(property.Default) > 0 {
			notes = append(notes, "default "+string(property.Default))
		}
		if len(property.Enum) > 0 {
			choices, _ := json.Marshal(property.Enum) // constants always encode
			notes = append(notes, "one of "+string(choices))
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, kind, strings.Join(notes, ", "), property.Description)
	}
	var fields []string
	for _, name := range o.Output().PropertyOrder {
		fields = append(fields, "`"+name+"`")
	}
	if len(fields) > 0 {
		fmt.Fprintf(b, "\nAnswers with %s.\n", strings.Join(fields, ", "))
	} else if o.Output().Description != "" {
		fmt.Fprintf(b, "\nAnswers with %s.\n", o.Output().Description)
	}
}

func (h Hints) words() string {
	switch {
	case h.ReadOnly:
		return "Changes nothing"
	case h.Destructive:
		return "Changes or deletes data"
	default:
		return "Adds data"
	}
}
