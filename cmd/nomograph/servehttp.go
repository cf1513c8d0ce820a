package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/webhook"
	"nomograph/server"
	"nomograph/server/auth"
	"nomograph/server/authzen"
	"nomograph/server/cstp"
	"nomograph/server/events"
	"nomograph/server/extmcp"
	"nomograph/server/hooks"
	"nomograph/server/inference"
	"nomograph/server/mcp"
	"nomograph/server/ofrep"
	"nomograph/server/pages"
	"nomograph/server/rest"
	"nomograph/tokens"
	"nomograph/tools"
)

// defaultDatabase is Neo4j's default database.
const defaultDatabase = "neo4j"

// network is the HTTP server of one process, before its environment exists.
type network struct {
	app      *app
	listener net.Listener
	auth     auth.Options
	metrics  *server.Metrics
}

// listen listens on the address. It rejects settings that would admit everyone.
func (a *app) listen(ctx context.Context) (*network, error) {
	c := a.config
	if (c.TLSCertificate == "") != (c.TLSKey == "") {
		return nil, apperr.New(apperr.Validation, "server.tls_certificate and server.tls_key must be set together").
			WithHint("Set both or neither")
	}
	n := &network{app: a, metrics: server.NewMetrics(),
		auth: auth.Options{Address: c.HTTP, Database: cmp.Or(c.Database, defaultDatabase), Required: c.Auth}}
	var err error
	if n.auth.Static, err = auth.FromEnvironment(c.Tokens); err != nil {
		return nil, err
	}
	if c.TokensFile != "" {
		configured, err := auth.FromFile(ctx, c.TokensFile)
		if err != nil {
			return nil, err
		}
		n.auth.Static = append(n.auth.Static, configured...)
	}
	if p := c.OIDC; p.Issuer != "" {
		n.auth.Provider = &auth.Provider{Issuer: p.Issuer, Audiences: p.Audiences, NameClaim: p.NameClaim,
			PermissionsClaim: p.PermissionsClaim, Prefix: p.Prefix,
			ProjectsClaim: p.ProjectsClaim, ClientID: p.ClientID, ClientSecret: p.ClientSecret}
	}
	if _, err := auth.New(n.auth); err != nil {
		return nil, err
	}
	for _, secret := range c.InferenceSecrets {
		if _, err := webhook.Key(secret); err != nil {
			return nil, apperr.New(apperr.Validation, "A secret in inference_hooks.secrets is invalid").
				WithHint("Copy the signing secret that Claude shows: whsec_ and base64").Because(err)
		}
	}
	n.listener, err = server.Listen(ctx, c.HTTP)
	return n, err
}

// serve serves until the context ends, or with stdio until stdin ends. started, if not nil, is called with the address
// before the first request is accepted.
func (n *network) serve(ctx context.Context, opened *tools.App, transport *mcp.Server, stdio bool,
	started func(address string)) error {
	ctx, stop := context.WithCancel(ctx)
	var behind sync.WaitGroup
	defer behind.Wait()
	// deferred calls run in reverse order: stop before the wait
	defer stop()
	background, end := context.WithCancel(context.WithoutCancel(ctx)) // outlives the last request
	defer end()
	n.useTokens(opened)
	behind.Go(func() { n.auth.Register.Follow(background) })
	behind.Go(func() { n.auth.Counts.Write(background) })
	behind.Go(func() { opened.Exchange.Run(ctx) })
	callers, err := auth.New(n.auth)
	if err != nil {
		return err
	}
	s, site := n.server(opened, callers, transport)
	if opened.Graph.Managed() {
		behind.Go(func() { preparePages(ctx, opened.Graph, site) })
	}
	scheme, address := "http", n.listener.Addr().String()
	if n.app.config.TLSCertificate != "" {
		scheme = "https"
	}
	fmt.Fprintf(os.Stderr, "Serving MCP at %[1]s://%[2]s/mcp\nServing REST at %[1]s://%[2]s/api/v1, with a page to try it at /api/docs\nShowing pages at %[1]s://%[2]s/; run `nomograph open` to make changes there\n", scheme, address)
	// So that 1,000 idle sessions and 200 subscribers fit into 100 MB
	debug.SetGCPercent(75)
	if path, err := lastServer(); err == nil { // without the file, `nomograph open` looks only at the default address
		_ = os.WriteFile(path, []byte(scheme+"://"+address), 0o600)
	}
	if started != nil {
		started(address)
	}
	if !stdio {
		return s.Serve(ctx, n.listener)
	}
	served := make(chan error, 1)
	go func() {
		served <- s.Serve(ctx, n.listener)
		stop()
	}()
	err = transport.ServeStdio(ctx, os.Stdin, os.Stdout)
	stop()
	return errors.Join(err, <-served)
}

