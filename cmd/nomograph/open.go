package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http/httptrace"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"nomograph/client"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
	"nomograph/internal/disk"
	"nomograph/server/auth"
	"nomograph/server/events"
	"nomograph/server/pages"
	"nomograph/tools"
)

// openPages opens the explorer.
func (a *app) openPages() *cobra.Command {
	open := command("open [PAGE]", cobra.MaximumNArgs(1), nil)
	printed := open.Flags().Bool("print", false, "print the URL and do not open it")
	open.RunE = func(cmd *cobra.Command, args []string) error {
		return a.openPage(cmd, "/"+strings.TrimPrefix(strings.Join(args, ""), "/"), *printed)
	}
	return open
}

// openPage opens a page: of the server of --url, of this user's running server, or of one that it starts.
func (a *app) openPage(cmd *cobra.Command, page string, printed bool) error {
	show := func(base string, invited bool) error { return a.showPage(cmd, base+page, invited, printed) }
	if a.remote != nil {
		return show(a.remote.Server(), false)
	}
	if running := a.runningServer(cmd.Context()); running != "" {
		return show(running, true)
	}
	if a.config.HTTP == "" {
		a.config.HTTP = config.DefaultAddress
		if isTaken(cmd.Context(), a.config.HTTP) { // another user or program listens there
			a.config.HTTP = "127.0.0.1:0"
		}
	}
	return a.serveOver(cmd.Context(), false, func(address string) {
		a.config.HTTP = address
		if err := show(a.ownServer().URL, true); err != nil {
			a.log.Error().Err(err).Msg("pages not opened")
		}
	})
}

// runningServer returns the URL of a server that this user runs, "" if there is none.
func (a *app) runningServer(ctx context.Context) string {
	own := a.ownServer()
	if a.isOwnServer(ctx, own) {
		return own.URL
	}
	if path, err := lastServer(); err == nil && a.config.HTTP == "" { // the last one may listen elsewhere
		if address, err := disk.Read(path, 1<<10); err == nil {
			if own.URL = string(address); a.isOwnServer(ctx, own) {
				return own.URL
			}
		}
	}
	return ""
}

// lastServer returns the path of the file with the URL of the server that this user started last.
func lastServer() (string, error) { return disk.Data("nomograph", "server.url") }

// isOwnServer reports whether the server at an address has this user's pages key. Another user's server may listen
// there.
func (a *app) isOwnServer(ctx context.Context, at client.Options) bool {
	key, err := a.pagesKey()
	if err != nil {
		return false
	}
	asked, err := client.New(at)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	reached := ""
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		reached = got.Conn.RemoteAddr().String()
	}})
	challenge := rand.Text()
	answer, err := asked.Open(ctx, pages.OwnPath, url.Values{"challenge": {challenge}}, nil)
	if err != nil {
		return false
	}
	defer func() { _ = answer.Body.Close() }()
	proof, err := io.ReadAll(io.LimitReader(answer.Body, 200))
	return err == nil && hmac.Equal(proof, []byte(pages.Proof(key, reached, challenge)))
}

// isTaken reports whether a server listens at an address.
func isTaken(ctx context.Context, address string) bool {
	connection, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	return connection.Close() == nil
}

// showPage prints the URL of a page and opens it.
func (a *app) showPage(cmd *cobra.Command, address string, invited, printed bool) error {
	at, err := url.Parse(address)
	if err != nil {
		return apperr.Newf(apperr.Validation, "%q is not a page", address).
			WithHint("Name a page such as graph, or leave it out").Because(err)
	}
	if invited {
		key, err := a.pagesKey()
		if err != nil {
			return err
		}
		address = pages.WithInvitation(address, pages.Invitation(key, at.Host, a.agent()))
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), address); err != nil || printed {
		return err
	}
	browser.Stdout = cmd.ErrOrStderr()
	if err := browser.OpenURL(address); err != nil {
		a.log.Warn().Err(err).Msg("browser not started; open the address yourself")
	}
	return nil
}

// pages returns the handler of the pages.
func (n *network) pages(opened *tools.App, callers *auth.Auth, shown *events.Server) *pages.Server {
	key, err := opened.Sessions.Key()
	if err != nil { // cannot happen: a server has a key
		key = pages.NewKey()
	}
	o := pages.Options{Operations: n.app.operations, Key: key, Unauthenticated: callers.Open(),
		Authenticate: callers.Authenticate, Sessions: n.auth.Register, Live: shown, Version: version, Log: n.app.log}
	if callers.HasSignIn() {
		o.Provider = callers
	}
	return pages.New(opened.Runner(), o)
}

// serverKey is pagesKey, or in a long-running process without one a temporary key, for example in a container with a
// read-only disk.
func (a *app) serverKey() ([]byte, error) {
	key, err := a.pagesKey()
	if err != nil && a.serves {
		a.log.Info().Err(err).Msg("browser sessions and approvals end with this process")
		return pages.NewKey(), nil
	}
	return key, err
}

// pagesKey returns the configured key, or this user's key on this machine, which it creates if necessary.
func (a *app) pagesKey() ([]byte, error) {
	if a.config.PagesKey != "" {
		sum := sha256.Sum256([]byte(a.config.PagesKey))
		return sum[:], nil
	}
	path, err := disk.Data("nomograph", "pages.key")
	if err != nil {
		return nil, err
	}
	for range 2 {
		text, err := disk.Read(path, 1<<10)
		if err == nil {
			key, err := hex.DecodeString(strings.TrimSpace(string(text)))
			if err != nil || len(key) == 0 {
				return nil, apperr.Newf(apperr.Unavailable, "The key of the pages, %s, is damaged", path).
					WithHint("Delete the file to create a new key. Everyone has to sign in again")
			}
			return key, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, keyError(path, err)
		}
		if err := makeKey(path); err != nil {
			return nil, keyError(path, err)
		}
	}
	return nil, keyError(path, fs.ErrNotExist)
}

func keyError(path string, err error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot read or create the key of the pages, %s", path).
		WithHint("Set NOMOGRAPH_PAGES_KEY to 32 characters or more").Because(err)
}

// makeKey writes a key to a temporary file and links it to its name, unless another process was faster.
func makeKey(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	aside, err := os.CreateTemp(filepath.Dir(path), ".pages-*") // created with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(aside.Name()) }()
	_, err = aside.WriteString(hex.EncodeToString(pages.NewKey()) + "\n")
	if err = errors.Join(err, aside.Close()); err != nil {
		return err
	}
	if err = os.Link(aside.Name(), path); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
