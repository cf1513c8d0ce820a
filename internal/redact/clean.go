package redact

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
)

// cleanTexts is the maximum number of remembered texts without secrets. Only their hashes are stored, about 100 bytes
// each.
const cleanTexts = 4096

// clean caches the hashes of texts without secrets. The same text is masked on input, on checking and on storing, and
// each place must mask it independently. The hash is cryptographic, because a collision would reveal a secret. Entries
// are evicted in insertion order, so a lookup takes only a read lock.
var clean = sync.OnceValue(func() *lru.Cache[[sha256.Size]byte, struct{}] {
	cache, err := lru.New[[sha256.Size]byte, struct{}](cleanTexts)
	if err != nil {
		panic(err) // impossible: the size is a positive constant
	}
	return cache
})

// scans is the number of texts scanned by the rules since the process started. Tests use it to show that no text is
// scanned twice.
var scans atomic.Int64

func isClean(text string) bool {
	return text == "" || clean().Contains(sha256.Sum256([]byte(text)))
}

func rememberClean(text string) {
	if text != "" {
		clean().Add(sha256.Sum256([]byte(text)), struct{}{})
	}
}
