package server

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/loopback"
)

// ownHost refuses requests with a foreign Host header: in a DNS rebinding attack, a web page reaches this server under
// its own name.
func (s *Server) ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.isOwn(r) {
			Refuse(w, r, apperr.Newf(apperr.PermissionDenied, "Unknown server name %q", shorten(r.Host)).
				WithHint("Use the server's address, or add the name to server.allowed_hosts"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) isOwn(r *http.Request) bool {
	name := hostname(r.Host)
	if name == "" {
		return false
	}
	if loopback.Is(name) || name == hostname(s.options.Address) {
		return true
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && name == hostname(local.String()) {
		return true
	}
	return slices.ContainsFunc(s.options.Hosts, func(allowed string) bool {
		allowed = strings.ToLower(strings.TrimSpace(allowed))
		if under, any := strings.CutPrefix(allowed, "*."); any {
			return strings.HasSuffix(name, "."+under)
		}
		return name == hostname(allowed) && (!strings.Contains(allowed, ":") || strings.EqualFold(allowed, r.Host) ||
			net.ParseIP(allowed) != nil)
	})
}

// hostname returns a host without its port in canonical spelling.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return host
}

// OnLoopback reports whether an address, host:port, can be reached from this machine only.
func OnLoopback(address string) bool { return loopback.Is(hostname(address)) }

func shorten(text string) string { return text[:min(len(text), 200)] }

const (
	allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	allowedHeaders = "Authorization, X-API-Key, Content-Type, Accept, Last-Event-ID, If-None-Match, If-Match, Idempotency-Key, X-Request-Id, " +
		"Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Traceparent, Tracestate"
	exposedHeaders = "Mcp-Session-Id, X-Request-Id, ETag, Link, Retry-After, WWW-Authenticate"
)

// ownOrigin refuses web pages of other origins, except those of Options.Origins, on every route: without authentication
// a page from another local port would otherwise act as the user of this machine.
func (s *Server) ownOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin, h := r.Header.Get("Origin"), w.Header()
		if len(s.options.Origins) > 0 {
			h.Add("Vary", "Origin")
		}
		configured := origin != "" && slices.ContainsFunc(s.options.Origins,
			func(o string) bool { return o == "*" || strings.EqualFold(o, origin) })
		if !configured && !SameOrigin(r) {
			Refuse(w, r, apperr.Newf(apperr.PermissionDenied, "Web pages from %q may not call this server",
				shorten(cmp.Or(origin, "another origin"))).
				WithHint("Add the origin to server.cors_origins. If the page is the server's own, configure the proxy to pass Host and X-Forwarded-Proto"))
			return
		}
		if configured { // without Access-Control-Allow-Credentials: such a page sends its own token, never the cookie
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Expose-Headers", exposedHeaders)
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", allowedMethods)
				h.Set("Access-Control-Allow-Headers", allowedHeaders)
				h.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// SameOrigin reports whether no web page of another origin can have sent a request: its Origin equals the scheme, host
// and port under which it reached this server, and Sec-Fetch-Site does not contradict that. Programs send neither
// header. Following a link from another site is allowed, because a GET changes nothing and its sender cannot read the
// answer. A request with a session cookie must be of the same origin.
func SameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	switch r.Header.Get("Sec-Fetch-Site") {
	case "":
		return origin == "" || sameHost(origin, BaseURL(r))
	case "none", "same-origin": // compared by the browser, which knows the scheme even if a proxy does not pass it on
		_, host, _ := strings.Cut(origin, "://")
		return origin == "" || strings.EqualFold(host, r.Host) || sameHost(origin, BaseURL(r))
	}
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	return origin == "" && get && IsNavigation(r)
}

// IsNavigation reports whether a browser sends a request to show its answer in a tab: not in a frame, for a script, or
// as a prefetch.
func IsNavigation(r *http.Request) bool {
	h := r.Header
	return h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Dest") == "document" &&
		h.Get("Sec-Purpose") == "" && h.Get("Purpose") == ""
}

// ForPerson reports whether the answer to a request is shown to a person: browsers request HTML for pages, scripts and
// programs do not. Sec-Fetch headers do not help, because browsers omit them without TLS.
func ForPerson(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// sameHost compares scheme, host and port of two URLs.
func sameHost(one, other string) bool {
	a, err := url.Parse(one)
	if err != nil || a.Host == "" {
		return false
	}
	b, err := url.Parse(other)
	return err == nil && a.Scheme == b.Scheme && hostname(a.Host) == hostname(b.Host) && port(a) == port(b)
}

func port(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}
