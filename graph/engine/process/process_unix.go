//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// DetachFromTerminal detaches a supervisor from the terminal. Closing the terminal or pressing Ctrl-C there ends only
// the client.
func DetachFromTerminal(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// OwnGroup keeps signals for the supervisor away from the engine, so that the supervisor decides the order of shutdown.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// AskToStop sends SIGTERM, after which Neo4j writes a checkpoint.
func AskToStop(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
