//go:build unix

package disk

import "syscall"

// nonblocking has the opening of a pipe return, whether or not somebody writes to it.
const nonblocking = syscall.O_NONBLOCK
