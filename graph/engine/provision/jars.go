package provision

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nomograph/internal/apperr"
)

// jarsOfHome returns the jars of an installation, and its version from the name of the kernel jar.
func jarsOfHome(home string) (jars []string, version string, err error) {
	lib := filepath.Join(home, "lib")
	jars, err = jarsIn(lib)
	if err != nil {
		return nil, "", notANeo4j(home, err)
	}
	for _, jar := range jars {
		name := strings.TrimSuffix(filepath.Base(jar), ".jar")
		if v, ok := strings.CutPrefix(name, "neo4j-kernel-"); ok && v[0] >= '0' && v[0] <= '9' {
			return jars, v, nil
		}
	}
	return nil, "", notANeo4j(home, fmt.Errorf("no neo4j-kernel jar among %d jars in %s", len(jars), lib))
}

func notANeo4j(home string, cause error) error {
	return apperr.Newf(apperr.Unavailable, "NEO4J_HOME is not a Neo4j installation: %s", home).
		WithHint("It needs lib/neo4j-kernel-<version>.jar. Unset NEO4J_HOME to use the private engine").
		Because(cause)
}

// jarsIn lists the jars of a directory by name, so that the class path is always the same.
func jarsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var jars []string
	for _, entry := range entries {
		if !entry.IsDir() && strings.HasSuffix(entry.Name(), ".jar") {
			jars = append(jars, filepath.Join(dir, entry.Name()))
		}
	}
	slices.Sort(jars)
	return jars, nil
}

// fingerprint hashes names and sizes of jars in order.
func fingerprint(jars []string) string {
	hash := sha256.New()
	for _, jar := range jars {
		size := int64(-1)
		if info, err := os.Stat(jar); err == nil {
			size = info.Size()
		}
		fmt.Fprintf(hash, "%s %d\n", filepath.Base(jar), size)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
