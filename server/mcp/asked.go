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

// questionState is the state that is sent with a question and returned with the answer. It identifies the question,
// the call and the caller, so that only this question can be answered.
type questionState struct {
	Nonce  string    `json:"nonce"`
	Ends   time.Time `json:"ends"`
	Caller string    `json:"caller"`
	Call   string    `json:"call"`  // the operation, and a hash of its arguments
	About  string    `json:"about"` // a hash of the question
}

const (
	answerTime = time.Hour // time within which a person can answer, at most
	maxAnswers = 10_000    // used states that this process remembers
)

// questions signs the states of questions and accepts each once.
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

// questionOf returns the state of a question in a call, without its unique part.
func questionOf(ctx context.Context, operation string, arguments json.RawMessage, q tools.Question) (questionState,
	error) {
	var call any
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	if len(arguments) > 0 {
		if err := decoder.Decode(&call); err != nil {
			return questionState{}, err
		}
	}
	exact, err := json.Marshal(call) // sorted keys
	if err != nil {
		return questionState{}, err
	}
	about := q.About
	if about == "" {
		about = q.Message
	}
	return questionState{Caller: caller.Identity(caller.From(ctx).Name), Call: operation + " " + hashOf(exact),
		About: hashOf([]byte(about))}, nil
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// seal returns the signed state of a new question, valid for a time up to answerTime.
func (s *questions) seal(a questionState, valid time.Duration) (string, error) {
	a.Nonce, a.Ends = rand.Text(), time.Now().Add(valid)
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

// verify returns permission_denied unless the state belongs to exactly this question and was not used before.
func (s *questions) verify(state string, a questionState) error {
	body, sum, _ := strings.Cut(state, ".")
	text, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return noOpenQuestion()
	}
	given, err := base64.RawURLEncoding.DecodeString(sum)
	if err != nil {
		return noOpenQuestion()
	}
	mac, err := s.mac(text)
	if err != nil {
		return err
	}
	var was questionState
	if !hmac.Equal(mac, given) || json.Unmarshal(text, &was) != nil || !time.Now().Before(was.Ends) ||
		was.Caller != a.Caller || was.Call != a.Call || was.About != a.About {
		return noOpenQuestion()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used.Contains(was.Nonce) {
		return noOpenQuestion()
	}
	s.used.Add(was.Nonce, struct{}{})
	return nil
}

func noOpenQuestion() error {
	return apperr.New(apperr.PermissionDenied, "The answer matches no open question of this call").
		WithHint("Call again without `inputResponses` to get the question again. Answer with its `requestState` and the same arguments")
}
