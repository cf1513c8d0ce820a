package engine

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

func uri(port int) string { return "bolt://" + address(port) }

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// boltHello is the first message of a Bolt client: a magic number and four version ranges. The server answers with one
// version.
var boltHello = []byte{
	0x60, 0x60, 0xb0, 0x17,
	0, 4, 4, 5,
	0, 0, 0, 5,
	0, 2, 4, 4,
	0, 0, 0, 3,
}

// speaksBolt reports whether a server answers at uri. An open port is not enough: the port of a dying process stays
// open for a moment, and Docker opens ports before the server listens.
func speaksBolt(ctx context.Context, uri string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(uri, "bolt://"))
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := conn.Write(boltHello); err != nil {
		return false
	}
	answer := make([]byte, 4)
	_, err = io.ReadFull(conn, answer)
	return err == nil && answer[3] != 0
}
