package rest

import (
	"embed"
	"net/http"

	"nomograph/server"
)

//go:embed page
var pageFiles embed.FS

// policy allows the page to load its own script and style and to call its own server, nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// servePage serves the page for trying operations. It consists of three files and calls the API with the token that its
// reader enters.
func (d *Server) servePage(s *server.Server) {
	for path, file := range map[string]struct{ name, kind string }{
		prefix + "/docs":          {"page/page.html", "text/html; charset=utf-8"},
		prefix + "/docs/page.js":  {"page/page.js", "text/javascript; charset=utf-8"},
		prefix + "/docs/page.css": {"page/page.css", "text/css; charset=utf-8"},
	} {
		text, err := pageFiles.ReadFile(file.name)
		if err != nil { // part of the program
			panic(err)
		}
		s.Public(path, server.Only(readMethods, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind)
			w.Header().Set("Content-Security-Policy", policy)
			w.Header().Set("Referrer-Policy", "no-referrer")
			_, _ = w.Write(text)
		}))
	}
}
