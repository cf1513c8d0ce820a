package manifest

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/internal/normalize"
	"nomograph/internal/pattern"
	"nomograph/policies"
	"nomograph/policies/pack"
)

// Result holds the atlases of several sources.
type Result struct {
	Atlases []*Atlas
	LeftOut []string // Markdown files without front matter, which are not contexts
}

// Extensions are the file extensions of atlases.
var Extensions = []string{".yaml", ".yml", ".json", ".md"}

// ParseAll parses atlases: manifests, and Markdown files with front matter. A Markdown file is a context of the atlas
// whose manifest is named atlas.yaml, atlas.yml or atlas.json, in the same folder or one above. Without a manifest the
// folder itself is an atlas with the folder's name. A source without text is a shipped atlas. It returns a
// validation_error that lists all problems with their positions.
func ParseAll(ctx context.Context, sources []pack.Source) (Result, error) {
	p := parsing{byFolder: map[string]*Atlas{}, files: map[string]string{}, used: map[string]bool{}}
	for _, source := range sources {
		if err := p.read(ctx, source); err != nil {
			return Result{}, err
		}
	}
	for _, atlas := range p.Atlases {
		for _, named := range atlas.filesOf() {
			p.addNamed(ctx, atlas, named)
		}
	}
	for _, name := range p.names {
		p.addOther(ctx, name)
	}
	for _, atlas := range p.Atlases {
		if err := atlas.finish(ctx); err != nil {
			if !apperr.Is(err, apperr.Validation) {
				return Result{}, err
			}
			p.wrong = append(p.wrong, err)
		}
		for _, file := range atlas.files {
			if err := file.Err(); err != nil {
				p.wrong = append(p.wrong, err)
			}
		}
	}
	p.wrong = append(p.wrong, findDuplicates(p.Atlases)...)
	if len(p.wrong) == 0 && len(p.Atlases) == 0 {
		p.wrong = append(p.wrong, apperr.New(apperr.Validation, "The files contain no atlas").
			WithHint("Use a JSON or YAML manifest, or Markdown that starts with front matter between two lines of ---"))
	}
	return p.Result, pack.Join(p.wrong)
}

// parsing is the state of ParseAll.
type parsing struct {
	Result
	wrong    []error
	byFolder map[string]*Atlas // manifests named atlas
	files    map[string]string // Markdown files by name
	names    []string          // names of the Markdown files, in the order of the sources
	used     map[string]bool   // Markdown files that a manifest names
}

// read reads a manifest, or keeps a Markdown file for later. It returns the errors that are no problems of a manifest.
func (p *parsing) read(ctx context.Context, source pack.Source) error {
	text, err := source.Read(ShippedText)
	if err != nil {
		return err
	}
	name := filepath.ToSlash(source.Name)
	if strings.EqualFold(path.Ext(name), ".md") {
		p.files[path.Clean(name)], p.names = text, append(p.names, name)
		return nil
	}
	root, err := document.YAML(ctx, text, document.DefaultLimits())
	if err = pack.Unreadable(source.Name, err); apperr.Is(err, apperr.Validation) {
		p.wrong = append(p.wrong, err)
		return nil
	}
	if err != nil {
		return err
	}
	atlas := read(source.Name, text, root)
	p.Atlases = append(p.Atlases, atlas)
	if strings.TrimSuffix(path.Base(name), path.Ext(name)) == "atlas" {
		p.byFolder[path.Dir(name)] = atlas
	}
	return nil
}

// addNamed adds the Markdown files that a manifest names by their name or by a pattern.
func (p *parsing) addNamed(ctx context.Context, atlas *Atlas, named packFile) {
	pattern, found := path.Join(path.Dir(filepath.ToSlash(atlas.File)), named.file), false
	for _, file := range slices.Sorted(maps.Keys(p.files)) {
		if file != pattern && !matchesFile(pattern, file) {
			continue
		}
		found = true
		if file == pattern || !p.used[file] { // a file of several patterns is one context
			p.used[file] = true
			atlas.addFile(ctx, file, p.files[file], named.fields)
		}
	}
	switch {
	case found:
	case strings.ContainsAny(named.file, "*?["):
		atlas.problems.Add(named.at, "A pattern is relative to the manifest: guides/*.md, or **/*.md for all folders below. Load the folder, so that its files are there",
			"no given file matches '%s'", named.file)
	default:
		atlas.problems.Add(named.at, "Load the folder, or pass the file too",
			"the file '%s' is not among the given files", named.file)
	}
}

