//go:build ignore

// Command fetch downloads the libraries of the pages into this folder, with the versions and digests of
// package-lock.json. npm_config_registry names another registry. What is there stays.
package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// files maps the files of this folder to packages and paths in them.
var files = map[string][2]string{
	"sigma.min.js":              {"sigma", "dist/sigma.min.js"},
	"graphology.umd.min.js":     {"graphology", "dist/graphology.umd.min.js"},
	"graphology-library.min.js": {"graphology-library", "dist/graphology-library.min.js"},
}

type locked struct{ Version, Integrity string }

func main() {
	if err := fetch(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func fetch() error {
	text, err := os.ReadFile("package-lock.json")
	if err != nil {
		return err
	}
	var lock struct{ Packages map[string]locked }
	if err := json.Unmarshal(text, &lock); err != nil {
		return err
	}
	for name, from := range files {
		library := lock.Packages["node_modules/"+from[0]]
		marker := "// " + from[0] + " " + library.Integrity + "\n" // of the version that was written
		if there, err := os.ReadFile(name); err == nil && bytes.HasPrefix(there, []byte(marker)) {
			continue
		}
		fmt.Fprintln(os.Stderr, "Fetching", from[0], library.Version)
		content, err := library.file(from[0], "package/"+from[1])
		if err != nil {
			return fmt.Errorf("%s: %w", from[0], err)
		}
		if err := os.WriteFile(name, append([]byte(marker), content...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// file returns a file of a package, whose digest it verifies.
func (l locked) file(library, name string) ([]byte, error) {
	registry := cmp.Or(os.Getenv("npm_config_registry"), "https://registry.npmjs.org")
	answer, err := http.Get(strings.TrimRight(registry, "/") + "/" + library + "/-/" + library + "-" + l.Version +
		".tgz")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	archive, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	sum := sha512.Sum512(archive)
	if answer.StatusCode != http.StatusOK || "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) != l.Integrity {
		return nil, errors.New(answer.Status + ", or another digest than in package-lock.json")
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	for entries := tar.NewReader(unpacked); ; {
		entry, err := entries.Next()
		if err != nil {
			return nil, fmt.Errorf("no %s: %w", name, err)
		}
		if entry.Name == name {
			return io.ReadAll(entries)
		}
	}
}
