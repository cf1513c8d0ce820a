package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/retry"
)

var errTemporary, errFinal = errors.New("temporary"), errors.New("final")

func TestDo_FailingCall_IsRetried(t *testing.T) {
	for name, c := range map[string]struct {
		policy   retry.Policy
		errors   []error // result of each call; later calls repeat the last result
		attempts int
		waited   [2]time.Duration // minimum and maximum
		want     error
	}{
		"success": {retry.Policy{Attempts: 3, First: time.Second}, []error{nil}, 1, [2]time.Duration{},
			nil},
		"error, then success": {retry.Policy{Attempts: 3, First: time.Second}, []error{errTemporary, nil}, 2,
			[2]time.Duration{time.Second / 2, 3 * time.Second / 2}, nil},
		"attempts used up": {retry.Policy{Attempts: 3, First: time.Second}, []error{errTemporary}, 3,
			[2]time.Duration{3 * time.Second / 2, 9 * time.Second / 2}, errTemporary},
		"stopped": {retry.Policy{Attempts: 3, First: time.Second},
			[]error{errTemporary, retry.Stop(errFinal)}, 2, [2]time.Duration{time.Second / 2, 3 * time.Second / 2},
			errFinal},
		"a minimum delay": {retry.Policy{Attempts: 2, First: time.Second},
			[]error{retry.After(errTemporary, time.Minute)}, 2, [2]time.Duration{time.Minute, time.Minute},
			errTemporary},
		"no delays": {retry.Policy{Attempts: 5}, []error{errTemporary}, 5, [2]time.Duration{},
			errTemporary},
		"delays up to a maximum": {retry.Policy{Attempts: 11, First: time.Second, Max: time.Second},
			[]error{errTemporary}, 11, [2]time.Duration{5 * time.Second, 15 * time.Second}, errTemporary},
		"no attempt after a time": {retry.Policy{First: time.Second, Max: time.Second, Elapsed: time.Second / 4},
			[]error{errTemporary}, 1, [2]time.Duration{}, errTemporary},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts, started := 0, time.Now()
				got, err := retry.Do(t.Context(), c.policy, func() (int, error) {
					attempts++
					return attempts, c.errors[min(attempts, len(c.errors))-1]
				})
				if waited := time.Since(started); waited < c.waited[0] || waited > c.waited[1] {
					t.Errorf("waited %v, want from %v to %v", waited, c.waited[0], c.waited[1])
				}
				if attempts != c.attempts || got != c.attempts ||
					err != c.want { //nolint:errorlint // exactly the error of the function
					t.Errorf("got %d, %v after %d attempts, want %d attempts and %v", got, err, attempts, c.attempts,
						c.want)
				}
			})
		})
	}
}

func TestDo_CanceledContext_ReturnsTheLastError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := retry.Do(ctx, retry.Policy{First: time.Hour, Max: time.Hour},
			func() (int, error) { return 0, errTemporary })
		if err != errTemporary { //nolint:errorlint // exactly the error of the function
			t.Errorf("got %v, want %v", err, errTemporary)
		}
	})
}

func TestStop_Nil_IsNil(t *testing.T) {
	graphtest.OK(t, retry.Stop(nil))
}
