package pages

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
)

// OwnPath is where a server proves that it has the key of the pages, which only its user and that user's programs can read.
const OwnPath = "/own"

const (
	minChallengeLength = 16
	maxChallengeLength = 200
)

// Proof is what a server with the key answers to a challenge at an address, IP:port. The address is the one that the server was reached at,
// so that nobody can hand on the answer of a server at another address.
func Proof(key []byte, address, challenge string) string {
	mac := hmac.New(sha256.New, derived(key, "own server"))
	_, _ = io.WriteString(mac, address+"\n"+challenge)
	return hex.EncodeToString(mac.Sum(nil))
}

func (d *Door) own(w http.ResponseWriter, r *http.Request) {
	challenge := r.URL.Query().Get("challenge")
	address, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if len(d.options.Key) == 0 || address == nil || len(challenge) < minChallengeLength || len(challenge) > maxChallengeLength {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, Proof(d.options.Key, address.String(), challenge))
}
