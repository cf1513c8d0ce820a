// Package reviewsample selects a random tenth of decisions for review, so that rates can be estimated without bias.
package reviewsample

import (
	"crypto/sha256"
	"encoding/binary"
)

// Probability is the probability with which a decision is drawn.
const Probability = 0.1

// Drawn reports whether the decision with a uid is drawn. The uid, which the server made at random and stored, is the
// seed of the draw: the answer is the same for every caller and at any time, so nobody can draw again until they like
// the result.
func Drawn(uid string) bool {
	sum := sha256.Sum256([]byte("drawn for review\x00" + uid))
	return float64(binary.BigEndian.Uint64(sum[:8]))/(1<<64) < Probability
}
