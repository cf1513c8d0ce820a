package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/server"
	"nomograph/server/pages/script"
)

// scripts/pages.sh downloads third-party libraries into libraries/ before a build. Git ignores them.
//
//go:embed style libraries
var assetFiles embed.FS

// libraries maps the name of each JavaScript global that a page may need to its file.
var libraries = map[string]string{"Sigma": "sigma.min.js", "graphology": "graphology.umd.min.js"}

const assetsPath = "/assets/"

// kinds maps file extensions of served files to media types.
var kinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml"}

// assets holds the files that pages load. Their paths contain one hash over all files, so browsers may cache them
// forever and a script may import another by relative name.
type assets struct {
	files   map[string][]byte
	version string
}

func readAssets() *assets {
	a := &assets{files: map[string][]byte{}}
	sum := sha256.New()
	for _, files := range []embed.FS{assetFiles, script.Files} {
		err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || kinds[path.Ext(name)] == "" {
				return err
			}
			text, err := files.ReadFile(name)
			a.files[path.Base(name)] = text
			sum.Write([]byte(name))
			sum.Write(text)
			return err
		})
		if err != nil { // embedded files cannot fail to read
			panic(err)
		}
	}
	a.version = hex.EncodeToString(sum.Sum(nil)[:8])
	return a
}

// hasLibraries reports whether this build has the libraries of a page.
func (a *assets) hasLibraries(page *Page) bool {
	return !slices.ContainsFunc(page.Libraries, func(name string) bool { return a.files[libraries[name]] == nil })
}

// Path returns the URL path of a file.
func (a *assets) Path(name string) string { return assetsPath + a.version + "/" + name }

func (a *assets) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text, ok := a.files[name]
	if !ok {
		server.Refuse(w, r, apperr.Newf(apperr.NotFound, "%s not found", r.URL.Path).WithHint("Reload the page"))
		return
	}
	h := w.Header()
	h.Set("Content-Type", kinds[path.Ext(name)])
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.PathValue("version") == a.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if strings.HasSuffix(name, ".svg") {
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	}
	_, _ = w.Write(text)
}
