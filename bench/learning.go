package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nomograph/policies/inference"
	"nomograph/policies/labtest"
	"nomograph/policies/learning"
)

const (
	learnedActs = 20_000
	worlds      = 200
)

// learning measures the search for what failures have in common: its time for a large history, how often it reports something where no
// fact makes a difference, and how often it finds a planted fact. It also measures the coverage of intervals. It needs no database.
func (b *bench) learning(ctx context.Context) error {
	searched := func(w labtest.World, seed uint64) (learning.Result, error) {
		var cases []learning.Case
		for _, a := range w.Make(seed) {
			cases = append(cases, learning.Case{ID: a.ID, Agent: a.Agent, Month: a.Month, Session: a.Session, Failed: a.Failed, Facts: a.Facts})
		}
		return learning.Search(ctx, cases, learning.Options{Flips: 199})
	}
	planted := labtest.World{Acts: learnedActs, Sizes: [2]int{1, 9}, Correlation: 0.3, Shared: 0.7, Base: 0.1, Planted: 0.7}
	began := time.Now()
	large, err := searched(planted, 1)
	if err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "\n## Learning\n\n%d acts with %d failures: %d conditions and pairs of them were searched in %.1f s, with 199 assignments of signs; %d findings.\n",
		large.Acts, large.Failures, large.Facts, time.Since(began).Seconds(), len(large.Findings))
	fmt.Fprintf(&b.report, "\n| world without a pattern | searches that report something | 95 %% intervals of the failure rate that contain it |\n|---|--:|--:|\n")
	for _, name := range slices.Sorted(maps.Keys(labtest.Noise)) {
		w := labtest.Noise[name]
		reported, covered := 0, 0
		for seed := range uint64(worlds) {
			out, err := searched(w, seed)
			if err != nil {
				return err
			}
			if len(out.Findings) > 0 {
				reported++
			}
			var cases []inference.Case
			for _, a := range w.Make(seed) {
				cases = append(cases, inference.Case{Group: a.Session, Hit: a.Failed})
			}
			if s := inference.ShareOf(cases); s.Low <= w.Base && w.Base <= s.High {
				covered++
			}
		}
		fmt.Fprintf(&b.report, "| %s | %d of %d | %.0f %% |\n", name, reported, worlds, 100*float64(covered)/worlds)
	}
	for _, acts := range []int{300, 600} {
		planted.Acts, planted.Sizes, planted.Correlation, planted.Shared = acts, [2]int{5, 5}, 0.1, 0.5
		found := 0
		for seed := range uint64(worlds) {
			out, err := searched(planted, seed)
			if err != nil {
				return err
			}
			if len(out.Findings) > 0 && out.Findings[0].Conditions[0].Path == "action.params.hurried" {
				found++
			}
		}
		fmt.Fprintf(&b.report, "\nWith %d acts in sessions of five, a fact of a tenth of them and failures of 70 %% against 10 %%, it is found in %d of %d worlds.\n", acts, found, worlds)
	}
	return nil
}
