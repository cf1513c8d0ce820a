package provision

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"
)

func TestVersion_MainClass_IsFound(t *testing.T) {
	jar := filepath.Join(t.TempDir(), "neo4j-2026.08.1.jar")
	file, err := os.Create(jar)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	entry, err := archive.Create(entryPoints)
	if err == nil {
		_, err = entry.Write([]byte("org.neo4j.server.Neo4jCommunity\n"))
	}
	if err != nil || archive.Close() != nil || file.Close() != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{"2026.08.1": "org.neo4j.server.Neo4jCommunity",
		"5.26.30": defaultEntryPoint} {
		if got := (Programs{Version: version, jars: []string{"netty.jar", jar}}).EntryPoint(); got != want {
			t.Errorf("%s is started by %s", version, got)
		}
	}
}
