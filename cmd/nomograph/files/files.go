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
	"nomograph/internal/disk"
	"os"
	"path/filepath"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/policies/pack"
)

// Read reads a whole file, which may be as long as a document.
func Read(path string) ([]byte, error) {
	text, err := disk.Read(path, int64(document.DefaultLimits().Bytes))
	if err != nil {
		return nil, Unreadable(path, err)
	}
	return text, nil
}

// Unreadable is the fault for a file that cannot be read: not_found where it is not there, else validation_error.
func Unreadable(path string, err error) error {
	code := apperr.Validation
	switch {
	case errors.Is(err, disk.ErrNotRegular):
		return apperr.Newf(code, "%s is not a regular file", path).WithHint("Save it as a file first, or pipe it to a command that reads standard input as -").Because(err)
	case errors.Is(err, disk.ErrTooLarge):
		return apperr.Newf(code, "%s is too large", path).WithHint("Check the path and its permissions").Because(err)
	case errors.Is(err, fs.ErrNotExist):
		code = apperr.NotFound
	}
	return apperr.Newf(code, "Cannot read %s", path).WithHint("Check the path and its permissions").Because(err)
}

// Signature reads the signature beside a pack's file, empty where there is none. Only its beginning: a file of that
// name may be anything.
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

// Write writes a file whole or not at all. A file that stands there is a conflict, unless overwrite is true; then it stays until all was
// written. What is no regular file is never replaced, and a link is replaced, not followed.
func Write(path string, overwrite bool, mode fs.FileMode, write func(io.Writer) error) error {
	if err := free(path, overwrite); err != nil {
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
	if err == nil && !overwrite { // somebody may have been quicker
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

// free says whether a file may be written at a path.
func free(path string, overwrite bool) error {
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

// WriteNew never overwrites: a key that is lost cannot sign again what it signed.
func WriteNew(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return NotWritten(path, err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return NotWritten(path, errors.Join(err, os.Remove(path)))
	}
	return nil
}

// NotWritten is the fault for a file that cannot be written: conflict where one is there that must stay, else validation_error.
func NotWritten(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return apperr.Newf(apperr.Conflict, "%s already exists", path).WithHint("Choose another name, or pass --overwrite if the command has it. A key is never overwritten").Because(err)
	}
	return apperr.Newf(apperr.Validation, "Cannot write %s", path).WithHint("Check the folder and its permissions").Because(err)
}
