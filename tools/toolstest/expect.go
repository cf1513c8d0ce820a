package toolstest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

// timeout is the maximum wait for background work.
const timeout = 2 * time.Minute

// Eventually waits until a query, which returns one number as n, returns want.
func Eventually(t testing.TB, g *graphtest.Graph, query string, want int64) {
	t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		n := g.Rows(t, query, nil)[0]["n"]
		if n == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s stays at %v, not %d", query, n, want)
		}
	}
}

// WaitForWorkers waits until search and counters include every decision.
func WaitForWorkers(t testing.TB, g *graphtest.Graph) {
	t.Helper()
	Eventually(t, g, "MATCH (d:Unindexed|Uncounted) RETURN count(d) AS n", 0)
	g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
}

// Count returns the single number of a query.
func Count(t testing.TB, g *graphtest.Graph, query string) int {
	t.Helper()
	rows := g.Rows(t, query+" AS n", nil)
	return int(rows[0]["n"].(int64))
}

// Concurrently runs work n times in parallel and returns the number of successes and the errors.
func Concurrently(n int, work func(i int) error) (succeeded int, errs []error) {
	var wait sync.WaitGroup
	results := make([]error, n)
	for i := range n {
		wait.Go(func() { results[i] = work(i) })
	}
	wait.Wait()
	for _, err := range results {
		if err == nil {
			succeeded++
		} else {
			errs = append(errs, err)
		}
	}
	return succeeded, errs
}

// ErrorWithCode returns err as an apperr.Error with this code, or fails the test.
func ErrorWithCode(t testing.TB, err error, code apperr.Code) *apperr.Error {
	t.Helper()
	var got *apperr.Error
	if !errors.As(err, &got) {
		t.Fatalf("got error %v, want the fault %s", err, code)
	}
	if got.Code != code {
		t.Fatalf("got %s: %s (%v), want %s", got.Code, got.Message, got.Unwrap(), code)
	}
	return got
}

// Pretty returns a value as indented JSON.
func Pretty(t testing.TB, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// Root returns the root folder of the repository.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	t.Fatalf("there is no go.mod above %s: %v", dir, err)
	return ""
}
