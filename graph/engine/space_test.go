package engine_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"nomograph/graph/engine"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

func TestEngine_FullDisk_StopsAndSaysSo(t *testing.T) {
	t.Parallel()
	o := setup(t)
	free := func(bytes string) {
		t.Helper()
		graphtest.OK(t, os.WriteFile(filepath.Join(o.Dir, "free"), []byte(bytes), 0o600))
	}
	lease := acquire(t, o)
	must(t, lease.Endpoint(), "CREATE (:Kept) RETURN 1")
	free("10000000")
	awaitState(t, o, engine.Failed, time.Minute)
	if status := inspect(t, o); status.Error == nil {
		t.Errorf("got %+v, want an error", status)
	}
	started := time.Now()
	_, err := engine.Acquire(within(t, time.Minute), o)
	wantError(t, err, apperr.Unavailable, o.Dir, "has only 9.5 MiB free", "Free space")
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("the error took %s", took)
	}
	free("100000000")
	golden.Equal[any](t, "nodes", must(t, acquire(t, o).Endpoint(), "MATCH (n:Kept) RETURN count(n)"), int64(1))
}
