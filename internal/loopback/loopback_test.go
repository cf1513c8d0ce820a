package loopback_test

import (
	"fmt"
	"testing"

	"nomograph/internal/golden"
	"nomograph/internal/loopback"
)

func TestIsLoopback_Hosts_OnlyThisMachine(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.9.9.9": true,
		"::1": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example.com": false, "127.0.0.1.example.com": false, "0.0.0.0": false, "::": false,
		"192.168.0.1": false, "127.0.0.1:80": false} {
		golden.Equal(t, fmt.Sprint(host), loopback.Is(host), want)
	}
}
