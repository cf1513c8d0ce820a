package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"nomograph/graph/engine/files"
	"nomograph/graph/engine/process"
	"nomograph/internal/apperr"
)

// spawned is a supervisor that this process started and that outlives it.
type spawned struct{ ended chan struct{} }

func (s *spawned) lives() bool {
	if s == nil {
		return false
	}
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// spawn starts a supervisor. If several clients do so at the same time, all but one supervisor end quietly.
func spawn(o Options) (*spawned, error) {
	if len(o.Supervisor) == 0 {
		return nil, apperr.New(apperr.Internal, "No program can supervise the engine").
			WithHint("Set Options.Supervisor, since this program cannot find its own path")
	}
	if _, err := CheckSpace(o); err != nil {
		return nil, err // on a full disk, the supervisor could not even write it into its state
	}
	if err := o.folders(); err != nil {
		return nil, err
	}
	log, err := openLog(o.path("logs", "supervisor.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()

	program, err := exec.LookPath(o.Supervisor[0])
	if err != nil {
		return nil, notSpawned(o, err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, fmt.Errorf("find the supervisor's program: %w", err)
	}
	cmd := exec.Command(program, o.Supervisor[1:]...)
	cmd.Dir = o.Dir // a long-lived process must not block the caller's directory
	cmd.Env = append(os.Environ(), o.Environ()...)
	cmd.Stdout, cmd.Stderr = log, log
	process.DetachFromTerminal(cmd)
	if err := cmd.Start(); err != nil {
		return nil, notSpawned(o, err)
	}
	s := &spawned{ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(s.ended)
	}()
	return s, nil
}

func notSpawned(o Options, err error) error {
	return apperr.New(apperr.Unavailable, "Cannot start the engine's supervisor").
		WithHint("Check that the program %s still exists", o.Supervisor[0]).Because(err)
}

const maxLog = 1 << 20

// openLog opens a log for appending. It renames a large log first and keeps one older log.
func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		_ = os.Rename(path, path+".1")
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, files.Unwritable(path, err)
	}
	return file, nil
}
