package tokens

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/semaphore"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/timeparse"
	"nomograph/internal/uid"
)

// UsageQuery selects usage records.
type UsageQuery struct {
	Name string `json:"name,omitempty" jsonschema:"filter by token name" rule:"maxLength=200"`
	timeparse.Range
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum number of rows" rule:"minimum=1,maximum=1000,default=100"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page" rule:"maxLength=20"`
}

// Usage holds usage by name, operation and day, newest day first.
type Usage struct {
	Usage      []UsageRow `json:"usage"`
	NextCursor string     `json:"next_cursor,omitempty"`
}

// UsageRow is the use of one operation under one name on one day (UTC).
type UsageRow struct {
	Name      string `json:"name"`
	Day       string `json:"day"`
	Operation string `json:"operation" jsonschema:"operation; - for requests without one"`
	Calls     int64  `json:"calls"`
	Denials   int64  `json:"denials" jsonschema:"number of denials"`
	Refusals  int64  `json:"refusals" jsonschema:"number of calls refused for permissions, rate or budget"`
	Bytes     int64  `json:"bytes" jsonschema:"bytes of requests and responses"`
}

// Usage reads usage. It returns a validation_error for an invalid time or cursor.
func (s *Store) Usage(ctx context.Context, q UsageQuery) (Usage, error) {
	from, to, err := q.Times(time.Time{}, time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return Usage{}, err
	}
	params := graph.Params{"key": nil, "from": from.Format(time.DateOnly), "to": to.Format(time.DateOnly)}
	if q.Name != "" {
		params["key"] = caller.Key(q.Name)
	}
	skip, limit := 0, cmp.Or(q.Limit, 100)
	if q.Cursor != "" {
		if skip, err = strconv.Atoi(q.Cursor); err != nil || skip < 0 {
			return Usage{}, apperr.New(apperr.Validation, "Invalid cursor").
				WithHint("Pass `next_cursor` of the previous page unchanged, or leave it out to start")
		}
	}
	params["skip"], params["limit"] = skip, limit+1
	rows, err := graph.All[UsageRow](ctx, s.graph, cypher.UsageRead, params)
	if err != nil {
		return Usage{}, err
	}
	out := Usage{Usage: rows}
	if len(rows) > limit {
		out.Usage, out.NextCursor = rows[:limit], strconv.Itoa(skip+limit)
	}
	return out, nil
}

// Use describes one request.
type Use struct {
	Name, Operation                 string
	Calls, Denials, Refusals, Bytes int64
}

// UsageCounter aggregates requests and writes the counts every second, so a request costs no write. Counts that were
// not yet written are lost when the process is killed.
type UsageCounter struct {
	store *Store
	log   zerolog.Logger
	now   func() time.Time

	server string // id of this server among those that share the graph

	mu        sync.Mutex
	open      map[useKey]*UsageRow
	limited   map[string]time.Time // last call of each rate-limited caller, by key
	announced time.Time            // last announcement
	let       map[dayKey]int64     // calls that this process admitted
	written   map[dayKey]int64     // calls that this process has written to the graph

	writing *semaphore.Weighted // a writer acquires everything, a reader of graph and written together 1
	keys    []string            // last announced keys of limited
}

type (
	useKey struct{ key, day, operation string }
	dayKey struct{ key, day string }
)

// maxOpen bounds the counters held while the database is away; further names and operations are not counted then.
const maxOpen = 20_000

// NewUsageCounter returns a counter at zero.
func NewUsageCounter(store *Store, log zerolog.Logger) *UsageCounter {
	return &UsageCounter{store: store, log: log, now: time.Now, server: uid.New(), open: map[useKey]*UsageRow{},
		limited: map[string]time.Time{},
		let:     map[dayKey]int64{}, written: map[dayKey]int64{}, writing: semaphore.NewWeighted(maxReaders)}
}

// Add counts a request.
func (c *UsageCounter) Add(u Use) {
	k := useKey{caller.Key(u.Name), c.now().UTC().Format(time.DateOnly), cmp.Or(u.Operation, "-")}
	c.mu.Lock()
	defer c.mu.Unlock()
	row := c.open[k]
	if row == nil {
		if len(c.open) >= maxOpen {
			return
		}
		row = &UsageRow{Name: u.Name, Day: k.day, Operation: k.operation}
		c.open[k] = row
	}
	row.add(u.Calls, u.Denials, u.Refusals, u.Bytes)
}

func (r *UsageRow) add(calls, denials, refusals, bytes int64) {
	r.Calls, r.Denials, r.Refusals, r.Bytes = r.Calls+calls, r.Denials+denials, r.Refusals+refusals, r.Bytes+bytes
}

// admit admits one call of a name unless the name has used its budget of the day; 0 is unlimited. The day's calls are
// those at other servers (others), plus those admitted here.
func (c *UsageCounter) admit(k dayKey, budget, others int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.let, func(old dayKey, _ int64) bool { return old.day < k.day })
	if budget > 0 && others+c.let[k] >= budget {
		return false
	}
	c.let[k]++
	return true
}

// wrote returns the number of calls of a name on a day that this process has written. The caller holds writing.
func (c *UsageCounter) wrote(k dayKey) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.written[k]
}

const (
	countPause = time.Second
	usageBatch = 500
	lastWrite  = 5 * time.Second

	maxReaders = 1000 // concurrent readers
)

// Write writes every second until the context ends, and once more then.
func (c *UsageCounter) Write(ctx context.Context) {
	ticker := time.NewTicker(countPause)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.flush(ctx)
			c.announce(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
			defer cancel()
			c.flush(last)
			c.releaseShares(last)
			return
		}
	}
}

// flush writes the counts. After a failed write the counts are retained; if only the answer was lost, they count twice.
func (c *UsageCounter) flush(ctx context.Context) {
	c.mu.Lock()
	open := c.open
	c.open = map[useKey]*UsageRow{}
	c.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(open), func(a,
		b useKey) int { // the same order in all processes, against deadlocks
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.day, b.day), cmp.Compare(a.operation, b.operation))
	})
	for part := range slices.Chunk(keys, usageBatch) {
		rows := make([]any, len(part))
		for i, k := range part {
			r := open[k]
			rows[i] = map[string]any{"key": k.key, "name": r.Name, "day": k.day, "operation": k.operation,
				"calls": r.Calls, "denials": r.Denials, "refusals": r.Refusals, "bytes": r.Bytes}
		}
		if err := c.add(ctx, rows); err != nil {
			c.log.Warn().Err(err).Msg("token usage not counted yet")
			continue
		}
		for _, k := range part {
			delete(open, k)
		}
	}
	for k, r := range open { // restore the counts, so that the next write includes them
		c.mu.Lock()
		if now := c.open[k]; now != nil {
			now.add(r.Calls, r.Denials, r.Refusals, r.Bytes)
		} else if len(c.open) < maxOpen {
			c.open[k] = r
		}
		c.mu.Unlock()
	}
}

// add writes rows and records which calls are in the graph.
func (c *UsageCounter) add(ctx context.Context, rows []any) error {
	ctx, cancel := context.WithTimeout(ctx, lastWrite)
	defer cancel()
	if err := c.writing.Acquire(ctx, maxReaders); err != nil {
		return err
	}
	defer c.writing.Release(maxReaders)
	if _, err := graph.Append[struct{}](graph.Operation(ctx, "usage", "counter"), c.store.graph, cypher.UsageAdd,
		graph.Params{"rows": rows}); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	today := c.now().UTC().Format(time.DateOnly)
	maps.DeleteFunc(c.written, func(k dayKey, _ int64) bool { return k.day < today })
	for _, row := range rows {
		r := row.(map[string]any)
		c.written[dayKey{r["key"].(string), r["day"].(string)}] += r["calls"].(int64)
	}
	return nil
}
