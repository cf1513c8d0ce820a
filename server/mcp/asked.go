package mcp

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
)

// asked is the state that goes to a client with a question and comes back with the answer. It says what was asked, in which call and of whom, so
// that nobody answers what was not asked.
type asked struct {
	Nonce  string    `json:"nonce"`
	Ends   time.Time `json:"ends"`
	Caller string    `json:"caller"`
	Call   string    `json:"call"`  // the operation, and a hash of its arguments
	About  string    `json:"about"` // a hash of what was asked
}

const (
	answerTime = time.Hour // in which a person answers
	maxAnswers = 10_000    // that this process knows to be used
)

// questions seals the states of questions, and takes each once.
type questions struct {
	key func() ([]byte, error)

	mu   sync.Mutex
	used *expirable.LRU[string, struct{}]
}

func newQuestions(key func() ([]byte, error)) *questions {
	return &questions{key: sync.OnceValues(func() ([]byte, error) {
		secret, err := key()
		if err != nil {
			return nil, err
		}
		return hkdf.Key(sha256.New, secret, nil, "nomograph questions", sha256.Size)
	}), used: expirable.NewLRU[string, struct{}](maxAnswers, nil, answerTime)}
}

// questionOf is a question in a call, without what makes its state its own.
func questionOf(ctx context.Context, operation string, arguments json.RawMessage, q tools.Question) (asked, error) {
	var call any
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	if len(arguments) > 0 {
		if err := decoder.Decode(&call); err != nil {
			return asked{}, err
		}
	}
	exact, err := json.Marshal(call) // names in order
	if err != nil {
		return asked{}, err
	}
	about := q.About
	if about == "" {
		about = q.Message
	}
	return asked{Caller: caller.Identity(caller.From(ctx).Name), Call: operation + " " + hashed(exact), About: hashed([]byte(about))}, nil
}

func hashed(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// seal gives the state of a question that is asked now.
func (s *questions) seal(a asked) (string, error) {
	a.Nonce, a.Ends = rand.Text(), time.Now().Add(answerTime)
	text, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	mac, err := s.mac(text)
	return base64.RawURLEncoding.EncodeToString(text) + "." + base64.RawURLEncoding.EncodeToString(mac), err
}

func (s *questions) mac(text []byte) ([]byte, error) {
	key, err := s.key()
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil), nil
}

// take returns permission_denied unless the state is that of exactly this question, and nobody has answered with it.
func (s *questions) take(state string, a asked) error {
	body, sum, _ := strings.Cut(state, ".")
	text, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return unasked()
	}
	given, err := base64.RawURLEncoding.DecodeString(sum)
	if err != nil {
		return unasked()
	}
	mac, err := s.mac(text)
	if err != nil {
		return err
	}
	var was asked
	if !hmac.Equal(mac, given) || json.Unmarshal(text, &was) != nil || !time.Now().Before(was.Ends) || was.Caller != a.Caller || was.Call != a.Call || was.About != a.About {
		return unasked()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used.Contains(was.Nonce) {
		return unasked()
	}
	s.used.Add(was.Nonce, struct{}{})
	return nil
}

func unasked() error {
	return apperr.New(apperr.PermissionDenied, "The answer is to no question that was asked in this call, or the question is too old or was answered").
		WithHint("Call again without `inputResponses`: the question is asked anew. Answer it with the `requestState` that comes with it, and the same arguments")
}
