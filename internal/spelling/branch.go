package spelling

import (
	"slices"
	"strings"
	"unicode"
)

// AnyBranch stands for a branch that a refspec does not tell: the push may write any.
const AnyBranch = "*"

// HeadBranch stands for the branch that is checked out, which a refspec calls HEAD or @.
const HeadBranch = "head"

const maxBranches = 200

// Branches gives the names of the branches that a push with the refspecs of a text writes, sorted, in the spelling of Fold and
// without refs/heads/. Whatever may be a branch is among them, so the list may be too long and is never too short: a text that
// names none, or one that cannot be told, gives AnyBranch.
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
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Forced tells whether one of the refspecs of a text rewrites or deletes a branch: it begins with + or :.
func Forced(text string) bool {
	return slices.ContainsFunc(refspecs(text), func(spec string) bool {
		return strings.HasPrefix(spec, "+") || strings.HasPrefix(spec, ":") && spec != ":"
	})
}

// refspecs are the words of a text in one spelling, as written and without percent escapes.
func refspecs(text string) []string {
	var specs []string
	for _, form := range decodings(text) {
		form = Fold(strings.NewReplacer(`"`, "", "'", "").Replace(form))
		specs = append(specs, strings.FieldsFunc(form, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|&(){}<>", r) })...)
	}
	return specs
}

// written are the branches that one refspec writes; none for an option and for what only excludes.
func written(spec string) []string {
	switch {
	case strings.HasPrefix(spec, "--all"), strings.HasPrefix(spec, "--mirror"), strings.HasPrefix(spec, "--branches"):
		return []string{AnyBranch}
	case strings.HasPrefix(spec, "-"), strings.HasPrefix(spec, "^"):
		return nil
	}
	spec = strings.TrimLeft(spec, "+")
	_, targets, isPair := strings.Cut(spec, ":")
	if !isPair {
		return []string{branch(spec)}
	}
	var names []string
	for target := range strings.SplitSeq(targets, ":") { // git takes one; with more nobody knows
		names = append(names, branch(target))
	}
	return names
}

// branch is the name of a branch in one spelling.
func branch(ref string) string {
	if at := strings.IndexAny(ref, "~^"); at >= 0 {
		ref = ref[:at]
	}
	if ref == "@" {
		return HeadBranch
	}
	ref = strings.TrimRight(clean(strings.ReplaceAll(ref, `\`, "/")), "@./")
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
		if strings.HasPrefix(short, "tags/") || strings.HasPrefix(short, "for/") || strings.HasPrefix(short, "notes/") { // no branches
			return ref
		}
		ref = short
	}
}
