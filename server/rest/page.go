package rest

import (
	"embed"
	"net/http"

	"nomograph/server"
)

//go:embed page
var pageFiles embed.FS

// policy lets the page load its own script and style and ask its own server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// servePage serves the page to try operations with. It is three files, and asks for the rest with the token that its reader types in.
func (d *Door) servePage(s *server.Server) {
	for path, file := range map[string]struct{ name, kind string }{
		prefix + "/docs":          {"page/page.html", "text/html; charset=utf-8"},
		prefix + "/docs/page.js":  {"page/page.js", "text/javascript; charset=utf-8"},
		prefix + "/docs/page.css": {"page/page.css", "text/css; charset=utf-8"},
	} {
		text, err := pageFiles.ReadFile(file.name)
		if err != nil { // part of the program
			panic(err)
		}
		s.Public(path, server.Only(reading, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind)
			w.Header().Set("Content-Security-Policy", policy)
			w.Header().Set("Referrer-Policy", "no-referrer")
			_, _ = w.Write(text)
		}))
	}
}
