package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
)

const (
	// Prefix is how every token begins, by which secret scanners know one.
	Prefix      = "nmg_"
	secretBytes = 32
	hintLength  = len(Prefix) + 4
)

// draw gives a new secret.
func draw() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // it never fails
	return Prefix + base64.RawURLEncoding.EncodeToString(raw)
}

// Hash is what is kept of a secret: its SHA-256 in hex. A secret has 256 random bits, so nothing slower is needed.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// hint is what a person knows a token by.
func hint(secret string) string { return secret[:hintLength] + "..." }
