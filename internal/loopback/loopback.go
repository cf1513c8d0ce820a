// Package loopback reports whether an address is a loopback address.
package loopback

import (
	"net/netip"
	"strings"
)

// Is reports whether a host (a name or an address without a port) is this machine.
func Is(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback()
}
