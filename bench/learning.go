package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"nomograph/policies/labtest"
	"nomograph/policies/learning"
)

const (
	learnedActs = 20_000
	worlds      = 200
)

// learning measures the search for what failures have in common: its time for a large history, how often it reports
// something where no fact makes a difference, and how often it finds a planted fact.
func (*bench) learning(ctx context.Context) ([]row, error) {
	planted := labtest.World{Acts: learnedActs, Sizes: [2]int{1, 9}, Correlation: 0.3, Shared: 0.7, Base: 0.1,
		Planted: 0.7}
	rows := []row{{name: fmt.Sprintf("search of %d acts", learnedActs), times: 2,
		work: timed(func(int) error { _, err := findings(ctx, planted, 1); return err })}}
	for _, name := range slices.Sorted(maps.Keys(labtest.Noise)) {
		w := labtest.Noise[name]
		rows = append(rows, once("search reports something in a world without a pattern: "+name, "% of worlds",
			shareOfWorlds(func(seed uint64) (bool, error) {
				found, err := findings(ctx, w, seed)
				return len(found) > 0, err
			})))
	}
	for _, acts := range []int{300, 600} {
		w := planted
		w.Acts, w.Sizes, w.Correlation, w.Shared = acts, [2]int{5, 5}, 0.1, 0.5
		rows = append(rows, once(fmt.Sprintf("search finds the planted fact in %d acts", acts), "% of worlds",
			shareOfWorlds(func(seed uint64) (bool, error) {
				found, err := findings(ctx, w, seed)
				return len(found) > 0 && found[0].Conditions[0].Path == "action.params.hurried", err
			})))
	}
	return rows, nil
}

func findings(ctx context.Context, w labtest.World, seed uint64) ([]learning.Finding, error) {
	var cases []learning.Case
	for _, a := range w.Make(seed) {
		cases = append(cases, learning.Case(a))
	}
	out, err := learning.Search(ctx, cases, 199)
	return out.Findings, err
}

// shareOfWorlds returns an operation that counts the worlds for which something holds.
func shareOfWorlds(holds func(seed uint64) (bool, error)) operation {
	return func(int) (float64, error) {
		count := 0.0
		for seed := range uint64(worlds) {
			ok, err := holds(seed)
			if err != nil {
				return 0, err
			}
			if ok {
				count++
			}
		}
		return 100 * count / worlds, nil
	}
}
