package main

import (
	"context"
	"fmt"
	"time"

	"nomograph/policies/learning"
	"nomograph/policies/learning/learningtest"
)

const (
	learnedActs = 20_000
	seeds       = 100
	// A permutation test holds its level with any number of permutations, and finds slightly less with fewer than the product's 1,000.
	shortPermutations = 200
)

// learning measures the search for what failures have in common: its time for a large history, in how many seeds it finds
// a planted rule, and in how many it reports something where outcomes have no pattern. It needs no database.
func (b *bench) learning(ctx context.Context) error {
	began := time.Now()
	large, err := learning.Search(ctx, learningtest.Acts(1, learnedActs, 0.7, 0.1), learning.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "\n## Learning\n\n%d acts with %d facts and %d failures: %d conditions and their combinations were searched in %.1f s, with 1,000 permutations; %d findings.\n",
		large.Acts, learningtest.Facts, large.Failures, large.Facts, time.Since(began).Seconds(), len(large.Findings))
	found, others, reported := 0, 0, 0
	for seed := range uint64(seeds) {
		planted := learningtest.Acts(seed, 2000, 0.7, 0.1)
		out, err := learning.Search(ctx, planted, learning.Options{Permutations: shortPermutations})
		if err != nil {
			return err
		}
		for i, f := range out.Findings {
			if len(f.Conditions) == 1 && f.Conditions[0].Path == "action.params.hurried" {
				found++
			} else if i > 0 {
				others++
			}
		}
		learningtest.Shuffle(seed, planted)
		if out, err = learning.Search(ctx, planted, learning.Options{Permutations: shortPermutations}); err != nil {
			return err
		}
		if len(out.Findings) > 0 {
			reported++
		}
	}
	fmt.Fprintf(&b.report, "With 2,000 acts in sessions of five, a fact of a tenth of them and failures of 70 %% against 10 %%, it is found in %d of %d seeds, beside %d other findings. With outcomes shuffled within agents, %d of %d seeds report anything.\n",
		found, seeds, others, reported, seeds)
	few, err := learning.Search(ctx, learningtest.Acts(1, 210, 0.7, 0.1), learning.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "With %d acts and %d failures: %d findings", few.Acts, few.Failures, len(few.Findings))
	for _, d := range few.Detectable {
		if d.Rate == nil {
			fmt.Fprintf(&b.report, "; a fact of %.0f %% is never found", 100*d.Share)
			continue
		}
		fmt.Fprintf(&b.report, "; a fact of %.0f %% is found from %.0f %% failures on", 100*d.Share, 100**d.Rate)
	}
	fmt.Fprintln(&b.report, ".")
	return nil
}
