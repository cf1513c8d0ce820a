//go:build unix

package process

import "syscall"

// Become replaces this process by a command, which keeps its streams, signals and exit code. It returns only on
// failure.
func Become(path string, args, environ []string) error {
	return syscall.Exec(path, args, environ)
}
