package server

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// Compressed compresses answers with Zstandard or gzip if the client accepts it and the answer is long enough.
func Compressed(handler http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.SuffixETag(gzipped)) // zstandard replaces it
	if err != nil {                                            // cannot happen: constants
		panic(err)
	}
	return wrap(handler)
}
