package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// startedAt returns boot and start tick of a process, which distinguish uses of a process id. It is "" for a missing
// process or a zombie.
func startedAt(pid int) string {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	// The second field is the program name in parentheses, which may contain spaces and parentheses.
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + "/" + fields[19]
}
