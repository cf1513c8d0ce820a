package auth

import (
	"net/http"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/server"
)

// metadataPath is the path of the resource metadata of RFC 9728. The path of the resource is appended.
const metadataPath = "/.well-known/oauth-protected-resource"

const mcpPath = "/mcp"

// Serve adds the protected resource metadata to a server if tokens of an OpenID provider are accepted.
func (a *Auth) Serve(s *server.Server) {
	if a.provider == nil {
		return
	}
	for _, resource := range []string{"", mcpPath} {
		s.Public(metadataPath+resource, server.Only("GET, HEAD", func(w http.ResponseWriter, r *http.Request) {
			scopes := lists.Map(caller.Permissions, func(permission caller.Permission) string {
				return a.provider.Prefix + string(permission)
			})
			server.Answer(w, http.StatusOK, map[string]any{"resource": a.resource(r, resource),
				"authorization_servers": []string{a.provider.Issuer},
				"scopes_supported":      scopes, "bearer_methods_supported": []string{"header"},
				"resource_name": "Nomograph"})
		}))
	}
}

// resource returns the resource identifier for a path: the audience that equals the URL at which the client reached the
// server, otherwise an audience that is a URL, otherwise that URL.
func (a *Auth) resource(r *http.Request, path string) string {
	here := server.BaseURL(r) + path
	audiences := a.provider.Audiences
	if slices.Contains(audiences, here) {
		return here
	}
	if i := slices.IndexFunc(audiences, func(audience string) bool {
		return strings.HasPrefix(audience, "https://")
	}); i >= 0 {
		return audiences[i]
	}
	return here
}

// Challenge returns the WWW-Authenticate header of a 401 as in RFC 6750 and RFC 9728, or of a 403 with the missing
// scope. It returns "" without an OpenID provider.
func (a *Auth) Challenge(r *http.Request, err error) string {
	secret, given, _ := credential(r.Header)
	parts := []string{`Bearer realm="nomograph"`}
	scope := string(caller.Read)
	switch {
	case apperr.Is(err, apperr.PermissionDenied):
		needs, ok := apperr.From(err).Details["needs"].(caller.Permission)
		if !ok || !a.ofProvider(secret) {
			return ""
		}
		scope = string(needs)
		parts = append(parts, `error="insufficient_scope"`)
	case given || r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "":
		parts = append(parts, `error="invalid_token"`)
	}
	if a.provider != nil {
		path := ""
		if r.URL.Path == mcpPath {
			path = mcpPath
		}
		parts = append(parts, `scope="`+a.provider.Prefix+scope+`"`, `resource_metadata="`+
			server.BaseURL(r)+metadataPath+path+`"`)
	}
	return strings.Join(parts, ", ")
}
