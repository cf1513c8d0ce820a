package sessions

import (
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/normalize"
	"nomograph/internal/redact"
	"nomograph/policies"
)

// storedRequest is a stored request for approval: the parameters shown to a person, which of them are masked, and the
// hash of the true parameters.
type storedRequest struct {
	action, params string
	hidden         []string // paths
	hash, keyID    string   // keyID identifies the hash key: hashes with different keys cannot be compared
}

// bind hashes the normalized name of the action, its true parameters and its project. The key of the hash is not in the
// graph, so a reader of the graph cannot guess masked values.
func (s *Store) bind(action string, params graph.Parameters, project string) (b storedRequest, err error) {
	secret, err := s.Key()
	if err != nil {
		return b, err
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "nomograph approvals", sha256.Size)
	if err != nil {
		return b, err
	}
	id := sha256.Sum256(key)
	b.keyID = hex.EncodeToString(id[:8])
	mac := hmac.New(sha256.New, key)
	exact, err := canonical(params)
	if err != nil {
		return b, err
	}
	mac.Write([]byte(cmp.Or(normalize.Name(action), action) + "\n" + exact + "\n" + normalize.Project(project)))
	b.hash = hex.EncodeToString(mac.Sum(nil))
	shown, hidden := redact.ForReview("params", map[string]any(params))
	fields, _ := shown.(map[string]any)
	if b.params, err = canonical(fields); err != nil {
		return b, err
	}
	name, ofName := redact.ForReview("action", action)
	b.action, _ = name.(string)
	b.hidden = append(ofName, hidden...)
	return b, nil
}

// canonical returns JSON that is equal for equal parameters.
func canonical(params graph.Parameters) (string, error) {
	raw, err := json.Marshal(map[string]any(params))
	if err != nil {
		return "", apperr.New(apperr.Validation, "`params` is not JSON").WithHint("Pass a JSON object").Because(err)
	}
	var tree graph.Parameters
	if err := json.Unmarshal(raw, &tree); err != nil {
		return "", err
	}
	return policies.CanonicalText(map[string]any(tree)), nil
}

// ownKey returns a random key of this process.
func ownKey() func() ([]byte, error) {
	return sync.OnceValues(func() ([]byte, error) {
		key := make([]byte, sha256.Size)
		_, err := rand.Read(key)
		return key, err
	})
}

// projectOf returns the project of a request: a caller restricted to some projects cannot request for others.
func projectOf(ctx context.Context, project string) string {
	switch c := caller.From(ctx); {
	case c.Sees(project) && project != "":
		return project
	case len(c.Projects) == 1:
		return c.Projects[0]
	case c.Limited():
		return ""
	}
	return project
}
