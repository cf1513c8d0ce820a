package cypher

import (
	"embed"
	"io/fs"
)

//go:embed queries/*.cypher
var samples embed.FS

// Samples are the shipped named queries, in the form in which operators write their own.
func Samples() fs.FS {
	queries, err := fs.Sub(samples, "queries")
	if err != nil { // embedded
		panic(err)
	}
	return queries
}
