package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const subscribers = 200

// events measures how soon changes reach all subscribers, and the memory that subscribers cost.
func (b *bench) events(ctx context.Context) ([]row, error) {
	if err := b.run(ctx, "MERGE (t:SYS_Threshold {name: 'bench_event'}) SET t.value = 0", nil); err != nil {
		return nil, err
	}
	web, err := b.http(ctx)
	if err != nil {
		return nil, err
	}
	before := memoryOf(web.pid, "VmRSS")
	arrived := make(chan struct{}, subscribers)
	reach := func(change operation) operation {
		return timed(func(i int) error {
			if _, err := change(i); err != nil {
				return err
			}
			for range subscribers {
				select {
				case <-arrived:
				case <-time.After(time.Minute):
					return errors.New("an event did not reach all subscribers")
				}
			}
			return nil
		})
	}
	return []row{
		{name: fmt.Sprintf("set_threshold over REST, until %d subscribers have it", subscribers),
			floor: b.oneWrite(ctx),
			prepare: func() error {
				for range subscribers {
					if err := web.subscribe(ctx, "/api/v1/events?type=threshold&name=bench_event",
						arrived); err != nil {
						return err
					}
				}
				return nil
			},
			work: reach(web.post(ctx, "/api/v1/tools/set_threshold", `"changed":true`, func(i int) map[string]any {
				return map[string]any{"name": "bench_event", "value": i, "reason": "bench", "confirm": true}
			}))},
		{name: fmt.Sprintf("change with Cypher, until %d subscribers have it", subscribers), floor: b.oneWrite(ctx),
			times: 50,
			work: reach(b.writes(ctx, "MATCH (t:SYS_Threshold {name: 'bench_event'}) SET t.value = $n",
				func(i int) map[string]any {
					return map[string]any{"n": -i}
				}))},
		{name: fmt.Sprintf("memory of the server with %d subscribers", subscribers), unit: "MB", times: 1,
			work: b.resident(web.pid), floor: floor{"before", known(before)}},
	}, nil
}

// subscribe opens a stream and reports its events until the server ends.
func (h *httpServer) subscribe(ctx context.Context, path string, arrived chan<- struct{}) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/event-stream")
	answer, err := h.client.Do(r) //nolint:bodyclose // the goroutine that reads the stream closes the body
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return fmt.Errorf("%s: %s", path, answer.Status)
	}
	go func() {
		defer func() { _ = answer.Body.Close() }()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "data: ") {
				arrived <- struct{}{}
			}
		}
	}()
	return nil
}
