package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

const (
	// Prefix starts every token, so that secret scanners recognize it.
	Prefix      = "nmg_"
	secretBytes = 32
	hintLength  = len(Prefix) + 4
)

// newSecret returns a new secret.
func newSecret() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // rand.Read never fails
	return Prefix + base64.RawURLEncoding.EncodeToString(raw)
}

// Hash returns what is stored of a secret: its SHA-256 in hex. A secret has 256 random bits, so a slow hash is not
// needed.
func Hash(secret string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(secret)))
}

// hint is the visible start of a secret by which a person recognizes a token.
func hint(secret string) string { return secret[:hintLength] + "..." }
