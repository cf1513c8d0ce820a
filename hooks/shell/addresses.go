package shell

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"nomograph/internal/loopback"
)

// LocalFile is the path of the file that an address such as "file:///etc/hosts" names. Schemes are the same in upper
// and lower case, and a browser accepts "view-source:" before them.
func LocalFile(address string) (file string, ok bool) {
	rest := strings.TrimSpace(address)
	for {
		source, ok := cutFold(rest, "view-source:")
		if !ok {
			break
		}
		rest = source
	}
	if rest, ok = cutFold(rest, "file:"); !ok {
		return "", false
	}
	if named, ok := strings.CutPrefix(rest, "//"); ok {
		rest = named
		if at := strings.IndexByte(named, '/'); at > 0 && loopback.Is(named[:at]) {
			rest = named[at:]
		}
	}
	// in a shell pattern, ? is a wildcard
	if at := strings.IndexAny(rest, "?#"); at >= 0 && !strings.ContainsAny(rest, "*[") {
		rest = rest[:at]
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	return rest, true
}

// cutFold is strings.CutPrefix that ignores case.
func cutFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// plainAddress returns an address without escapes and with its host in the common form: 0xA9FEA9FE becomes
// 169.254.169.254.
func plainAddress(address string) string {
	address = strings.TrimSpace(address)
	if rest, ok := cutFold(address, "view-source:"); ok {
		address = rest
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, ok := numericHost(host); ok {
		host = ip.String()
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return strings.ToLower(u.Scheme) + "://" + host + u.Path + "?" + u.RawQuery
}

// numericHost parses an IPv4 or IPv6 address as browsers and curl do: also with parts in hexadecimal or octal, or as
// one number.
func numericHost(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap(), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var bytes [4]byte
	for i, part := range parts {
		base := 10
		if digits, hexadecimal := strings.CutPrefix(part, "0x"); hexadecimal {
			base, part = 16, digits
		} else if len(part) > 1 && part[0] == '0' {
			base = 8
		}
		n, err := strconv.ParseUint(part, base, 32)
		if err != nil || i < len(parts)-1 && n > 255 || i == len(parts)-1 && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			bytes[i] = byte(n)
			continue
		}
		for at := 3; at >= i; at-- {
			bytes[at] = byte(n)
			n >>= 8
		}
	}
	return netip.AddrFrom4(bytes), true
}
