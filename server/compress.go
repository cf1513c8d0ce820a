package server

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// Compressed lets a door answer in gzip where the client takes it and the answer is long enough to gain by it.
func Compressed(door http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.SuffixETag(gzipped))
	if err != nil { // constants
		panic(err)
	}
	return wrap(door)
}
