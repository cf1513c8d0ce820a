package memory

import (
	"os"
	"path/filepath"
	"strings"

	"nomograph/internal/disk"
	"nomograph/internal/pattern"
)

// remote is the address of a repository in git's configuration, with the owner and the name at its end.
var remote = pattern.New(`(?m)^\s*url\s*=\s*\S*?([\w.~-]+/[\w.~-]+?)(?:\.git)?/?\s*$`)

// maxGitLength is how much of a file of git is read. Whoever wrote the repository wrote it.
const maxGitLength = 1 << 20

// ProjectOf is the name that people know a project by: what is no folder is a name already. A folder in a git repository that was fetched from
// somewhere is owner/repo; any other goes by the name of the repository's root, else by its own.
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
		if !info.IsDir() { // a work tree names the repository that it belongs to
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

// repositoryOf is the folder of git's that the file .git of a work tree leads to.
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

// originOf is the part of git's configuration about origin, else all of it.
func originOf(configured []byte) []byte {
	_, rest, found := strings.Cut(string(configured), `[remote "origin"]`)
	if !found {
		return configured
	}
	part, _, _ := strings.Cut(rest, "\n[")
	return []byte(part)
}

// lastOf is the name of a folder that is somewhere else.
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
