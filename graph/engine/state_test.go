package engine

import (
	"os"
	"os/exec"
	"testing"

	"nomograph/graph/engine/process"
	"nomograph/internal/apperr"
)

func TestEngine_NoSupervisor_IsNotUsed(t *testing.T) {
	here := process.Identify(os.Getpid())
	gone := exec.Command(os.Args[0], "-test.run", "^$")
	if err := gone.Start(); err != nil {
		t.Fatal(err)
	}
	dead := process.Identify(gone.Process.Pid)
	if err := gone.Wait(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		record record
		want   bool
	}{
		"both are there":         {record{State: Running, Supervisor: here, Engine: here}, true},
		"the supervisor is gone": {record{State: Running, Supervisor: dead, Engine: here}, false},
		"the engine is gone":     {record{State: Running, Supervisor: here, Engine: dead}, false},
		"it starts":              {record{State: Starting, Supervisor: here, Engine: here}, false},
	} {
		if got := c.record.answers(); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestEngine_FailedStart_ReportsTheReason(t *testing.T) {
	o := Options{Dir: t.TempDir()}.Defaults()
	lock := o.lock(supervisorLock)
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	defer func() { _ = lock.Unlock() }()
	if err := newJournal(o, Starting).update(func(r *record) {
		r.State, r.Error = Failed, apperr.Newf(apperr.Unavailable, "The port is taken")
	}); err != nil {
		t.Fatal(err)
	}
	status, err := Inspect(o)
	if err != nil || status.State != Failed || status.Error == nil || status.Supervisor != os.Getpid() {
		t.Errorf("got %+v, %v, want State=%v, non-nil Error, Supervisor=os.Getpid()", status, err, Failed)
	}
}
