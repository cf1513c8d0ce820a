package server

import (
	"net/http"
	"slices"
	"strings"

	"nomograph/internal/apperr"
)

// Only allows requests with one of the given methods, such as "GET, HEAD".
func Only(allowed string, handler http.HandlerFunc) http.Handler {
	methods := strings.Split(allowed, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			NotAllowed(w, r, allowed)
			return
		}
		handler(w, r)
	})
}

// NotAllowed answers a request whose method is not allowed. OPTIONS lists the allowed methods.
func NotAllowed(w http.ResponseWriter, r *http.Request, allowed string) {
	w.Header().Set("Allow", allowed)
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	Refuse(w, r, WithStatus(http.StatusMethodNotAllowed,
		apperr.Newf(apperr.Validation, "%s does not support %s", r.URL.Path, r.Method).
			WithHint("Use %s", strings.ReplaceAll(allowed, ",", " or"))))
}
