package hooksocket

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// ownPeer reports whether the process at the other end is one of this user.
func ownPeer(connection *net.UnixConn) bool {
	raw, err := connection.SyscallConn()
	if err != nil {
		return false
	}
	var peer *unix.Xucred
	err = raw.Control(func(fd uintptr) {
		peer, _ = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	return err == nil && peer != nil && int(peer.Uid) == os.Geteuid()
}
