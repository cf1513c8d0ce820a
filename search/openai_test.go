package search

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

const secret = "sk-not-to-be-told"

// answer writes the endpoint's response to its n-th request, whose texts are inputs.
type answer func(w http.ResponseWriter, n int, inputs []string)

// serve returns an embedder whose endpoint answers with say, and the number of requests. Only an endpoint that does not
// answer should reach the timeout.
func serve(t *testing.T, say answer, timeout time.Duration) (Embedder, *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		var body struct {
			Input []string `json:"input"`
			Model string   `json:"model"`
		}
		graphtest.OK(t, json.NewDecoder(r.Body).Decode(&body))
		graphtest.Values(t, "Path, Model, ", r.URL.Path, "/v1/embeddings", body.Model, "m",
			r.Header.Get("Authorization"), "Bearer "+secret)
		if len(body.Input) > maxInputs {
			t.Errorf("%d texts in one request", len(body.Input))
		}
		w.Header().Set("Content-Type", "application/json")
		say(w, int(n), body.Input)
	}))
	t.Cleanup(server.Close)
	return NewOpenAI(Endpoint{URL: server.URL + "/v1", Model: "m", Key: secret, Timeout: timeout}), &asked
}

// vectorsOf writes one vector per text, last text first. Each vector contains the length of its text.
func vectorsOf(w http.ResponseWriter, inputs []string, dimensions func(i int) int) {
	data := []any{}
	for i, text := range slices.Backward(inputs) {
		v := make([]float64, dimensions(i))
		for n := range v {
			v[n] = 1
		}
		if len(v) > 0 {
			v[0] = float64(len(text))
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "m", "data": data})
}

func three(int) int { return 3 }

func TestEndpoint_Texts_AreEmbedded(t *testing.T) {
	e, asked := serve(t, func(w http.ResponseWriter, n int, inputs []string) {
		if n == 1 {
			w.WriteHeader(http.StatusInternalServerError) // the client retries
			return
		}
		vectorsOf(w, inputs, three)
	}, time.Minute)
	texts := []string{"", "  \n"}
	for i := range 300 {
		texts = append(texts, strings.Repeat("a", i+1))
	}
	texts = append(texts, strings.Repeat("long", 1<<18))
	vectors := graphtest.Must(e.Embed(t.Context(), texts))(t)
	if vectors[0] != nil || vectors[1] != nil {
		t.Error("a blank text has a vector")
	}
	for i, v := range vectors[2:] {
		length := float64(min(len(texts[i+2]), maxText))
		if want := length / math.Sqrt(length*length+2); math.Abs(float64(v[0])-want) > 1e-6 {
			t.Fatalf("text %d has the vector of another: %v, want %v", i, v[0], want)
		}
	}
	if asked.Load() < 4 {
		t.Errorf("%d requests", asked.Load())
	}
}

// TestEndpoint_Secrets_AreMasked: what callers search for is not masked before, and the endpoint is a third party's.
func TestEndpoint_Secrets_AreMasked(t *testing.T) {
	var got []string
	e, _ := serve(t, func(w http.ResponseWriter, _ int, inputs []string) {
		got = inputs
		vectorsOf(w, inputs, three)
	}, time.Minute)
	graphtest.Must(e.Embed(t.Context(), []string{"deploy with AKIA" + "IOSFODNN7EXAMPLQ in eu"}))(t)
	if len(got) != 1 || strings.Contains(got[0], "IOSFODNN7") || !strings.HasPrefix(got[0], "deploy with ") {
		t.Errorf("got %q, want the text without the key", got)
	}
}

func TestEndpoint_Fails_IsUnavailable(t *testing.T) {
	hang := make(chan struct{})
	for name, c := range map[string]struct {
		say  answer
		want string
	}{
		"two dimensions": {func(w http.ResponseWriter, _ int,
			in []string) {
			vectorsOf(w, in, func(i int) int { return 3 + i })
		}, "of 4 and of 3|of 3 and of 4"},
		"too few": {func(w http.ResponseWriter, _ int, in []string) { vectorsOf(w, in[:1], three) },
			"1 vectors for 2 texts"},
		"too many": {func(w http.ResponseWriter, _ int, in []string) { vectorsOf(w, append(in, "x"), three) },
			"3 vectors for 2 texts"},
		"empty vectors": {func(w http.ResponseWriter, _ int,
			in []string) {
			vectorsOf(w, in, func(int) int { return 0 })
		}, "a vector of length 0"},
		"one index twice": {func(w http.ResponseWriter, _ int, _ []string) {
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`)
		}, "repeated index 0"},
		"zeros": {func(w http.ResponseWriter, _ int, _ []string) {
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[0,0]}]}`)
		}, "a vector of length 0"},
		"beyond float32": {func(w http.ResponseWriter, _ int, _ []string) {
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1e39,0]},{"index":1,"embedding":[1,0]}]}`)
		}, "an invalid answer"},
		"NaN": {func(w http.ResponseWriter, _ int, _ []string) {
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[NaN,0]},{"index":1,"embedding":[1,0]}]}`)
		}, "embedder at"},
		"garbage": {func(w http.ResponseWriter, _ int, _ []string) { fmt.Fprint(w, `<html>`+secret) },
			"embedder at"},
		"another kind": {func(w http.ResponseWriter, _ int, _ []string) { fmt.Fprint(w, `{"ok":true}`) },
			"0 vectors for 2 texts"},
		"half an answer": {func(w http.ResponseWriter, _ int, _ []string) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, `{"data":[`)
		}, "embedder at"},
		"500 for ever": {func(w http.ResponseWriter, _ int,
			_ []string) {
			w.WriteHeader(http.StatusInternalServerError)
		}, "answered 500"},
		"wrong key": {func(w http.ResponseWriter, _ int, _ []string) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","type":"x"}}`, secret)
		}, "refused the key"},
		"hangs": {func(http.ResponseWriter, int, []string) { <-hang }, "in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := time.Minute
			if name == "hangs" {
				timeout = 300 * time.Millisecond
				defer close(hang)
			}
			e, _ := serve(t, c.say, timeout)
			vectors, err := e.Embed(t.Context(), []string{"first", "second text"})
			if !apperr.Is(err, apperr.Unavailable) || apperr.From(err).Hint == "" {
				t.Fatalf("got %v, %v, want %s, a Hint", vectors, err, apperr.Unavailable)
			}
			if !slices.ContainsFunc(strings.Split(c.want, "|"),
				func(w string) bool { return strings.Contains(err.Error(), w) }) {
				t.Errorf("%q does not say %q (%v)", err, c.want, apperr.From(err).Unwrap())
			}
			for cause := err; cause != nil; {
				if strings.Contains(cause.Error(), secret) {
					t.Errorf("got the key in %q", cause)
				}
				wrapped, ok := cause.(interface{ Unwrap() error })
				if !ok {
					break
				}
				cause = wrapped.Unwrap()
			}
		})
	}
	t.Run("an unreachable server", func(t *testing.T) {
		_, err := NewOpenAI(Endpoint{URL: "http://user:" + secret + "@127.0.0.1:1/v1", Model: "m"}).
			Embed(t.Context(), []string{"x"})
		if !apperr.Is(err, apperr.Unavailable) || strings.Contains(fmt.Sprint(err, apperr.From(err).Unwrap()), secret) {
			t.Error(err, apperr.From(err).Unwrap())
		}
	})
	t.Run("the caller cancels", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e, _ := serve(t, func(http.ResponseWriter, int, []string) { cancel() }, time.Minute)
		graphtest.Fails(e.Embed(ctx, []string{"x"}))(t, apperr.Unavailable)
	})
}
