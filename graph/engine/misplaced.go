package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"nomograph/graph/engine/files"
)

// misplacedData returns the folder that versions before this one gave to Neo4j as its data, or "" if it is the right
// one. They wrote the path into neo4j.conf. Neo4j reads escapes there, takes each byte beyond ASCII for a character,
// writes both as escapes of Java, and takes their backslashes for slashes.
func (o Options) misplacedData() string {
	right := filepath.ToSlash(o.path("data"))
	var wrong strings.Builder
	for i := 0; i < len(right); i++ {
		switch b := right[i]; {
		case b >= 0x80:
			fmt.Fprintf(&wrong, "/u%04X", b)
		case b == '"':
			wrong.WriteString(`/"`)
		case b == '\\' && i+1 < len(right):
			switch {
			case right[i+1] == '\\':
				i++
				fallthrough
			case strings.ContainsRune("tnrfb", rune(right[i+1])): // characters with an escape
				wrong.WriteByte('/')
			}
		default:
			wrong.WriteByte(b)
		}
	}
	if wrong.String() == right {
		return ""
	}
	return filepath.Clean(filepath.FromSlash(wrong.String()))
}

// moveMisplaced moves a graph from the folder of misplacedData to where it belongs, if nothing is there. It returns
// unavailable on failure. The engine must not run.
func (o Options) moveMisplaced(log zerolog.Logger) error {
	from, to := o.misplacedData(), o.path("data")
	if from == "" || !exists(filepath.Join(from, "databases", database)) ||
		exists(filepath.Join(to, "databases", database)) {
		return nil
	}
	if err := os.RemoveAll(to); err != nil { // without a graph, it holds at most an unused password
		return files.Unwritable(to, err)
	}
	if err := os.Rename(from, to); err != nil {
		return files.Unwritable(to, err)
	}
	log.Info().Str("from", from).Str("to", to).Msg("graph moved to its folder")
	return nil
}
