package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
)

func (o Options) passwordFile() string { return o.path("password") }

func readPassword(o Options) (string, error) {
	data, err := os.ReadFile(o.passwordFile())
	if err != nil {
		return "", apperr.Newf(apperr.Unavailable, "Cannot read the engine's password in %s", o.passwordFile()).
			WithHint("Restart the engine to replace a lost password").Because(err)
	}
	return strings.TrimSpace(string(data)), nil
}

// ensurePassword returns the password, creating one if there is none. Neo4j stores it in its system database when that
// is created. If the password was lost, the system database is moved aside: it holds only users and the list of
// databases, not the graph.
func (in *installation) ensurePassword(ctx context.Context) (string, error) {
	known, err := os.ReadFile(in.o.passwordFile())
	password := strings.TrimSpace(string(known))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", readError(in.o, err)
	}
	system := exists(in.o.path("data", "databases", "system"))
	if password != "" && system {
		return password, nil
	}
	if system {
		in.log.Warn().Str("password_file", in.o.passwordFile()).Msg("password lost; system database moved aside")
		if err := in.setSystemAside(); err != nil {
			return "", err
		}
	}
	if password == "" {
		password = rand.Text() // 130 bits
		if err := files.Write(in.o.passwordFile(), []byte(password+"\n")); err != nil {
			return "", err
		}
	}
	if in.Docker != "" {
		return password, nil // the image reads it from a mounted file
	}
	if err := os.Remove(in.o.path("data", "dbms", "auth.ini")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", files.Unwritable(in.o.path("data", "dbms"), err)
	}
	err = in.admin(ctx, adminCall{args: []string{"dbms", "set-initial-password", password}})
	if err != nil {
		return "", apperr.New(apperr.Unavailable, "Neo4j refused its initial password").
			WithHint("See %s", in.o.path("logs", "admin.log")).Because(err)
	}
	return password, nil
}

func (in *installation) setSystemAside() error {
	aside := in.o.path("backups", "system-"+stamp())
	for _, part := range []string{"databases", "transactions"} {
		if err := os.MkdirAll(filepath.Join(aside, part), 0o700); err != nil {
			return files.Unwritable(aside, err)
		}
		err := os.Rename(in.o.path("data", part, "system"), filepath.Join(aside, part, "system"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return files.Unwritable(aside, err)
		}
	}
	return nil
}

func readError(o Options, err error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot read %s", o.passwordFile()).
		WithHint("Only you may have read permission. Delete the file to create a new password; the graph stays").
		Because(err)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// stamp returns the current UTC time for file names: sortable and without characters that a file system may refuse.
func stamp() string { return time.Now().UTC().Format("20060102T150405Z") }
