package clients

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
)

// file is a client's configuration: JSON, which may have comments and trailing commas.
type file struct {
	path string // that links lead to; empty where we only show what to add
	text []byte // empty where there is no file
	mode fs.FileMode
}

// longest is how many bytes such a file may have: clients keep histories of their own in it.
const longest = 64 << 20

// open follows the links of a path, as dotfiles are often kept. In a project they must stay in it: whoever wrote the
// repository is not to choose which file of the user's is written.
func open(path string, project bool) (file, error) {
	f := file{mode: 0o600}
	if path == "" {
		return f, nil
	}
	var err error
	if f.path, err = followed(path); err != nil {
		return f, unreadable(path, err)
	}
	if project {
		here, err := followed(".")
		if way, relErr := filepath.Rel(here, f.path); err != nil || relErr != nil || !filepath.IsLocal(way) {
			return f, apperr.Newf(apperr.Conflict, "%s links out of this folder, to %s, so nothing was written", path, f.path).WithHint("Add the output of --show by hand")
		}
	}
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, unreadable(path, err)
	}
	f.mode = info.Mode().Perm()
	if f.text, err = disk.Read(f.path, longest); err != nil {
		return f, unreadable(path, err)
	}
	return f, nil
}

func unreadable(path string, cause error) error {
	if errors.Is(cause, disk.ErrNotRegular) {
		return apperr.Newf(apperr.Conflict, "%s is not a regular file, so nothing was written", path).WithHint("Add the output of --show by hand").Because(cause)
	}
	return apperr.Newf(apperr.Unavailable, "Cannot read %s", path).WithHint("Check the file and its permissions").Because(cause)
}

// followed is where a path leads, also where there is nothing yet.
func followed(path string) (string, error) {
	path, err := filepath.Abs(path)
	for range 40 {
		if err != nil {
			return "", err
		}
		dir, base := filepath.Split(path)
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			path = filepath.Join(real, base)
		}
		target, linkErr := os.Readlink(path)
		if linkErr != nil {
			return path, nil //nolint:nilerr // what is no link is the file itself
		}
		if path = target; !filepath.IsAbs(target) {
			path = filepath.Join(dir, target)
		}
	}
	return "", errors.New("too many links")
}

// write replaces the file in one step, under a name that nobody can have prepared.
func (f file) write(text []byte) error {
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return unwritable(f.path, err)
	}
	aside, err := os.CreateTemp(dir, ".nomograph-*")
	if err != nil {
		return unwritable(f.path, err)
	}
	_, err = aside.Write(text)
	if err = errors.Join(err, aside.Close(), os.Chmod(aside.Name(), f.mode)); err == nil {
		err = os.Rename(aside.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(aside.Name())
		return unwritable(f.path, err)
	}
	return nil
}

func unwritable(path string, cause error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot write %s", path).WithHint("Add the output of --show by hand").Because(cause)
}
