package provision

import (
	"archive/zip"
	"io"
	"path/filepath"
	"strings"
)

const (
	entryPoints = "META-INF/services/org.neo4j.server.startup.EntryPoint"
	// Entry point of 5.26. Later versions name theirs in a jar.
	defaultEntryPoint = "org.neo4j.server.CommunityEntryPoint"
)

// EntryPoint returns the main class of this Neo4j version.
func (p Programs) EntryPoint() string {
	for _, path := range p.jars {
		if filepath.Base(path) == "neo4j-"+p.Version+".jar" {
			if named := serviceIn(path); named != "" {
				return named
			}
		}
	}
	return defaultEntryPoint
}

// serviceIn returns the class that a jar names; "" if it names none or cannot be read. The start then reports the
// error.
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
