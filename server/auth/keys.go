package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"

	"nomograph/internal/apperr"
)

const (
	keysFresh     = 10 * time.Minute // age after which keys are read again in the background
	keysStale     = time.Hour        // age after which keys that could not be refreshed are invalid
	keysRetry     = 10 * time.Second // minimum time between two requests
	keysTime      = 5 * time.Second  // timeout of one request
	maxKeysLength = 1 << 20          // bytes of a document from the provider
	minRSALength  = 2048             // bits
)

// keys caches the public keys of a provider.
type keys struct {
	issuer string
	client *http.Client
	now    func() time.Time
	flight singleflight.Group

	mu     sync.Mutex
	byID   map[string][]jose.JSONWebKey
	read   time.Time // time of the last successful request
	tried  time.Time // start of the last request
	failed error     // error of the last request
}

func newKeys(issuer string, now func() time.Time) *keys {
	return &keys{issuer: issuer, now: now, client: &http.Client{Timeout: keysTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// find returns the keys with an id: usually one, and for a token without key id the only key of the provider. If it
// knows none, it asks the provider, at most every ten seconds. It returns unauthenticated for an id that the provider
// does not know, and unavailable if the provider cannot be asked.
func (k *keys) find(ctx context.Context, id string) ([]jose.JSONWebKey, error) {
	found, age, _ := k.cached(id)
	switch {
	case len(found) > 0 && age < keysFresh:
		return found, nil
	case len(found) > 0 && age < keysStale:
		k.begin()
		return found, nil
	}
	if reading := k.begin(); reading != nil {
		select {
		case <-reading:
		case <-ctx.Done():
			return nil, k.unavailableError(ctx.Err())
		}
	}
	found, age, err := k.cached(id)
	switch {
	case age >= keysStale, len(found) == 0 && err != nil:
		return nil, k.unavailableError(err)
	case len(found) == 0:
		return nil, invalidClaim("is signed with a key that the provider does not publish", nil)
	}
	return found, nil
}

// unavailableError returns the error for tokens that cannot be verified at the moment.
func (k *keys) unavailableError(cause error) error {
	return apperr.New(apperr.Unavailable, "Cannot verify the token: the keys of its provider are unavailable").
		WithHint("Try again in a moment").With("retry_after_seconds", int(keysRetry/time.Second)).Because(cause)
}

// cached returns the cached keys with an id, their age, and the error of the last request.
func (k *keys) cached(id string) ([]jose.JSONWebKey, time.Duration, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	age := keysStale
	if !k.read.IsZero() {
		age = k.now().Sub(k.read)
	}
	if id == "" && len(k.byID) == 1 {
		for only := range k.byID {
			id = only
		}
	}
	return k.byID[id], age, k.failed
}

// begin starts reading the keys and returns a channel with the result; nil if the last request is too recent.
func (k *keys) begin() <-chan singleflight.Result {
	k.mu.Lock()
	early := !k.tried.IsZero() && k.now().Sub(k.tried) < keysRetry
	k.mu.Unlock()
	return k.flight.DoChan("", func() (any, error) {
		if early {
			return nil, nil //nolint:nilnil // nothing was read
		}
		k.mu.Lock()
		k.tried = k.now()
		k.mu.Unlock()
		byID, err := k.fetch()
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.failed = err; err == nil {
			k.byID, k.read = byID, k.now()
		}
		return nil, nil //nolint:nilnil // the error is stored in failed
	})
}

// fetch reads the provider's discovery document (OpenID Connect Discovery 1.0) and the keys that it names (RFC 7517).
func (k *keys) fetch() (map[string][]jose.JSONWebKey, error) {
	ctx, cancel := context.WithTimeout(context.Background(), keysTime)
	defer cancel()
	var metadata struct {
		Issuer string
		Keys   string `json:"jwks_uri"`
	}
	if err := k.get(ctx, strings.TrimSuffix(k.issuer, "/")+"/.well-known/openid-configuration", &metadata); err != nil {
		return nil, err
	}
	if metadata.Issuer != k.issuer {
		return nil, fmt.Errorf("the provider's issuer is %q", metadata.Issuer)
	}
	if at, err := url.Parse(metadata.Keys); err != nil || at.Scheme != "https" &&
		(at.Scheme != "http" || !strings.HasPrefix(k.issuer, "http://")) {
		return nil, fmt.Errorf("the provider's key address is not https: %q", metadata.Keys)
	}
	var set struct{ Keys []json.RawMessage }
	if err := k.get(ctx, metadata.Keys, &set); err != nil {
		return nil, err
	}
	byID := map[string][]jose.JSONWebKey{}
	for _, text := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) == nil && isSigningKey(key) { // keys of unknown types are ignored
			byID[key.KeyID] = append(byID[key.KeyID], key)
		}
	}
	if len(byID) == 0 {
		return nil, errors.New("the provider publishes no verification key")
	}
	return byID, nil
}

// isSigningKey reports whether a key is a public signature key of sufficient strength.
func isSigningKey(key jose.JSONWebKey) bool {
	if key.Use != "" && key.Use != "sig" || !key.Valid() {
		return false
	}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		return public.N.BitLen() >= minRSALength
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return true
	}
	return false
}

func (k *keys) get(ctx context.Context, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := k.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers with %s", address, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxKeysLength+1))
	if err == nil && len(text) > maxKeysLength {
		err = fmt.Errorf("%s is longer than %d bytes", address, maxKeysLength)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