// useTokens connects the tokens of the configuration and of the graph.
func (n *network) useTokens(opened *tools.App) {
	opened.Sessions.Reach.Provider = n.auth.Provider != nil
	for _, s := range n.auth.Static {
		opened.Tokens.Configured = append(opened.Tokens.Configured, s.Name)
		if s.May(caller.Govern) {
			opened.Sessions.Reach.Holders = append(opened.Sessions.Reach.Holders, s.Name)
		}
	}
	n.auth.Counts = tokens.NewUsageCounter(opened.Tokens, n.app.log)
	n.auth.Register = tokens.NewRegistry(opened.Tokens, n.auth.Counts, n.app.log)
}

// server returns the HTTP server with all transports, and its pages.
func (n *network) server(opened *tools.App, callers *auth.Auth, transport *mcp.Server) (*server.Server, *pages.Server) {
	a, c := n.app, n.app.config
	opened.Watches = append(opened.Watches, auth.ObserveCall, n.metrics.Watch, server.Slow(a.log, c.Slow))
	s := server.New(server.Options{Address: n.listener.Addr().String(),
		Hosts: append(c.Hosts, c.HTTP, hostOf(c.CSTP.URL)), Origins: c.Pages,
		Connections: c.Connections, AddressConnections: c.AddressConnections, Certificate: c.TLSCertificate,
		Key: c.TLSKey, Authenticate: callers.Authenticate, Challenge: callers.Challenge, Within: callers.Counted,
		Ready: readiness(opened, c.NoMigrate), Version: version, Log: a.log})
	callers.Serve(s)
	s.Handle("/mcp", transport.HTTP())
	rest.New(opened.Runner(), rest.Options{Version: version, Operations: a.operations,
		Beside: []rest.OtherRoute{events.Described()}}).Serve(s)
	feed := events.New(opened.Runner())
	feed.Serve(s)
	ofrep.New(opened.Runner(), ofrep.Options{Events: events.ForOFREP}).Serve(s)
	authzen.New(opened.Runner()).Serve(s)
	hooks.New(opened.Runner(), a.hookOptions(opened)).Serve(s)
	inference.New(opened.Runner(), inference.Options{Secrets: c.InferenceSecrets, Enforce: c.InferenceEnforce,
		Log: a.log}).Serve(s)
	extmcp.New(opened.Runner()).Serve(s)
	cstp.New(opened.Runner(), cstp.Options{Card: cstp.Card{Name: c.CSTP.Name, Description: c.CSTP.Description,
		Version: version, URL: strings.TrimSuffix(c.CSTP.URL, "/"), Contact: c.CSTP.Contact,
		Open: callers.Open()}, MaxResults: c.CSTP.MaxResults, MinScore: c.CSTP.MinScore, Log: a.log}).Serve(s)
	site := n.pages(opened, callers, feed)
	site.Serve(s)
	s.Handle("GET /metrics", n.metrics.Handler())
	return s, site
}

// maxIdleWait is how long preparing waits for callers before each operation.
const maxIdleWait = 10 * time.Second

// preparePages opens pages before anybody does, because a new engine plans their statements for seconds.
func preparePages(ctx context.Context, db *graph.DB, site *pages.Server) {
	if _, err := db.Connect(ctx); err == nil {
		site.Prepare(ctx, func(ctx context.Context) { db.WaitUntilIdle(maxIdleWait, ctx.Done()) })
	}
}

// hostOf returns the host with port of a URL.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// readiness reports whether the database is reachable and has the schema of this program.
func readiness(opened *tools.App, asItIs bool) func(context.Context) error {
	return func(ctx context.Context) error {
		at, err := opened.Graph.Connect(ctx)
		if err != nil {
			return err
		}
		if newest := graph.NewestMigration(); at.Migration < newest && !asItIs {
			return apperr.Newf(apperr.Unavailable, "The schema of the graph is at migration %d of %d", at.Migration,
				newest).WithHint("Start the server once with a database user that may change the schema")
		}
		_, err = opened.Graph.PollCommits(ctx) // an established connection may be dead
		return err
	}
}
