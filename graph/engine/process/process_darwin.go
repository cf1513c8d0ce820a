package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const zombie = 5 // SZOMB

// startedAt tells one use of a process id from the next: the time at which the process began. Empty when there is no
// such process, or only what is left of it until its parent looks.
func startedAt(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return ""
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
}
