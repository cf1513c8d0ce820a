package graph

import (
	"context"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/internal/retry"
)

// PollCommits returns the bookmark of a read, which stays equal until anybody commits something. Later reads see at
// least the same data. An empty string means that the server returned no bookmark, so anything may have changed. It
// returns the errors of a read.
func (db *DB) PollCommits(ctx context.Context) (bookmark string, err error) {
	// The pooled connection may have died since the last poll.
	err = db.onConnection(ctx, retry.Policy{Attempts: 2}, connectivity, func(c *connection) (err error) {
		bookmark, err = c.lastBookmark(ctx)
		return err
	})
	return bookmark, err
}

// lastBookmark reads in a new session without bookmarks, so that its last bookmark comes from this read.
// The bookmark manager of a routed connection only adds what the server must wait for.
func (c *connection) lastBookmark(ctx context.Context) (string, error) {
	session := c.session(ctx, neo4j.AccessModeRead)
	defer func() { _ = session.Close(ctx) }()
	limit := serverTimeout(ctx)
	result, err := session.Run(ctx, cypher.LatestBookmark.Text(), nil, neo4j.WithTxTimeout(limit),
		neo4j.WithTxMetadata(metadata(ctx, cypher.LatestBookmark.Name, limit)))
	if err != nil {
		return "", err
	}
	if _, err := result.Consume(ctx); err != nil {
		return "", err
	}
	return strings.Join(slices.Sorted(slices.Values(session.LastBookmarks())), ","), nil
}
