package auth

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/loopback"
)

// Provider configures an OpenID provider and the meaning of its claims.
type Provider struct {
	Issuer    string   // value of the claim iss
	Audiences []string // names of this server, one of which the claim aud must contain

	NameClaim        string // claim with the caller's name
	PermissionsClaim string // claim with permissions, as words in one string or as a list
	Prefix           string // prefix of permissions in that claim; other words are ignored
	ClientID         string // client id of this server for people who sign in; empty to disable
	ClientSecret     string // empty for a public client
	ProjectsClaim    string // claim with the visible projects; empty for all projects

	Now func() time.Time // time source; nil for the system clock
}

// provider verifies the tokens of a Provider.
type provider struct {
	Provider
	keys *keys
}

// algorithms lists the asymmetric algorithms of RFC 7518 and RFC 8037. With these, a verifier cannot sign.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

// leeway is the tolerated difference between the clocks of the provider and of this server.
const leeway = 30 * time.Second

// newProvider validates the configuration of a provider. It sends no request, so a server starts while the provider is
// unavailable.
func newProvider(p Provider) (*provider, error) {
	issuer, err := url.Parse(p.Issuer)
	if err != nil || issuer.Host == "" || issuer.RawQuery != "" || issuer.Fragment != "" || issuer.User != nil ||
		issuer.Scheme != "https" && (issuer.Scheme != "http" || !loopback.Is(issuer.Hostname())) {
		return nil, apperr.Newf(apperr.Validation, "auth.oidc.issuer is not a provider address: %q", p.Issuer).
			WithHint("Use an https:// address exactly as in the tokens' iss claim")
	}
	if len(p.Audiences) == 0 {
		return nil, apperr.New(apperr.Validation, "auth.oidc.audience is missing: tokens for other services would be accepted").
			WithHint("Set it to the tokens' aud claim for this server, such as https://nomograph.example.org/mcp")
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	return &provider{p, newKeys(p.Issuer, p.Now)}, nil
}

// isJWT reports whether a secret has the form of a signed token: three base64 parts, the first of which is a JSON
// object.
func isJWT(secret string) bool {
	return strings.HasPrefix(secret, "ey") && strings.Count(secret, ".") == 2
}

// caller verifies a token and returns its caller. It returns unauthenticated with the reason, or unavailable if the
// provider's keys are not available.
func (p *provider) caller(ctx context.Context, token string) (caller.Caller, error) {
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		return caller.Caller{}, invalidClaim("is not signed with a supported algorithm", err)
	}
	header := parsed.Headers[0]
	candidates, err := p.keys.find(ctx, header.KeyID)
	if err != nil {
		return caller.Caller{}, err
	}
	var claims jwt.Claims
	var all map[string]any
	err = errors.New("no key of the provider signed it")
	for _, key := range candidates {
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		if err = parsed.Claims(key.Key, &claims, &all); err == nil {
			break
		}
	}
	if err != nil {
		return caller.Caller{}, invalidClaim("has an invalid signature", err)
	}
	if claims.Expiry == nil {
		return caller.Caller{}, invalidClaim("has no expiry", nil)
	}
	err = claims.ValidateWithLeeway(jwt.Expected{Issuer: p.Issuer, AnyAudience: p.Audiences, Time: p.Now()}, leeway)
	switch {
	case errors.Is(err, jwt.ErrExpired):
		return caller.Caller{}, invalidClaim("has expired", err)
	case errors.Is(err, jwt.ErrInvalidAudience):
		return caller.Caller{}, invalidClaim("is for another service", err)
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return caller.Caller{}, invalidClaim("is from another provider", err)
	case err != nil:
		return caller.Caller{}, invalidClaim("is not valid yet", err)
	}
	return p.callerOf(all, claims.Expiry.Time().Add(leeway))
}

func invalidClaim(claim string, cause error) error {
	return apperr.Newf(apperr.Unauthenticated, "The token %s", claim).
		WithHint("Get a new token for this server from the provider").Because(cause)
}

// callerOf converts verified claims to a caller. If a projects claim is configured but missing, the caller has no
// projects.
func (p *provider) callerOf(claims map[string]any, until time.Time) (caller.Caller, error) {
	name, _ := claim(claims, p.NameClaim).(string)
	if problem := caller.NameProblem(name); problem != "" {
		return caller.Caller{}, invalidClaim("has no valid name: claim "+p.NameClaim+": "+problem, nil)
	}
	name = strings.TrimSpace(name)
	c := caller.Caller{Name: name, Authenticated: true, Until: until}
	for _, word := range words(claim(claims, p.PermissionsClaim)) {
		permission := caller.Permission(strings.TrimPrefix(word, p.Prefix))
		if strings.HasPrefix(word, p.Prefix) && slices.Contains(caller.Permissions, permission) &&
			!slices.Contains(c.Permissions, permission) {
			c.Permissions = append(c.Permissions, permission)
		}
	}
	if p.ProjectsClaim != "" {
		c.Projects = []string{}
		for _, project := range words(claim(claims, p.ProjectsClaim)) {
			c.Projects = append(c.Projects, caller.Key(project))
		}
	}
	return c, nil
}

// claim returns the value of a claim. Dots in the name lead into objects, such as realm_access.roles.
func claim(claims map[string]any, name string) any {
	if value, ok := claims[name]; ok {
		return value
	}
	outer, inner, deeper := strings.Cut(name, ".")
	object, ok := claims[outer].(map[string]any)
	if !deeper || !ok {
		return nil
	}
	return claim(object, inner)
}

// words returns the words of a string or of a list of strings.
func words(value any) (all []string) {
	switch v := value.(type) {
	case string:
		return strings.Fields(v)
	case []any:
		for _, item := range v {
			if text, ok := item.(string); ok {
				all = append(all, text)
			}
		}
	}
	return all
}
