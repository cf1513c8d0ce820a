package server

import (
	"net/http"
	"strings"
)

// gzipped is what compressing adds to the tag of an answer: the same version in other bytes.
const gzipped = "-gzip"

// Tag notes that an answer is a version of something that clients may keep, if they ask again whether it still holds.
func Tag(w http.ResponseWriter, version string) {
	w.Header().Set("ETag", `"`+version+`"`)
	w.Header().Set("Cache-Control", "private, no-cache")
}

// Tags are the versions that a header such as If-None-Match names; any is true for "*".
func Tags(values []string) (versions []string, any bool) {
	for _, value := range values {
		for tag := range strings.SplitSeq(value, ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if tag == "*" {
				any = true
				continue
			}
			if tag = strings.TrimSuffix(strings.Trim(tag, `"`), gzipped); tag != "" {
				versions = append(versions, tag)
			}
		}
	}
	return versions, any
}

// Has tells whether the client has a version already, as If-None-Match says.
func Has(r *http.Request, version string) bool {
	versions, any := Tags(r.Header.Values("If-None-Match"))
	for _, v := range versions {
		any = any || v == version
	}
	return any
}
