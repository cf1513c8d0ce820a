//go:build unix

package engine

import (
	"os"
	"os/exec"
	"syscall"
)

// ownSession detaches a supervisor from the terminal, so that closing it or pressing Ctrl-C there ends only the client.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// ownGroup keeps signals meant for the supervisor away from the engine, so that the supervisor decides the order.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// askToStop lets Neo4j write its last checkpoint.
func askToStop(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
