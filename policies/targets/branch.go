package targets

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"nomograph/internal/normalize"
)

// AnyBranch represents any branch, for refspecs that do not name one.
const AnyBranch = "*"

// HeadBranch represents the checked-out branch, written as HEAD or @.
const HeadBranch = "head"

const maxBranches = 200

// Branches returns the branches that a push with the refspecs in a text can write. They are sorted and normalized by
// Fold, without refs/heads/. The list can contain too many but never too few branches. A text without recognizable
// branches returns AnyBranch.
func Branches(text string) []string {
	found := map[string]bool{}
	for _, spec := range refspecs(text) {
		for _, name := range written(spec) {
			found[name] = true
		}
		if len(found) > maxBranches {
			found[AnyBranch] = true
			break
		}
	}
	if len(found) == 0 {
		return []string{AnyBranch}
	}
	return slices.Sorted(maps.Keys(found))
}

// Forced reports whether a refspec in a text rewrites or deletes a branch: it starts with + or :.
func Forced(text string) bool {
	return slices.ContainsFunc(refspecs(text), func(spec string) bool {
		return strings.HasPrefix(spec, "+") || strings.HasPrefix(spec, ":") && spec != ":"
	})
}

// refspecs returns the normalized words of a text, as written and with percent escapes decoded.
func refspecs(text string) []string {
	var specs []string
	for _, form := range decodings(text) {
		form = normalize.Fold(strings.NewReplacer(`"`, "", "'", "").Replace(form))
		specs = append(specs, strings.FieldsFunc(form,
			func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|&(){}<>", r) })...)
	}
	return specs
}

// written returns the branches that a refspec writes; none for options and exclusions.
func written(spec string) []string {
	switch {
	case strings.HasPrefix(spec, "--all"), strings.HasPrefix(spec, "--mirror"), strings.HasPrefix(spec, "--branches"):
		return []string{AnyBranch}
	case strings.HasPrefix(spec, "-"), strings.HasPrefix(spec, "^"):
		return nil
	}
	spec = strings.TrimLeft(spec, "+")
	_, targets, ok := strings.Cut(spec, ":")
	if !ok {
		return []string{branch(spec)}
	}
	var names []string
	for target := range strings.SplitSeq(targets, ":") { // git accepts one target; several are ambiguous
		names = append(names, branch(target))
	}
	return names
}

// branch returns the normalized name of a branch.
func branch(ref string) string {
	if at := strings.IndexAny(ref, "~^"); at >= 0 {
		ref = ref[:at]
	}
	if ref == "@" {
		return HeadBranch
	}
	ref = strings.TrimRight(normalize.CleanPath(strings.ReplaceAll(ref, `\`, "/")), "@./")
	if ref == "" || strings.ContainsAny(ref, "*?[$`") {
		return AnyBranch
	}
	for {
		short := ref
		for _, prefix := range []string{"refs/", "heads/", "origin/"} {
			short = strings.TrimPrefix(short, prefix)
		}
		if remote, ok := strings.CutPrefix(short, "remotes/"); ok {
			if _, name, more := strings.Cut(remote, "/"); more {
				short = name
			}
		}
		if short == ref || short == "" {
			return ref
		}
		if strings.HasPrefix(short, "tags/") || strings.HasPrefix(short, "for/") ||
			strings.HasPrefix(short, "notes/") { // not branches
			return ref
		}
		ref = short
	}
}
