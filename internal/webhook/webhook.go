// Package webhook signs and verifies requests as Standard Webhooks says: an HMAC over id, time and body.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a signed request.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

// Tolerance is how far the clocks of two servers may differ, and how long a recorded request can be sent again.
const Tolerance = 5 * time.Minute

// secretPrefix marks a secret in the form in which services print it.
const secretPrefix = "whsec_"

// minSecret is the shortest key in bytes that the specification permits.
const minSecret = 24

// Reasons why a request is refused.
var (
	ErrSecret    = errors.New("the signing secret must be whsec_ and at least 24 bytes in standard base64")
	ErrHeader    = errors.New("webhook-id, webhook-timestamp or webhook-signature is missing or no valid value")
	ErrTime      = errors.New("webhook-timestamp is too far from the time of this server")
	ErrSignature = errors.New("no signature of the request matches")
)

// Key decodes a signing secret.
func Key(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(secret), secretPrefix))
	if err != nil || len(key) < minSecret {
		return nil, ErrSecret
	}
	return key, nil
}

// Sign returns the value of the signature header. body must be the bytes that are sent.
func Sign(secret, id string, timestamp time.Time, body []byte) (string, error) {
	key, err := Key(secret)
	if err != nil {
		return "", err
	}
	return "v1," + base64.StdEncoding.EncodeToString(sum(key, id, strconv.FormatInt(timestamp.Unix(), 10), body)), nil
}

// Verify returns nil if one of the secrets signed the request within the tolerance around now. Several secrets
// let both sides change theirs at different times. body must be the bytes as received.
func Verify(secrets []string, header http.Header, body []byte, now time.Time, tolerance time.Duration) error {
	id, timestamp, signatures := header.Get(HeaderID), header.Get(HeaderTimestamp), header.Get(HeaderSignature)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || signatures == "" {
		return ErrHeader
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return ErrTime
	}
	matched := false
	for _, secret := range secrets {
		key, err := Key(secret)
		if err != nil {
			return err
		}
		want := sum(key, id, timestamp, body)
		for signature := range strings.FieldsSeq(signatures) {
			encoded, ok := strings.CutPrefix(signature, "v1,")
			got, err := base64.StdEncoding.DecodeString(encoded)
			matched = ok && err == nil && hmac.Equal(got, want) || matched
		}
	}
	if !matched {
		return ErrSignature
	}
	return nil
}

// sum is the HMAC of the signed content, id.timestamp.body.
func sum(key []byte, id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}
