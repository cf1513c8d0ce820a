package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"time"

	"github.com/spf13/cobra"

	"nomograph/client"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
)

const (
	healthTime      = 10 * time.Second
	maxHealthLength = 64 << 10 // bytes
)

// health checks a server over HTTP, so that containers and service units need no other program.
func (a *app) health() *cobra.Command {
	health := command("health", cobra.NoArgs, nil)
	ready := health.Flags().Bool("ready", false, "also check that the database is reachable and migrated")
	health.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		asked, path := a.remote, "/healthz"
		if asked == nil {
			if asked, err = client.New(a.ownServer()); err != nil {
				return err
			}
		}
		if *ready {
			path = "/readyz"
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), healthTime)
		defer cancel()
		answer, err := asked.Open(ctx, path, nil, nil)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		var state map[string]any
		if err := json.NewDecoder(io.LimitReader(answer.Body, maxHealthLength)).Decode(&state); err != nil {
			return apperr.Newf(apperr.Unavailable, "The answer of %s%s is not from Nomograph", asked.Server(), path).
				WithHint("Check the address")
		}
		return a.form.Print(cmd.OutOrStdout(), state)
	}
	return health
}

// ownServer returns the server with these settings on this machine. Its certificate is not verified, because it has
// another host name.
func (a *app) ownServer() client.Options {
	c := a.config
	host, port, err := net.SplitHostPort(cmp.Or(c.HTTP, config.DefaultAddress))
	if ip := net.ParseIP(host); err != nil || host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http"
	if c.TLSCertificate != "" {
		scheme = "https"
	}
	return client.Options{URL: scheme + "://" + net.JoinHostPort(host, port), Unverified: true, Version: version}
}
