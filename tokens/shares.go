package tokens

import (
	"context"
	"maps"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
)

// A token's rate is for all servers together. Each tells the others in the graph whom it answers, and gives a caller its share: the
// rate divided by how many servers the caller came to lately. A server that nobody with a limit calls writes nothing.
const (
	alive  = 15 * time.Second // how long a server counts after it was heard of
	retell = 5 * time.Second
)

// limits notes a call of a caller whose rate is limited.
func (c *UsageCounter) limits(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limited[key] = c.now()
}

// tell tells the other servers whom this one answers, where that changed or was said a while ago.
func (c *UsageCounter) tell(ctx context.Context) {
	c.mu.Lock()
	now := c.now()
	maps.DeleteFunc(c.limited, func(_ string, called time.Time) bool { return now.Sub(called) > alive })
	keys := slices.Sorted(maps.Keys(c.limited))
	old := slices.Equal(keys, c.keys) && (len(keys) == 0 || now.Sub(c.said) < retell)
	c.mu.Unlock()
	if old {
		return
	}
	if _, err := graph.Append[struct{}](graph.Operation(ctx, "usage", "counter"), c.store.graph, cypher.ServerSeen, graph.Params{"uid": c.server, "keys": keys}); err != nil {
		c.log.Debug().Err(err).Msg("the other servers could not be told of this one")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys, c.said = keys, now
}

// leave gives the shares of this server to the others.
func (c *UsageCounter) leave(ctx context.Context) {
	c.mu.Lock()
	clear(c.limited)
	c.mu.Unlock()
	c.tell(ctx)
}
