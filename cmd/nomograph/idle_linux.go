package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unloadProgram unloads the read-only pages of the program file from this process. The start touches most of them, but
// answers need few. If that is not possible, they remain.
func unloadProgram() {
	path, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		if start, size, ofFile := mappingOf(line, path); ofFile {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, size, unix.MADV_DONTNEED)
		}
	}
}

// mappingOf parses a line of /proc/self/maps and returns the address range of a read-only mapping of the file.
func mappingOf(line, file string) (start, size uintptr, ok bool) {
	const addresses, rights, path, fields = 0, 1, 5, 6
	parts := strings.Fields(line)
	if len(parts) != fields || parts[path] != file || len(parts[rights]) < 2 || parts[rights][1] != '-' {
		return 0, 0, false
	}
	from, to, _ := strings.Cut(parts[addresses], "-")
	first, err := strconv.ParseUint(from, 16, 64)
	if err != nil {
		return 0, 0, false
	}
	end, err := strconv.ParseUint(to, 16, 64)
	if err != nil || end <= first {
		return 0, 0, false
	}
	return uintptr(first), uintptr(end - first), true
}
