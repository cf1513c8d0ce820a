package sessions

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/sessions/manifest"
)

// LoadRequest names atlases to be loaded, all or none.
type LoadRequest struct {
	Atlases []pack.Source `json:"atlases" jsonschema:"manifests as JSON or YAML, Markdown files with front matter, or names of shipped atlases" rule:"minItems=1,maxItems=5000"`
	Project string        `json:"project,omitempty" jsonschema:"owner/repo whose callers see the atlases (default from the manifest or the stored atlas, otherwise everyone)" rule:"maxLength=200"`
	Reason  string        `json:"reason,omitempty" jsonschema:"reason, stored in the history" rule:"maxLength=2000"`
	change.ApplyOptions
	By string `json:"-"`
}

// Loaded reports the changes of each atlas.
type Loaded struct {
	change.ApplyResult
	LeftOut []string `json:"left_out,omitempty" jsonschema:"Markdown files without front matter, which were skipped"`
}

// LoadAtlases loads atlases in one transaction, as packs are applied. A context that was removed from its atlas is no
// longer delivered, but remains for those who received it until prune is set. It returns a validation_error with every
// problem and its position: an invalid manifest, an id in use, a missing or circular dependency. For a caller
// restricted to some projects it returns permission_denied for an atlas outside of these projects or with policies,
// and a conflict for another project's atlas.
func (s *Store) LoadAtlases(ctx context.Context, r LoadRequest) (Loaded, error) {
	if err := s.change.CheckSignatures(r.Atlases); err != nil {
		return Loaded{}, err
	}
	read, err := manifest.ParseAll(ctx, r.Atlases)
	if err != nil {
		return Loaded{}, err
	}
	if err := s.assignProjects(ctx, read.Atlases, r); err != nil {
		return Loaded{}, err
	}
	if err := s.checkDependencies(ctx, read.Atlases, r.Adopt); err != nil {
		return Loaded{}, err
	}
	packs := lists.Map(read.Atlases, func(atlas *manifest.Atlas) pack.Pack { return atlas.Pack })
	applied, err := s.change.ApplyParsed(ctx, packs,
		change.ApplyRequest{Reason: cmp.Or(r.Reason, "atlases loaded"), ApplyOptions: r.ApplyOptions, By: r.By})
	if err != nil {
		return Loaded{}, err
	}
	if !r.DryRun {
		s.contexts.Wake()
	}
	if len(read.LeftOut) > 0 {
		applied.Summary += fmt.Sprintf("left out, having no front matter: %s\n",
			render.Printable(strings.Join(read.LeftOut, ", ")))
	}
	return Loaded{ApplyResult: applied, LeftOut: read.LeftOut}, nil
}

// assignProjects determines each atlas's project: that of the request or the manifest, else the one stored in the
// graph.
func (s *Store) assignProjects(ctx context.Context, atlases []*manifest.Atlas, r LoadRequest) error {
	ids := lists.Map(atlases, func(a *manifest.Atlas) string { return a.ID })
	type standing struct {
		AtlasID, Project string
		Limited          bool
	}
	rows, err := graph.All[standing](ctx, s.graph, cypher.AtlasesProjects, graph.Params{"ids": ids})
	if err != nil {
		return err
	}
	there := map[string]standing{}
	for _, row := range rows {
		there[row.AtlasID] = row
	}
	who := caller.From(ctx)
	if who.Limited() && r.Adopt {
		return apperr.New(apperr.PermissionDenied, "`adopt` may take over nodes of other projects").
			WithHint("Use a token for all projects")
	}
	var wrong []error
	for _, a := range atlases {
		project, answer := a.Project()
		before, ok := there[a.ID]
		wanted := strings.TrimSpace(r.Project)
		switch {
		case wanted != "" && answer && caller.Key(project) != caller.Key(wanted):
			wrong = append(wrong, a.Problem([]string{"project"}, "Leave one of the two out",
				"the manifest names the project '%s', and the call '%s'", project, wanted))
		case wanted != "":
			project = wanted
		case !answer:
			project = before.Project
		}
		if who.Limited() {
			if err := checkLoadable(who, a, project, ok && !(before.Limited && who.Sees(before.Project))); err != nil {
				return err
			}
		}
		a.SetProject(project)
	}
	return pack.Join(wrong)
}

