package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// DetachFromTerminal detaches a supervisor from the console. Closing the console or pressing Ctrl-C there ends only
// the client.
func DetachFromTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

// OwnGroup keeps console events away from the engine and opens no window.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

// AskToStop kills the engine: a process without a console cannot be asked. Neo4j recovers from its transaction log at
// the next start, so no committed data is lost.
func AskToStop(p *os.Process) error { return p.Kill() }

const stillActive = 259 // STILL_ACTIVE

// startedAt returns the start time of a process, which distinguishes uses of a process id. It is "" for a missing
// process.
func startedAt(pid int) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(handle)
	var code uint32
	if windows.GetExitCodeProcess(handle, &code) != nil || code != stillActive {
		return ""
	}
	var began, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(handle, &began, &ended, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(began.Nanoseconds(), 10)
}
