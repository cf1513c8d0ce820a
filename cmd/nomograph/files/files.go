// Package files reads and writes the files that a command line names: documents with their signatures, in files,
// folders and patterns. Files are written completely or not at all.
//
//	documents, err := files.Documents([]string{"core", "./packs"})
//	err = files.Write(path, overwrite, 0o600, func(w io.Writer) error { ... })
//
// Errors are *apperr.Error values.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/document"
	"nomograph/policies/pack"
)

// Read reads and decodes a whole file, up to the size limit of documents.
func Read(path string) ([]byte, error) {
	text, err := disk.Read(path, int64(document.DefaultLimits().Bytes))
	if err != nil {
		return nil, Unreadable(path, err)
	}
	if text, err = document.Decode(text); err != nil {
		return nil, document.NotText(path, err)
	}
	return text, nil
}

// Stdin reads and decodes standard input. Of a longer text it returns more than limit bytes, which the operation
// refuses.
func Stdin(limit int) ([]byte, error) { return read("Standard input", os.Stdin, limit) }

// read reads and decodes a text. The beginning of a longer text stays as it is, since it may end with half a character.
func read(name string, from io.Reader, limit int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, int64(limit)+1))
	if err != nil {
		return nil, Unreadable(name, err)
	}
	if len(text) > limit {
		return text, nil
	}
	if text, err = document.Decode(text); err != nil {
		return nil, document.NotText(name, err)
	}
	return text, nil
}

// Open opens a regular file, or standard input for -. Its errors are those of Unreadable.
func Open(path string) (*os.File, error) {
	if path == "-" {
		return os.Stdin, nil
	}
	file, err := disk.Open(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	return file, nil
}

// Unreadable returns the error for a file that cannot be read: not_found if it does not exist, else validation_error.
func Unreadable(path string, err error) error {
	code := apperr.Validation
	switch {
	case errors.Is(err, disk.ErrNotRegular):
		return apperr.Newf(code, "%s is not a regular file", path).
			WithHint("Save it as a file first, or pipe it to a command that reads standard input as -").Because(err)
	case errors.Is(err, disk.ErrTooLarge):
		return apperr.Newf(code, "%s is too large", path).WithHint("Check the path; split the file if it is the right one").Because(err)
	case errors.Is(err, fs.ErrNotExist):
		code = apperr.NotFound
	}
	return apperr.Newf(code, "Cannot read %s", path).WithHint("Check the path and its permissions").Because(err)
}

// Signature reads the signature file of a pack, or returns "" if there is none. It reads only the beginning, because a
// file of that name can contain anything.
func Signature(of string) (string, error) {
	const enough = 5000
	path := of + pack.SignatureSuffix
	file, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", Unreadable(path, err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, enough))
	if err != nil {
		return "", Unreadable(path, err)
	}
	return string(text), nil
}

// Write writes a file completely or not at all. An existing file is a conflict, unless overwrite is true; then it is
// replaced after everything was written. Only regular files are replaced, and links are replaced, not followed.
func Write(path string, overwrite bool, mode fs.FileMode, write func(io.Writer) error) error {
	if err := checkFree(path, overwrite); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return NotWritten(path, err)
	}
	err = write(file)
	if err == nil {
		err = errors.Join(file.Sync(), file.Chmod(mode))
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil && !overwrite { // another process may have created the file
		var claim *os.File
		if claim, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err == nil {
			err = claim.Close()
		} else {
			err = NotWritten(path, err)
		}
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// WriteText writes a text like Write.
func WriteText(path string, overwrite bool, mode fs.FileMode, text []byte) error {
	return Write(path, overwrite, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// checkFree returns an error if no file may be written at a path.
func checkFree(path string, overwrite bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return NotWritten(path, err)
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		return NotWritten(path, disk.ErrNotRegular)
	case !overwrite:
		return NotWritten(path, fs.ErrExist)
	}
	return nil
}

// NotWritten returns the error for a file that cannot be written: conflict if it exists and must remain, else
// validation_error.
func NotWritten(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return apperr.Newf(apperr.Conflict, "%s already exists", path).
			WithHint("Choose another name, or pass --overwrite if the command has it. A key is never overwritten").
			Because(err)
	}
	return apperr.Newf(apperr.Validation, "Cannot write %s", path).WithHint("Check the folder and its permissions").
		Because(err)
}
