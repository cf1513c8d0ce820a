package clients

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
)

// file is a client's configuration: JSON that can have comments and trailing commas.
type file struct {
	path string // path with links resolved; empty if the entry is only shown
	text []byte // empty if the file does not exist
	mark string // byte order mark before the text, as editors on Windows write it; it stays
	mode fs.FileMode
}

const byteOrderMark = "\xef\xbb\xbf"

// maxFileLength is the maximum size of such a file in bytes. Clients also store histories in it.
const maxFileLength = 64 << 20

// open follows the links of a path, because dotfiles are often links. In a project the target must be inside the
// project, so that the author of a repository cannot choose which of the user's files is written.
func open(path string, project bool) (file, error) {
	f := file{mode: 0o600}
	if path == "" {
		return f, nil
	}
	var err error
	if f.path, err = resolveLinks(path); err != nil {
		return f, readError(path, err)
	}
	if project {
		here, err := resolveLinks(".")
		if relative, relErr := filepath.Rel(here, f.path); err != nil || relErr != nil || !filepath.IsLocal(relative) {
			return f, apperr.Newf(apperr.Conflict, "%s links out of this folder, to %s, so nothing was written", path,
				f.path).WithHint("Add the output of --show by hand")
		}
	}
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, readError(path, err)
	}
	f.mode = info.Mode().Perm()
	if f.text, err = disk.Read(f.path, maxFileLength); err != nil {
		return f, readError(path, err)
	}
	if text, marked := bytes.CutPrefix(f.text, []byte(byteOrderMark)); marked {
		f.text, f.mark = text, byteOrderMark
	}
	return f, nil
}

func readError(path string, cause error) error {
	if errors.Is(cause, disk.ErrNotRegular) {
		return apperr.Newf(apperr.Conflict, "%s is not a regular file, so nothing was written", path).
			WithHint("Add the output of --show by hand").Because(cause)
	}
	return apperr.Newf(apperr.Unavailable, "Cannot read %s", path).WithHint("Check the file and its permissions").
		Because(cause)
}

// resolveLinks resolves the links of a path, even if the target does not exist.
func resolveLinks(path string) (string, error) {
	path, err := filepath.Abs(path)
	for range 40 {
		if err != nil {
			return "", err
		}
		dir := filepath.Dir(path)
		for existing, rest := dir, filepath.Base(path); ; { // a folder above may be a link, even if the folder does not exist yet
			if real, err := filepath.EvalSymlinks(existing); err == nil {
				path = filepath.Join(real, rest)
				break
			}
			if existing == filepath.Dir(existing) {
				break
			}
			existing, rest = filepath.Dir(existing), filepath.Join(filepath.Base(existing), rest)
		}
		target, linkErr := os.Readlink(path)
		if linkErr != nil {
			return path, nil //nolint:nilerr // not a link
		}
		if path = target; !filepath.IsAbs(target) {
			path = filepath.Join(dir, target)
		}
	}
	return "", errors.New("too many links")
}

// write replaces the file atomically.
func (f file) write(text []byte) error {
	err := os.MkdirAll(filepath.Dir(f.path), 0o755)
	if err == nil {
		err = disk.Write(f.path, append([]byte(f.mark), text...), f.mode)
	}
	if err != nil {
		return writeError(f.path, err)
	}
	return nil
}

func writeError(path string, cause error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot write %s", path).WithHint("Add the output of --show by hand").
		Because(cause)
}
