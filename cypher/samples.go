package cypher

import (
	"embed"
	"io/fs"
)

//go:embed queries/*.cypher
var samples embed.FS

// Samples returns the shipped named queries in the format of user-defined ones.
func Samples() fs.FS {
	queries, err := fs.Sub(samples, "queries")
	if err != nil { // cannot happen: embedded files
		panic(err)
	}
	return queries
}
