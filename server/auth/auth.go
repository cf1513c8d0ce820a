package auth

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tokens"
)

// Options configures authentication.
type Options struct {
	Address  string // listen address of the server
	Database string // served database
	Required bool   // require authentication on loopback too
	Static   []Static
	Provider *Provider        // OpenID provider whose tokens are accepted; nil for none
	Register *tokens.Registry // tokens in the graph
	Counts   *tokens.UsageCounter
}

// Auth authenticates callers.
type Auth struct {
	options Options
	static  map[string]caller.Caller // by hash of the secret
	open    bool

	provider *provider // nil without an OpenID provider
}

// New returns the authentication of a server. It returns a validation_error for a configuration that would let anyone
// in from beyond loopback.
func New(o Options) (*Auth, error) {
	a := &Auth{options: o, static: map[string]caller.Caller{}}
	a.open = !o.Required && len(o.Static) == 0 && o.Provider == nil
	if a.open && !server.OnLoopback(o.Address) {
		return nil, apperr.Newf(apperr.Validation, "Serving at %s would let other machines in without a token",
			o.Address).
			WithHint("Set --auth and create tokens with `nomograph token create NAME`, or set --tokens FILE or --oidc-issuer; or listen on 127.0.0.1")
	}
	if o.Provider != nil {
		var err error
		if a.provider, err = newProvider(*o.Provider); err != nil {
			return nil, err
		}
	}
	for _, s := range o.Static {
		hash := tokens.Hash(s.Secret)
		if _, twice := a.static[hash]; twice {
			return nil, apperr.Newf(apperr.Validation, "Two names have the same token; one is '%s'", s.Name).
				WithHint("Use a different token for each name")
		}
		a.static[hash] = s.caller()
	}
	return a, nil
}

// Open reports whether requests need no authentication, because the server can be reached from its own machine only.
func (a *Auth) Open() bool { return a.open }

// Authenticate authenticates a request by its bearer token or X-API-Key. It returns unauthenticated, rate_limited,
// permission_denied for a token of other databases, or unavailable.
func (a *Auth) Authenticate(r *http.Request) (caller.Caller, error) {
	secret, given, err := credential(r.Header)
	if err != nil {
		return caller.Caller{}, err
	}
	if !given {
		if a.open {
			return caller.Caller{Trusted: true}, nil // the user of this machine, as over stdio
		}
		return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The request has no token").
			WithHint("Send Authorization: Bearer TOKEN or X-API-Key: TOKEN; create one with `nomograph token create`")
	}
	c, err := a.byCredential(r.Context(), secret)
	if err == nil && c.Databases != nil && !slices.ContainsFunc(c.Databases,
		func(d string) bool { return strings.EqualFold(d, a.options.Database) }) {
		return caller.Caller{}, apperr.Newf(apperr.PermissionDenied,
			"The token of '%s' is not for the database that this server serves", c.Name).
			WithHint("Use the server of that database, or create a token for this one: `create_token` with databases")
	}
	return c, err
}

func (a *Auth) byCredential(ctx context.Context, secret string) (caller.Caller, error) {
	if c, ok := a.static[tokens.Hash(secret)]; ok {
		return c, nil
	}
	if a.ofProvider(secret) {
		c, err := a.provider.caller(ctx, secret)
		if err != nil {
			return c, err
		}
		return a.refuseTokenName(ctx, c)
	}
	grant, err := a.options.Register.Authenticate(ctx, secret)
	if err != nil {
		return caller.Caller{}, err
	}
	if err := a.options.Register.CountCall(grant); err != nil {
		a.options.Counts.Add(tokens.Use{Name: grant.Caller.Name, Refusals: 1})
		return caller.Caller{}, err
	}
	return grant.Caller, nil
}

// refuseTokenName refuses a caller of the provider if a token of this server has the same name. Otherwise two
// identities would share decisions, sessions and approvals. It returns permission_denied, or unavailable if the active
// tokens are unknown.
func (a *Auth) refuseTokenName(ctx context.Context, c caller.Caller) (caller.Caller, error) {
	taken := false
	for _, other := range a.static {
		taken = taken || c.Is(other.Name)
	}
	if !taken && a.options.Register != nil {
		var err error
		if taken, err = a.options.Register.HasName(ctx, c.Name); err != nil {
			return caller.Caller{}, err
		}
	}
	if taken {
		return caller.Caller{}, apperr.Newf(apperr.PermissionDenied,
			"The provider's name '%s' is also the name of a token of this server", c.Name).
			WithHint("Rename the token, or set auth.oidc.name_claim to a claim whose values are not token names")
	}
	return c, nil
}

// ofProvider reports whether the OpenID provider must verify a secret.
func (a *Auth) ofProvider(secret string) bool {
	_, configured := a.static[tokens.Hash(secret)]
	return a.provider != nil && isJWT(secret) && !configured
}

const maxSecretLength = 16 << 10 // bytes; a JWT with many claims has a few thousand

// credential returns the secret of a request. Two different secrets are refused, because it is unclear which one is
// meant.
func credential(h http.Header) (secret string, given bool, err error) {
	var secrets []string
	for _, value := range h.Values("Authorization") {
		scheme, rest, _ := strings.Cut(strings.TrimSpace(value), " ")
		if !strings.EqualFold(scheme, "Bearer") || strings.TrimSpace(rest) == "" {
			return "", false, apperr.New(apperr.Unauthenticated, "Invalid Authorization header").
				WithHint("Send Authorization: Bearer TOKEN")
		}
		secrets = append(secrets, strings.TrimSpace(rest))
	}
	for _, value := range h.Values("X-Api-Key") {
		secrets = append(secrets, strings.TrimSpace(value))
	}
	for _, s := range secrets {
		if s != secrets[0] || s == "" || len(s) > maxSecretLength {
			return "", false, apperr.New(apperr.Unauthenticated, "The request has no token or several").
				WithHint("Send one: Authorization: Bearer TOKEN")
		}
	}
	if len(secrets) == 0 {
		return "", false, nil
	}
	return secrets[0], true, nil
}
