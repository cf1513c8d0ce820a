//go:build unix

package process

import "syscall"

// Become turns this process into the command, which so has its streams, its signals and its exit code. It returns only
// where that fails.
func Become(path string, args, environ []string) error {
	return syscall.Exec(path, args, environ)
}