// checkLoadable returns the reason why a caller restricted to some projects may not load an atlas. Policies of an
// atlas apply to all projects.
func checkLoadable(who caller.Caller, a *manifest.Atlas, project string, taken bool) error {
	switch {
	case project == "" || !who.Sees(project):
		return apperr.Newf(apperr.PermissionDenied, "Atlas '%s' would belong to no project that the caller may see",
			a.ID).WithHint("Set one of these projects: %s", strings.Join(who.Projects, ", "))
	case len(a.Actions) > 0 || a.Policies > 0:
		return apperr.Newf(apperr.PermissionDenied, "Atlas '%s' declares actions or policies, which apply to all projects", a.ID).
			WithHint("Leave `actions` and `policies` out, or load it with a token for all projects")
	case taken:
		return apperr.Newf(apperr.Conflict, "Atlas id '%s' is already in use", a.ID).
			WithHint("Give the atlas another `atlas_id`")
	}
	return nil
}

// loading is what a request to load atlases changes, and what there is without it.
type loading struct {
	atlases  []*manifest.Atlas
	versions map[string]string   // by id, after the request
	stands   map[string][]string // dependencies by id, after the request
	above    map[string]AtlasRow // atlases in the graph that are not part of the request
	brought  map[string][]string // contexts by the atlas of the request that delivers them
	owners   map[string]string   // atlas of each context that the request names
}

// checkDependencies checks atlases against those in the graph.
func (s *Store) checkDependencies(ctx context.Context, atlases []*manifest.Atlas, adopt bool) error {
	there, err := s.rows(ctx)
	if err != nil {
		return err
	}
	l := loading{atlases: atlases, versions: map[string]string{}, stands: map[string][]string{},
		above: map[string]AtlasRow{}, brought: map[string][]string{}}
	for _, row := range there {
		l.versions[row.AtlasID], l.stands[row.AtlasID] = row.Version, slices.Sorted(maps.Keys(row.Dependencies))
		l.above[row.AtlasID] = row
	}
	for _, a := range atlases {
		delete(l.above, a.ID)
		l.versions[a.ID], l.stands[a.ID] = a.Version, slices.Sorted(maps.Keys(a.Dependencies))
	}
	if l.owners, err = s.ownersOf(ctx, l); err != nil {
		return err
	}
	wrong, err := s.contextsOfOthers(ctx, l)
	if err != nil {
		return err
	}
	if taken := l.take(caller.From(ctx).Limited()); !adopt {
		wrong = append(wrong, taken...)
	}
	for _, a := range atlases {
		wrong = append(wrong, l.unmet(a)...)
	}
	return pack.Join(wrong)
}

// ownersOf returns the atlases in the graph that own the contexts which the request names, and fills brought. A context
// that an atlas of the request no longer delivers has no owner, because the request removes it.
func (s *Store) ownersOf(ctx context.Context, l loading) (map[string]string, error) {
	var ids []string
	delivered := map[string]bool{}
	for _, a := range l.atlases {
		l.brought[a.Name] = []string{}
		for _, item := range a.Items {
			if item.Section.Name == "contexts" {
				ids = append(ids, item.Key)
				l.brought[a.Name], delivered[item.Key] = append(l.brought[a.Name], item.Key), true
			}
		}
		for _, reference := range a.Elsewhere {
			ids = append(ids, reference.ID)
		}
	}
	known, err := graph.All[struct{ ID, Owner string }](ctx, s.graph, cypher.ContextOwners, graph.Params{"ids": ids})
	owners := map[string]string{}
	for _, row := range known {
		if _, comes := l.brought[row.Owner]; !comes || delivered[row.ID] {
			owners[row.ID] = row.Owner
		}
	}
	return owners, err
}

