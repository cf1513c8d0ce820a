// Package userfile reads YAML files of this user's settings that may contain secrets. No error quotes their text.
package userfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"nomograph/internal/disk"
	"nomograph/internal/document"
	"nomograph/internal/envvar"
	"nomograph/internal/schema"
)

// File is the content of a file.
type File struct {
	Value any // decoded YAML that has the form of the schema; nil if there is no file

	folder  string
	private bool // only the owner can read it
}

const maxSecret = 8 << 10 // bytes

// Read reads a file. An empty path and a missing file are an empty file. problem is why the file cannot be used, or "".
func Read(path string, form schema.Schema) (f File, problem string) {
	f.folder = filepath.Dir(path)
	info, err := os.Stat(path)
	switch {
	case path == "" || errors.Is(err, fs.ErrNotExist):
		return f, ""
	case err == nil && !info.Mode().IsRegular():
		return f, "not a regular file"
	}
	text, err := disk.Read(path, document.DefaultBytes)
	if err != nil {
		return f, "it cannot be read"
	}
	if text, err = document.Decode(text); err != nil {
		return f, err.Error()
	}
	root, err := document.YAML(context.Background(), string(text), document.DefaultLimits())
	if err != nil {
		var refused *document.Error
		if errors.As(err, &refused) && len(refused.Problems) > 0 { // the position only: the line may contain a secret
			return f, "invalid YAML, at " + refused.Problems[0].String()
		}
		return f, "invalid YAML"
	}
	if problems := form.Check(root.Value()); len(problems) > 0 { // they quote no text of the file
		return f, problems[0].Message
	}
	f.Value, f.private = root.Value(), runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
	return f, ""
}

// Path returns the path that a text of the file names.
func (f File) Path(text string) string {
	if filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(f.folder, text)
}

// Secret returns a secret: the content of the file at path, or text with its ${VARIABLE} references replaced, which may
// contain other text only if nobody else can read the file. what names the secret in the problem, which is "" if it
// could be read.
func (f File) Secret(what, text, path string) (secret, problem string) {
	if path != "" {
		content, err := disk.Read(f.Path(path), maxSecret)
		if err != nil {
			return "", "the file of its " + what + " cannot be read"
		}
		return strings.TrimSpace(string(content)), ""
	}
	if !envvar.Only(text) && !f.private {
		return "", "its " + what + " is in a file that others can read: run chmod 600, or write ${VARIABLE}"
	}
	secret, unset := envvar.Expand(text)
	switch {
	case unset != "":
		return "", "its " + what + " is " + unset + ", which is not set"
	case strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", "its " + what + " contains blanks or other invalid characters"
	}
	return secret, ""
}
