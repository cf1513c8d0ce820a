package provision

import (
	"archive/zip"
	"io"
	"path/filepath"
	"strings"
)

const (
	entryPoints = "META-INF/services/org.neo4j.server.startup.EntryPoint"
	// That of 5.26; later versions have another one, which they name.
	usualEntryPoint = "org.neo4j.server.CommunityEntryPoint"
)

// EntryPoint is the main class that starts this Neo4j, as the jar named for its version says.
func (p Programs) EntryPoint() string {
	for _, path := range p.jars {
		if filepath.Base(path) == "neo4j-"+p.Version+".jar" {
			if named := serviceIn(path); named != "" {
				return named
			}
		}
	}
	return usualEntryPoint
}

// serviceIn gives the class that a jar names, or nothing where it names none or cannot be read: then the start says why.
func serviceIn(jar string) string {
	archive, err := zip.OpenReader(jar)
	if err != nil {
		return ""
	}
	defer func() { _ = archive.Close() }()
	file, err := archive.Open(entryPoints)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}