// addOther adds a Markdown file that no manifest names to the atlas of its folder.
func (p *parsing) addOther(ctx context.Context, name string) {
	text := p.files[path.Clean(name)]
	if p.used[path.Clean(name)] {
		return
	}
	if _, _, ok := front(text); !ok {
		p.LeftOut = append(p.LeftOut, name)
		return
	}
	atlas := manifestAbove(p.byFolder, path.Dir(name))
	if atlas == nil {
		atlas = folder(name)
		p.byFolder[path.Dir(name)] = atlas
		p.Atlases = append(p.Atlases, atlas)
	}
	atlas.addFile(ctx, name, text, nil)
}

// matchesFile reports whether a pattern matches a file: * and ? match anything but a slash, ** matches anything.
func matchesFile(pattern, file string) bool {
	if strings.Contains(pattern, "**") {
		return normalize.Glob(strings.ReplaceAll(strings.ReplaceAll(pattern, "**/", "*"), "**", "*"), file)
	}
	fits, err := path.Match(pattern, file)
	return fits && err == nil
}

// manifestAbove finds the manifest that a folder belongs to.
func manifestAbove(byFolder map[string]*Atlas, dir string) *Atlas {
	for {
		if atlas := byFolder[dir]; atlas != nil {
			return atlas
		}
		up := path.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

// folder returns the atlas for a folder of Markdown files without a manifest.
func folder(file string) *Atlas {
	dir := path.Dir(file)
	base := path.Base(dir)
	if abs, err := filepath.Abs(dir); err == nil && (base == "." || base == "..") {
		base = filepath.Base(abs)
	}
	id := slug(base)
	if len(id) < 2 {
		id = "atlas-" + id
	}
	a := &Atlas{ID: id, problems: &pack.Problems{File: file, Mend: manifestHint}}
	a.File, a.Name, a.Version = dir, Owner(id), folderVersion
	a.Items = []pack.Item{{Section: pack.SectionOf("atlases"), Key: id,
		Properties: map[string]any{"atlas_id": id, "atlas_version": "1.0", "name": base,
			"version": a.Version, "description": "The Markdown files of the folder " + base + "."}}}
	return a
}

// folderVersion is the version of a folder without a manifest; its files have versions of their own.
const folderVersion = "1.0.0"

var notInID = pattern.New(`[^a-z0-9._-]+`)

func slug(text string) string {
	return strings.Trim(notInID.ReplaceAllString(strings.ToLower(text), "-"), "-._")
}

var (
	frontMatter = pattern.New(`^\x{FEFF}?---[ \t]*\n((?s:.*?)\n)?---[ \t]*(?:\n|$)`)
	heading     = pattern.New(`(?m)^#+[ \t]+(.+?)[ \t#]*$`)
)

// front splits a Markdown file into its front matter and the rest.
func front(text string) (yaml, rest string, ok bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n") // the same for a checkout on Windows
	found := frontMatter.FindStringSubmatchIndex(text)
	if found == nil {
		return "", text, false
	}
	if found[2] >= 0 {
		yaml = text[found[2]:found[3]]
	}
	return yaml, strings.TrimSpace(text[found[1]:]), true
}

// addFile adds a Markdown file as a context. Missing front matter defaults to the pack that names the file, to its
// first heading and to its name.
func (a *Atlas) addFile(ctx context.Context, name, text string, packed map[string]any) {
	problems := &pack.Problems{File: name, Mend: manifestHint}
	a.files = append(a.files, problems)
	yaml, content, _ := front(text)
	stated := map[string]any{}
	var node *document.Node
	if strings.TrimSpace(yaml) != "" {
		// so that line numbers are those of the file
		root, err := document.YAML(ctx, "\n"+yaml, document.DefaultLimits())
		if err != nil {
			for _, line := range strings.Split(apperr.From(pack.Unreadable(name, err)).Message, "\n") {
				problems.Add(document.Position{Line: 1, Column: 1}, manifestHint, "the front matter cannot be read: %s",
					strings.TrimPrefix(line, name+":"))
			}
			return
		}
		node = root
		fields, ok := pack.Bolt(root.Value()).(map[string]any)
		if !ok {
			problems.Add(root.At(), manifestHint, "front matter must be a map such as `name: ...`")
			return
		}
		stated = fields
	}
	for other, key := range map[string]string{"id": "context_id", "title": "name"} {
		if value, ok := stated[other]; ok && stated[key] == nil {
			stated[key] = value
			delete(stated, other)
		}
	}
	file := strings.TrimSuffix(path.Base(name), path.Ext(name))
	block := map[string]any{"context_id": slug(file), "name": file, "content": content}
	if title := heading.FindStringSubmatch(content); title != nil {
		block["name"] = title[1]
	}
	for _, key := range []string{"priority", "inject_mode"} {
		if packed[key] != nil {
			block[key] = packed[key]
		}
	}
	maps.Copy(block, stated)
	minimal := map[string]any{"atlas_version": "1.0", "atlas_id": "aa", "version": "1.0.0", "name": "a",
		"context_blocks": []any{block}}
	for _, p := range append(parsedSchema().Check(minimal), misspelled(minimal)...) {
		at := node.At()
		if len(p.Path) > 2 {
			at = node.At(p.Path[2:]...)
		}
		problems.Add(at, manifestHint, "%s", strings.TrimPrefix(p.Message, "context_blocks[0]."))
	}
	a.addContext(problems, block, node)
	a.Checksum = policies.Hash(a.Checksum + "\n" + name + "\n" + text) // the checksum of the atlas covers its files
}

// findDuplicates finds duplicates among atlases that are loaded together.
func findDuplicates(atlases []*Atlas) []error {
	var wrong []error
	byID, contexts := map[string]string{}, map[string]string{}
	for _, a := range atlases {
		if first, again := byID[a.ID]; again && a.ID != "" {
			wrong = append(wrong, a.Problem([]string{"atlas_id"}, "Give each atlas its own id",
				"the atlas '%s' already exists, in %s", a.ID, first))
		}
		byID[a.ID] = a.File
		for _, item := range a.Items {
			if item.Section.Name != "contexts" {
				continue
			}
			if first, again := contexts[item.Key]; again && first != a.File {
				wrong = append(wrong, a.ProblemAt(item.Node.At("context_id"),
					"Give each context its own id, because feedback names it", "the context '%s' already exists, in %s",
					item.Key, first))
			}
			contexts[item.Key] = a.File
		}
	}
	stands := map[string][]string{}
	for _, a := range atlases {
		stands[a.ID] = slices.Sorted(maps.Keys(a.Dependencies))
	}
	for _, a := range atlases {
		if cycle := Cycle(stands, a.ID); cycle != nil {
			return append(wrong, a.Problem([]string{"dependencies"}, "Remove one of these dependencies",
				"atlases depend on each other in a cycle: %s", strings.Join(cycle, " -> ")))
		}
	}
	return wrong
}

// Cycle returns the path of dependencies from an atlas back to itself, nil if there is none.
func Cycle(stands map[string][]string, from string) []string {
	seen := map[string]bool{}
	var follow func(path []string) []string
	follow = func(path []string) []string {
		for _, next := range stands[path[len(path)-1]] {
			longer := append(slices.Clone(path), next)
			if next == from {
				return longer
			}
			if !seen[next] {
				seen[next] = true
				if cycle := follow(longer); cycle != nil {
					return cycle
				}
			}
		}
		return nil
	}
	return follow([]string{from})
}
