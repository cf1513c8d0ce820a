package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// operation does its work once and returns the measured value in the unit of its row. Each call of a row has another i.
type operation func(i int) (float64, error)

// floor is the least work that any program needs for an operation.
type floor struct {
	name string
	work operation
}

// row is one measurement.
type row struct {
	name    string
	unit    string       // empty for ms
	prepare func() error // runs once before the calls; may be nil
	work    operation
	floor   floor        // without work if there is no floor
	settle  func() error // waits for background work after each call, which is not measured; may be nil
	times   int          // calls without a warm-up; 0 for -calls with a warm-up
	workers int          // concurrent callers; 0 for one
}

// once returns a row whose operation is called once and has no floor.
func once(name, unit string, work operation) row {
	return row{name: name, unit: unit, work: work, times: 1}
}

// burst is the number of calls of each concurrent caller before the other operation has its turn.
const burst = 10

// measurePart measures the rows of a part in an empty graph.
func (b *bench) measurePart(ctx context.Context, p part) error {
	defer b.end(0)
	if err := b.open(ctx, p.name); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Preparing", p.name)
	rows, err := p.rows(b, ctx)
	if err != nil {
		return err
	}
	b.printf("\n## %s\n\n| row | unit | calls | least | p50 | p99 | floor | floor p50 | p50 / floor |\n|---|---|--:|--:|--:|--:|---|--:|--:|\n", p.name)
	for _, r := range rows {
		if !b.wanted.MatchString(r.name) {
			continue
		}
		if err := b.measure(r); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

// measure prepares a row, warms up, alternates its operation with its floor, and prints its line.
func (b *bench) measure(r row) error {
	if r.prepare != nil {
		if err := r.prepare(); err != nil {
			return err
		}
	}
	each, rounds, warmUp := 1, r.times, 0
	if r.workers > 1 {
		each = burst
	}
	if r.times == 0 {
		rounds = max(*calls/(each*max(r.workers, 1)), 3)
		warmUp = rounds/5 + 1
	}
	sides := [2]operation{r.work, r.floor.work}
	var taken [2][]float64
	var next atomic.Int64
	for try := 0; r.times == 0 && try < 5; try++ { // the first call may exceed its timeout while the server plans
		if _, err := r.work(int(next.Add(1))); err == nil {
			break
		}
	}
	for round := range warmUp + rounds {
		for k := range sides {
			side := (k + round) % 2
			if sides[side] == nil {
				continue
			}
			values, err := concurrently(max(r.workers, 1), each, &next, sides[side])
			if err != nil {
				return err
			}
			if round >= warmUp {
				taken[side] = append(taken[side], values...)
			}
			if r.settle == nil {
				continue
			}
			if err := r.settle(); err != nil {
				return err
			}
		}
	}
	b.print(r, taken[0], taken[1])
	return nil
}

func (b *bench) print(r row, ours, bare []float64) {
	name := r.name
	if r.workers > 1 {
		name = fmt.Sprintf("%s, %d callers", name, r.workers)
	}
	b.printf("| %s | %s | %d | %.2f | %.2f | %.2f |", name, cmp.Or(r.unit, "ms"), len(ours), at(ours, 0), at(ours, 0.5),
		at(ours, 0.99))
	if len(bare) == 0 {
		b.printf(" | | |\n")
		return
	}
	b.printf(" %s | %.2f | %.2f |\n", r.floor.name, at(bare, 0.5), at(ours, 0.5)/at(bare, 0.5))
}

// printf writes to the report and to standard output.
func (b *bench) printf(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	b.report.WriteString(text)
	fmt.Print(text)
}

// concurrently lets several callers do the same work, each several times.
func concurrently(workers, each int, next *atomic.Int64, work operation) ([]float64, error) {
	taken := make([][]float64, workers)
	var group errgroup.Group
	for w := range workers {
		group.Go(func() error {
			for range each {
				value, err := work(int(next.Add(1)))
				if err != nil {
					return err
				}
				taken[w] = append(taken[w], value)
			}
			return nil
		})
	}
	err := group.Wait()
	return slices.Concat(taken...), err
}

// at returns a quantile.
func at(values []float64, quantile float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[int(quantile*float64(len(values)-1))]
}

// timed returns an operation that measures the milliseconds of work.
func timed(work func(i int) error) operation {
	return func(i int) (float64, error) {
		began := time.Now()
		err := work(i)
		return milliseconds(time.Since(began)), err
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// known returns an operation whose value is known already.
func known(value float64) operation { return func(int) (float64, error) { return value, nil } }

// inOrder returns an operation that adds the values of several.
func inOrder(operations ...operation) operation {
	return func(i int) (sum float64, err error) {
		for _, work := range operations {
			value, err := work(i)
			if err != nil {
				return 0, err
			}
			sum += value
		}
		return sum, nil
	}
}
