package pages

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
)

// OwnPath is the path at which a server proves that it has the key of the pages. Only its user, and programs of that
// user, can read the key.
const OwnPath = "/own"

const (
	minChallengeLength = 16
	maxChallengeLength = 200
)

// Proof returns the answer of a server with the key to a challenge. The proof covers the address IP:port at which the
// client reached the server, so another server cannot relay it.
func Proof(key []byte, address, challenge string) string {
	mac := hmac.New(sha256.New, derived(key, "own server"))
	_, _ = io.WriteString(mac, address+"\n"+challenge)
	return hex.EncodeToString(mac.Sum(nil))
}

func (d *Server) own(w http.ResponseWriter, r *http.Request) {
	challenge := r.URL.Query().Get("challenge")
	address, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if len(d.options.Key) == 0 || address == nil || len(challenge) < minChallengeLength ||
		len(challenge) > maxChallengeLength {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, Proof(d.options.Key, address.String(), challenge))
}
