package memory

import (
	"fmt"
	"sync"
	"testing"

	"nomograph/internal/tokencount"
)

// The store's token counter caches words and belongs to its worker. The race detector reports requests that use it.
func TestFact_ConcurrentRequests_UseSeparateTokenCounters(t *testing.T) {
	s := &Store{count: tokencount.NewCounter()}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := s.fact(RememberRequest{Text: fmt.Sprintf("The cache number %d expires after an hour",
				i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, want := s.count.Tokens("unseen"), tokencount.Tokens("unseen"); got != want {
		t.Errorf("got %d tokens, want %d", got, want)
	}
}
