//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnSession detaches a supervisor from the terminal, so that closing it or pressing Ctrl-C there ends only the client.
func OwnSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// OwnGroup keeps signals meant for the supervisor away from the engine, so that the supervisor decides the order.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// AskToStop lets Neo4j write its last checkpoint.
func AskToStop(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
