package process

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv("LINGER") != "" {
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestEnd_ReusedPID_IsNotKilled(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LINGER=yes")
	OwnGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()

	id := Identify(cmd.Process.Pid)
	if !id.Alive() {
		t.Fatalf("%+v is not alive", id)
	}
	other := ID{PID: id.PID, Started: "another time"}
	other.End(time.Second)
	if other.Alive() || !id.Alive() {
		t.Errorf("got an earlier process with the same id as this one")
	}
	id.End(time.Minute)
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the process still runs")
	}
	if id.Alive() || Identify(id.PID).Alive() {
		t.Error("the process is still alive")
	}
}
