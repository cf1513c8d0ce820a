package hooksocket

import (
	"net"
	"os"
	"syscall"
)

// ownPeer reports whether the process at the other end is one of this user.
func ownPeer(connection *net.UnixConn) bool {
	raw, err := connection.SyscallConn()
	if err != nil {
		return false
	}
	var peer *syscall.Ucred
	err = raw.Control(func(fd uintptr) {
		peer, _ = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	return err == nil && peer != nil && int(peer.Uid) == os.Geteuid()
}
