package memory

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/disk"
	"nomograph/internal/lists"
	"nomograph/internal/pattern"
)

// remote matches a repository URL in a git configuration and captures the owner and name at its end.
var remote = pattern.New(`(?m)^\s*url\s*=\s*\S*?([\w.~-]+/[\w.~-]+?)(?:\.git)?/?\s*$`)

// maxGitLength is the maximum number of bytes read from a file of git, since the repository's author controls it.
const maxGitLength = 1 << 20

// ProjectOf returns the display name of a project. A name that is not a path is returned unchanged. A folder in a git
// repository with a remote becomes owner/repo. Any other folder becomes the name of the repository's root, or else its
// own base name.
func ProjectOf(folder string) string {
	if !filepath.IsAbs(folder) && !strings.Contains(folder, `\`) {
		return folder
	}
	for at := folder; filepath.IsAbs(at); at = filepath.Dir(at) {
		git := filepath.Join(at, ".git")
		info, err := os.Stat(git)
		if err != nil {
			if at == filepath.Dir(at) {
				break
			}
			continue
		}
		if !info.IsDir() { // .git of a worktree is a file with the path of its repository
			git = repositoryOf(git)
		}
		configured, err := disk.Read(filepath.Join(git, "config"), maxGitLength)
		if found := remote.FindSubmatch(originOf(configured)); err == nil && found != nil {
			return string(found[1])
		}
		if filepath.Base(git) == ".git" {
			return filepath.Base(filepath.Dir(git))
		}
		return filepath.Base(at)
	}
	return lastOf(folder)
}

// repositoryOf returns the git directory that the .git file of a worktree refers to.
func repositoryOf(file string) string {
	text, err := disk.Read(file, maxGitLength)
	if err != nil {
		return file
	}
	own := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
	if !filepath.IsAbs(own) {
		own = filepath.Join(filepath.Dir(file), own)
	}
	common, err := disk.Read(filepath.Join(own, "commondir"), maxGitLength)
	if err != nil {
		return own
	}
	return filepath.Join(own, strings.TrimSpace(string(common)))
}

// originOf returns the section of a git configuration about origin, or all of it if there is none.
func originOf(configured []byte) []byte {
	_, rest, found := strings.Cut(string(configured), `[remote "origin"]`)
	if !found {
		return configured
	}
	part, _, _ := strings.Cut(rest, "\n[")
	return []byte(part)
}

// lastOf returns the last element of a path, which may be of another machine or operating system.
func lastOf(folder string) string {
	if !strings.HasPrefix(folder, "/") && !strings.Contains(folder, `\`) {
		return folder
	}
	parts := strings.FieldsFunc(folder, func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

// ProjectMatch is a project that matches a name.
type ProjectMatch struct {
	Name, Key string
	LastAt    time.Time
	Chunks    int64
}

// FindProject returns the project with this name, or the only one whose name ends with it. Endings after a slash are
// preferred. Without a match, the result has an empty Name. It returns a conflict that lists the names if several
// match.
func FindProject(ctx context.Context, q graph.Querier, name string) (ProjectMatch, error) {
	key := caller.Key(name)
	if key == "" {
		return ProjectMatch{}, nil
	}
	all, err := graph.All[ProjectMatch](ctx, q, cypher.ProjectsByName, graph.Params{"name": key})
	if err != nil {
		return ProjectMatch{}, err
	}
	var behindSlash []ProjectMatch
	for _, p := range all {
		if p.Key == key {
			return p, nil
		}
		if strings.HasSuffix(p.Key, "/"+key) {
			behindSlash = append(behindSlash, p)
		}
	}
	if len(behindSlash) > 0 {
		all = behindSlash
	}
	switch len(all) {
	case 0:
		return ProjectMatch{}, nil
	case 1:
		return all[0], nil
	}
	names := lists.Map(all, func(p ProjectMatch) string { return p.Name })
	return ProjectMatch{}, apperr.Newf(apperr.Conflict, "Several projects in memory end with '%s'", name).
		WithHint("Use the full name: %s", strings.Join(names, ", ")).With("projects", names)
}
