package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// startedAt tells one use of a process id from the next: the boot and the tick at which the process began. Empty when
// there is no such process, or only what is left of it until its parent looks.
func startedAt(pid int) string {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	// The second field is the program's name in parentheses, which may itself hold blanks and parentheses.
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + "/" + fields[19]
}
