package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"nomograph/fault"
)

// ownHost refuses requests that are addressed to a name which is not this server's: a web page whose name was made to lead here
// speaks to it under its own name.
func (s *Server) ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.isOwn(r) {
			Refuse(w, r, fault.Newf(fault.PermissionDenied, "This server does not go by the name %q", shortened(r.Host)).
				WithHint("Use its address, or have server.allowed_hosts name it"))
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
	if isLoopback(name) || name == hostname(s.options.Address) {
		return true
	}
	if local, is := r.Context().Value(http.LocalAddrContextKey).(net.Addr); is && name == hostname(local.String()) {
		return true
	}
	return slices.ContainsFunc(s.options.Hosts, func(allowed string) bool {
		allowed = strings.ToLower(strings.TrimSpace(allowed))
		if under, any := strings.CutPrefix(allowed, "*."); any {
			return strings.HasSuffix(name, "."+under)
		}
		return name == hostname(allowed) && (!strings.Contains(allowed, ":") || strings.EqualFold(allowed, r.Host) || net.ParseIP(allowed) != nil)
	})
}

// hostname is a host without its port, in lower case and one spelling.
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

func isLoopback(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// OnLoopback tells whether an address, host:port, can be reached from this machine alone.
func OnLoopback(address string) bool { return isLoopback(hostname(address)) }

func shortened(text string) string { return text[:min(len(text), 200)] }

const (
	allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	allowedHeaders = "Authorization, X-API-Key, Content-Type, Accept, Last-Event-ID, If-None-Match, If-Match, Idempotency-Key, X-Request-Id, " +
		"Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Traceparent, Tracestate"
	exposedHeaders = "Mcp-Session-Id, X-Request-Id, ETag, Link, Retry-After, WWW-Authenticate"
)

// ownOrigin refuses web pages of other origins, but those that are allowed to call.
func (s *Server) ownOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if len(s.options.Origins) > 0 {
			w.Header().Add("Vary", "Origin")
		}
		if origin == "" {
			next.ServeHTTP(w, r)
			return
		}
		configured := slices.Contains(s.options.Origins, "*") || slices.ContainsFunc(s.options.Origins, func(o string) bool { return strings.EqualFold(o, origin) })
		if !configured && !s.isOwnOrigin(origin, r) {
			Refuse(w, r, fault.Newf(fault.PermissionDenied, "Web pages from %q may not call this server", shortened(origin)).
				WithHint("server.cors_origins names those that may"))
			return
		}
		if configured {
			h := w.Header()
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

// isOwnOrigin tells whether a page is this server's own, or one of this machine on a server that only this machine reaches.
func (s *Server) isOwnOrigin(origin string, r *http.Request) bool {
	page, err := url.Parse(origin)
	if err != nil || page.Host == "" {
		return false
	}
	return strings.EqualFold(page.Host, r.Host) || OnLoopback(s.options.Address) && isLoopback(hostname(page.Host))
}
