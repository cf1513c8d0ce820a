package redact

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
)

// cleanTexts bounds how many texts without secrets are remembered. Only their hashes are kept, about 100 bytes each.
const cleanTexts = 4096

// clean remembers the hashes of texts in which no rule found a secret. The same text is masked where it enters, where it
// is checked and where it is stored, and each place must mask on its own. A cryptographic hash, because a collision would
// let a secret through. The oldest is forgotten first, so a lookup takes only a read lock.
var clean = sync.OnceValue(func() *lru.Cache[[sha256.Size]byte, struct{}] {
	cache, err := lru.New[[sha256.Size]byte, struct{}](cleanTexts)
	if err != nil {
		panic(err) // the size is a positive constant
	}
	return cache
})

var scans atomic.Int64

// Scans returns how often the rules ran over a text since the process started. Tests compare it to show that no text is
// scanned twice.
func Scans() int64 { return scans.Load() }

func isClean(text string) bool {
	return text == "" || clean().Contains(sha256.Sum256([]byte(text)))
}

func rememberClean(text string) {
	if text != "" {
		clean().Add(sha256.Sum256([]byte(text)), struct{}{})
	}
}
