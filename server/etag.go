package server

import (
	"net/http"
	"slices"
	"strings"
)

// Suffixes of the tag of a compressed answer: the same version with different bytes.
const gzipped, zstandard = "-gzip", "-zstd"

// Tag sets the ETag of an answer, which clients may cache and revalidate.
func Tag(w http.ResponseWriter, version string) {
	w.Header().Set("ETag", `"`+version+`"`)
	w.Header().Set("Cache-Control", "private, no-cache")
}

// Tags parses the versions in a header such as If-None-Match; any is true for "*".
func Tags(values []string) (versions []string, any bool) {
	for _, value := range values {
		for tag := range strings.SplitSeq(value, ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if tag == "*" {
				any = true
				continue
			}
			if tag = strings.Trim(tag, `"`); tag != "" {
				versions = append(versions, strings.TrimSuffix(strings.TrimSuffix(tag, gzipped), zstandard))
			}
		}
	}
	return versions, any
}

// Has reports whether the client already has a version, by If-None-Match.
func Has(r *http.Request, version string) bool {
	versions, any := Tags(r.Header.Values("If-None-Match"))
	return any || slices.Contains(versions, version)
}