// take gives the contexts of the request to its atlases, and lists those that belonged to another one. A limited caller
// reads the names of its own atlases only.
func (l loading) take(limited bool) (taken []error) {
	for _, a := range l.atlases {
		for _, item := range a.Items {
			if item.Section.Name != "contexts" {
				continue
			}
			if owner := l.owners[item.Key]; owner != "" && owner != a.Name {
				of := ", of " + strings.Replace(owner, "atlas:", "the atlas ", 1)
				if _, seen := l.stands[strings.TrimPrefix(owner, "atlas:")]; !seen && limited {
					of = ""
				}
				taken = append(taken, a.ProblemAt(item.Node.At("context_id"),
					"Give it another id; `adopt` takes it over", "the context '%s' already exists%s", item.Key, of))
			}
			l.owners[item.Key] = a.Name
		}
	}
	return taken
}

// unmet lists dependencies and references of an atlas, and dependencies on it, that do not hold after the request.
func (l loading) unmet(a *manifest.Atlas) (wrong []error) {
	for _, id := range l.stands[a.ID] {
		at := []string{"dependencies", id}
		switch version, ok := l.versions[id]; {
		case !ok:
			wrong = append(wrong, a.Problem(at, "Load it first, or with this one",
				"the atlas depends on '%s', which is neither in this call nor in the graph", id))
		case !manifest.Satisfies(a.Dependencies[id], version):
			wrong = append(wrong, a.Problem(at, "Load a matching version, or widen the version range",
				"the atlas requires '%s' in version %s, but version %s is loaded", id, a.Dependencies[id], version))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.above)) {
		if constraint := l.above[id].Dependencies[a.ID]; constraint != "" &&
			!manifest.Satisfies(constraint, a.Version) {
			wrong = append(wrong, a.Problem([]string{"version"},
				"Load it with a version of that atlas that accepts this one",
				"'%s' in the graph requires this atlas in version %s, but it is %s", id, constraint, a.Version))
		}
	}
	if cycle := manifest.Cycle(l.stands, a.ID); cycle != nil {
		wrong = append(wrong, a.Problem([]string{"dependencies"}, "Remove one of these dependencies",
			"atlases depend on each other in a cycle: %s", strings.Join(cycle, " -> ")))
	}
	for _, reference := range a.Elsewhere {
		owner, ok := l.owners[reference.ID]
		if _, depends := a.Dependencies[strings.TrimPrefix(owner, "atlas:")]; !ok || !depends {
			wrong = append(wrong, a.ProblemAt(reference.At,
				"Correct the id, or add the atlas that has it to dependencies",
				"'%s' is a context of neither the atlas nor one of its dependencies", reference.ID))
		}
	}
	return wrong
}

// contextsOfOthers lists contexts that would be removed although other atlases deliver them.
func (s *Store) contextsOfOthers(ctx context.Context, l loading) (wrong []error, err error) {
	var rows []any
	others, byName := map[string]bool{}, map[string]*manifest.Atlas{}
	for _, a := range l.atlases {
		byName[a.Name] = a
		rows = append(rows, map[string]any{"name": a.Name, "ids": l.brought[a.Name]})
		for id, row := range l.above {
			if _, stands := row.Dependencies[a.ID]; stands {
				others["atlas:"+id] = true
			}
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	relied, err := graph.All[struct{ Atlas, ID, By, Other string }](ctx, s.graph, cypher.ContextsDependedOn,
		graph.Params{"atlases": rows, "others": slices.Sorted(maps.Keys(others))})
	for _, row := range relied {
		wrong = append(wrong, byName[row.Atlas].Problem([]string{"context_blocks"},
			"Keep it, or load that atlas without the reference first",
			"the context '%s' is removed, but '%s' of %s includes it", row.ID, row.By,
			strings.Replace(row.Other, "atlas:", "the atlas ", 1)))
	}
	return wrong, err
}
