//go:build unix

package hooksocket

import (
	"os"
	"syscall"
)

// ownFile reports whether a file belongs to this user, and nobody else may use it.
func ownFile(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
