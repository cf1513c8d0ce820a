package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const zombie = 5 // SZOMB

// startedAt returns the start time of a process, which distinguishes uses of a process id. It is "" for a missing
// process or a zombie.
func startedAt(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return ""
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
}
