package trace_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/trace"
)

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ logs, callers int }{{1, 64}, {4, 16}} {
		b.Run(fmt.Sprintf("logs=%d", c.logs), func(b *testing.B) {
			g := graphtest.New(b)
			var logs []*trace.Log
			for range c.logs {
				db := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username,
					Password: g.Endpoint.Password, Database: g.Endpoint.Database, Log: zerolog.Nop()})
				defer db.Close(context.Background())
				logs = append(logs, trace.NewLog(db, zerolog.Nop()))
			}
			who := trace.SessionSelector{Agent: "bench", Workspace: "w"}
			run := func(n int) {
				var wait sync.WaitGroup
				for _, l := range logs {
					for range c.callers {
						wait.Go(func() {
							for range n / (c.logs * c.callers) {
								if _, err := l.Append(context.Background(), who,
									thought("a thought of a usual length, that says why something was done the way it was")); err != nil {
									b.Error(err)
									return
								}
							}
						})
					}
				}
				wait.Wait()
			}
			run(3000)
			b.ResetTimer()
			run(b.N)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
