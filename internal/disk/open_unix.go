//go:build unix

package disk

import "syscall"

// nonblocking makes opening a pipe return even if no process writes to it.
const nonblocking = syscall.O_NONBLOCK
