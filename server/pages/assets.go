package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/server"
)

// In libraries/ stand those of others, which scripts/pages.sh puts there before a build; git does not keep them.
//
//go:embed style script libraries
var assetFiles embed.FS

// libraries are the files of the globals that a page may need.
var libraries = map[string]string{"Sigma": "sigma.min.js", "graphology": "graphology.umd.min.js", "uPlot": "uPlot.iife.min.js"}

const assetsPath = "/assets/"

// kinds of files that are served.
var kinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

// assets are the files that pages load, each under an address that has a hash of all of them, so that a browser may keep it for ever, and
// a script may import another by its name.
type assets struct {
	files   map[string][]byte
	version string
}

func readAssets() *assets {
	a := &assets{files: map[string][]byte{}}
	sum := sha256.New()
	err := fs.WalkDir(assetFiles, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || kinds[path.Ext(name)] == "" {
			return err
		}
		text, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		a.files[path.Base(name)] = text
		sum.Write([]byte(name))
		sum.Write(text)
		return nil
	})
	if err != nil { // part of the program
		panic(err)
	}
	a.version = hex.EncodeToString(sum.Sum(nil)[:8])
	return a
}

func (a *assets) has(name string) bool { return a.files[name] != nil }

// Path is where a browser finds a file.
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
