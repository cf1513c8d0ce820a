// Package loopback tells whether an address is that of this machine alone.
package loopback

import (
	"net/netip"
	"strings"
)

// Is tells whether a host, a name or an address without a port, is this machine's own.
func Is(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback()
}
