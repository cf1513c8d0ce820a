package server

import (
	"container/list"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"nomograph/internal/caller"
)

const (
	// DefaultConnections is the default limit of open connections.
	DefaultConnections = 4096
	// DefaultAddressConnections is the default limit of unauthenticated connections from one address.
	DefaultAddressConnections = 256
	// anonymousTime is how long an unauthenticated connection may be idle. Its first request has headerTime.
	anonymousTime = 10 * time.Second
)

// connections limits open connections so that strangers cannot keep out callers with a token. A quarter is reserved for
// anonymous connections: when it is full, the oldest one is closed for a new one. An authenticated request moves its
// connection to the other three quarters, of which one caller gets at most a third. Nothing is refused: a connection
// that exceeds its share remains anonymous and is served until it is closed.
type connections struct {
	max, perAddress int
	anonymousTime   time.Duration

	mu            sync.Mutex
	anonymous     list.List // elements are *conn, oldest first
	byAddress     map[netip.Addr]int
	authenticated int
	byCaller      map[string]int
}

func newConnections(limit, perAddress int) *connections {
	return &connections{max: limit, perAddress: perAddress, anonymousTime: anonymousTime,
		byAddress: map[netip.Addr]int{}, byCaller: map[string]int{}}
}

// conn is an open connection.
type conn struct {
	net.Conn
	all     *connections
	address netip.Addr
	place   *list.Element // among the anonymous ones; nil if authenticated or closed
	caller  string        // if authenticated
	closed  bool
	idle    bool
	timer   *time.Timer
}

// counted is a listener that counts its connections.
type counted struct {
	net.Listener
	all *connections
}

// Accept closes an anonymous connection if the process has run out of file descriptors.
func (l *counted) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err == nil {
			return l.all.enter(c), nil
		}
		if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) || !l.all.closeOldest() {
			return nil, err
		}
	}
}

func (a *connections) enter(raw net.Conn) *conn {
	c := &conn{Conn: raw, all: a, address: network(raw.RemoteAddr())}
	a.mu.Lock()
	var old *conn
	switch {
	case a.byAddress[c.address] >= a.perAddress:
		old = a.removeOldest(func(o *conn) bool { return o.address == c.address })
	case a.anonymous.Len() >= a.max/4:
		old = a.removeOldest(func(*conn) bool { return true })
	}
	c.place = a.anonymous.PushBack(c)
	a.byAddress[c.address]++
	a.mu.Unlock()
	if old != nil {
		_ = old.Conn.Close()
	}
	return c
}

// removeOldest removes the oldest anonymous connection that fits and returns it to be closed. The caller holds the
// lock.
func (a *connections) removeOldest(fits func(*conn) bool) *conn {
	for e := a.anonymous.Front(); e != nil; e = e.Next() {
		if c, ok := e.Value.(*conn); ok && fits(c) {
			a.remove(c)
			return c
		}
	}
	return nil
}

func (a *connections) closeOldest() (closed bool) {
	a.mu.Lock()
	old := a.removeOldest(func(*conn) bool { return true })
	a.mu.Unlock()
	if old == nil {
		return false
	}
	_ = old.Conn.Close()
	return true
}

// Close frees the connection's place.
func (c *conn) Close() error {
	c.all.mu.Lock()
	c.all.remove(c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// expire closes the connection if it is still idle and anonymous.
func (c *conn) expire() {
	c.all.mu.Lock()
	expired := c.place != nil && c.idle
	if expired {
		c.all.remove(c)
	}
	c.all.mu.Unlock()
	if expired {
		_ = c.Conn.Close()
	}
}

// remove stops counting a connection. The caller holds the lock.
func (a *connections) remove(c *conn) {
	switch {
	case c.closed:
	case c.place == nil:
		a.authenticated--
		decrement(a.byCaller, c.caller)
	default:
		a.leave(c)
	}
	c.closed = true
}

// leave removes a connection from the anonymous ones. The caller holds the lock.
func (a *connections) leave(c *conn) {
	a.anonymous.Remove(c.place)
	c.place = nil
	decrement(a.byAddress, c.address)
	if c.timer != nil {
		c.timer.Stop()
	}
}

func decrement[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}

type connKey struct{}

// authenticate records the caller of a connection. Behind a proxy one connection serves several callers and counts for
// the latest one.
func authenticate(ctx context.Context, who caller.Caller) {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok { // a handler outside of this server
		return
	}
	a, by := c.all, caller.Key(who.Name)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case c.closed, c.place == nil && c.caller == by:
		return
	case who.Authenticated && a.byCaller[by] >= a.max/4: // without authentication all callers are the one user of this machine
		return
	case c.place == nil:
		decrement(a.byCaller, c.caller)
	case a.authenticated >= a.max-a.max/4:
		return
	default:
		a.leave(c)
		a.authenticated++
	}
	c.caller = by
	a.byCaller[by]++
}

// stateChanged closes an anonymous connection that stays idle. It is http.Server.ConnState.
func (a *connections) stateChanged(raw net.Conn, state http.ConnState) {
	c := connOf(raw)
	if c == nil || state != http.StateIdle && state != http.StateActive {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch c.idle = state == http.StateIdle; {
	case c.place == nil:
	case c.timer == nil && c.idle:
		c.timer = time.AfterFunc(a.anonymousTime, c.expire)
	case c.idle:
		c.timer.Reset(a.anonymousTime)
	case c.timer != nil:
		c.timer.Stop()
	}
}

// connOf returns the conn below another connection, such as TLS.
func connOf(c net.Conn) *conn {
	for c != nil {
		if tracked, ok := c.(*conn); ok {
			return tracked
		}
		over, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		c = over.NetConn()
	}
	return nil
}

// network is what counts as one address: an IPv4 address, or the 64-bit prefix that one host usually has in IPv6.
func network(of net.Addr) netip.Addr {
	at, err := netip.ParseAddrPort(of.String())
	if err != nil {
		return netip.Addr{}
	}
	address := at.Addr().Unmap().WithZone("")
	if address.Is6() {
		prefix, _ := address.Prefix(64) // an IPv6 network has 64 of 128 bits
		address = prefix.Addr()
	}
	return address
}
