//go:build unix

package main

import "syscall"

// become turns this process into the command, which so has its streams, its signals and its exit code. It returns only
// where that fails.
func become(path string, args, environ []string) error {
	return syscall.Exec(path, args, environ)
}
