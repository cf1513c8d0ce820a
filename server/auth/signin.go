package auth

import (
	"context"
	"net/http"
	"strings"

	"golang.org/x/oauth2"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
)

// HasSignIn reports whether people can sign in at the provider: one is configured, with a client id.
func (a *Auth) HasSignIn() bool { return a.provider != nil && a.provider.ClientID != "" }

// SignInURL returns the provider's URL for signing in with the authorization code flow (RFC 6749) and PKCE (RFC 7636).
// The provider redirects to the URL back with the state. It returns unavailable if the provider does not respond.
func (a *Auth) SignInURL(ctx context.Context, back, state, verifier string) (string, error) {
	asked, err := a.client(ctx, back)
	if err != nil {
		return "", err
	}
	return asked.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier),
		oauth2.SetAuthURLParam("resource", a.provider.Audiences[0])), nil
}

// ExchangeCode exchanges a code for a token, which is verified when it is used. It returns unauthenticated if the
// provider rejects the code.
func (a *Auth) ExchangeCode(ctx context.Context, back, code, verifier string) (string, error) {
	asked, err := a.client(ctx, back)
	if err != nil {
		return "", err
	}
	token, err := asked.Exchange(context.WithValue(ctx, oauth2.HTTPClient, a.provider.keys.client), code,
		oauth2.VerifierOption(verifier))
	if err != nil || token.AccessToken == "" {
		return "", apperr.New(apperr.Unauthenticated, "The provider returned no token").WithHint("Sign in again").
			Because(err)
	}
	return token.AccessToken, nil
}

// client returns the OAuth client configuration of this server.
func (a *Auth) client(ctx context.Context, back string) (*oauth2.Config, error) {
	if !a.HasSignIn() {
		return nil, apperr.New(apperr.NotFound, "Sign-in with a provider is not configured").
			WithHint("Set auth.oidc.client_id")
	}
	at, err := a.provider.keys.endpoints(ctx)
	if err != nil {
		return nil, err
	}
	scopes := []string{"openid"}
	for _, permission := range caller.Permissions {
		scopes = append(scopes, a.provider.Prefix+string(permission))
	}
	return &oauth2.Config{ClientID: a.provider.ClientID, ClientSecret: a.provider.ClientSecret, RedirectURL: back,
		Scopes: scopes, Endpoint: at}, nil
}

// endpoints returns the authorization and token endpoints of the provider's discovery document.
func (k *keys) endpoints(ctx context.Context) (oauth2.Endpoint, error) {
	var metadata struct {
		Issuer string
		Sign   string `json:"authorization_endpoint"`
		Token  string `json:"token_endpoint"`
	}
	err := k.get(ctx, strings.TrimSuffix(k.issuer, "/")+"/.well-known/openid-configuration", &metadata)
	secure := func(address string) bool {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		return err == nil && (r.URL.Scheme == "https" || r.URL.Scheme == "http" &&
			strings.HasPrefix(k.issuer, "http://"))
	}
	if err != nil || metadata.Issuer != k.issuer || !secure(metadata.Sign) || !secure(metadata.Token) {
		return oauth2.Endpoint{}, apperr.New(apperr.Unavailable, "The provider has no sign-in address").
			WithHint("Try again in a moment, or sign in with a token").Because(err)
	}
	return oauth2.Endpoint{AuthURL: metadata.Sign, TokenURL: metadata.Token}, nil
}
