package tokens

import (
	"context"
	"maps"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
)

// The rate of a token applies to all servers together. Each server announces its callers in the graph and grants a
// caller its share: the rate divided by the number of servers that the caller used recently. A server without limited
// callers writes nothing.
const (
	announcementLifetime = 15 * time.Second // how long an announcement counts
	announceInterval     = 5 * time.Second
)

// recordLimitedCall records a call of a rate-limited caller.
func (c *UsageCounter) recordLimitedCall(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limited[key] = c.now()
}

// announce announces this server's callers after a change, and periodically.
func (c *UsageCounter) announce(ctx context.Context) {
	c.mu.Lock()
	now := c.now()
	maps.DeleteFunc(c.limited, func(_ string, called time.Time) bool { return now.Sub(called) > announcementLifetime })
	keys := slices.Sorted(maps.Keys(c.limited))
	old := slices.Equal(keys, c.keys) && (len(keys) == 0 || now.Sub(c.announced) < announceInterval)
	c.mu.Unlock()
	if old {
		return
	}
	if _, err := graph.Append[struct{}](graph.Operation(ctx, "usage", "counter"), c.store.graph, cypher.ServerSeen,
		graph.Params{"uid": c.server, "keys": keys}); err != nil {
		c.log.Debug().Err(err).Msg("registration with other servers failed")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys, c.announced = keys, now
}

// releaseShares releases this server's shares to the others.
func (c *UsageCounter) releaseShares(ctx context.Context) {
	c.mu.Lock()
	clear(c.limited)
	c.mu.Unlock()
	c.announce(ctx)
}
