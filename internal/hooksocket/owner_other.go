//go:build !linux && !darwin

package hooksocket

import "net"

// ownPeer cannot read the user of the other process on this system: the owner and mode of the socket decide.
func ownPeer(*net.UnixConn) bool { return true }
