package main

import (
	"context"
	"fmt"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/internal/uid"
	"nomograph/policies/check"
	"nomograph/sessions"
	"nomograph/tools"
)

// createLimitedRules creates rules for two limited actions: one limit denies, the other only warns and therefore takes no
// lock.
const createLimitedRules = `UNWIND [['held', 'block'], ['told', 'warn']] AS r
	CREATE (:SYS_Policy {name: 'bench_' + r[0], active: true, severity: r[1], actions: ['bench.' + r[0]], limit_of: 'calls', limit_most: 1000000, limit_seconds: 10, forbids_pattern: $pattern})
	CREATE (:SYS_Policy {name: 'bench_known_' + r[0], active: true, severity: 'allow', requires: 'true', actions: ['bench.' + r[0]]})`

// limits measures reports and checks without a limit, with a limit that warns, and with a limit that denies, on their
// own engine. The floor is R100 + W: a bare read of 100 rules and their thresholds, and a bare small write.
func (b *bench) limits(ctx context.Context) error {
	return b.onOwnEngine(ctx, "limits", func(own *bench, driver neo4j.DriverWithContext, app *tools.App) error {
		for _, query := range []string{fillRules, createActionRule, createLimitedRules} {
			if err := runOnDriver(ctx, driver, query, map[string]any{"pattern": cypher.LimitState.Text()}); err != nil {
				return err
			}
		}
		names := make([]string, 100)
		for i := range names {
			names[i] = fmt.Sprintf("bench_bar_%d", i)
		}
		rules := &turn{name: "R100, a bare read of 100 rules and their thresholds", work: func(int) error {
			return runOnDriver(ctx, driver, bareRules, map[string]any{"names": names})
		}}
		write := &turn{name: "W, a bare small write", work: func(int) error {
			return runOnDriver(ctx, driver, bareWrite, map[string]any{"uid": uid.Random(), "text": actionCheck})
		}}
		checked := func(action, by string) error {
			v, err := app.Checks.Check(ctx, check.ActionCheck{Description: action, Name: action, By: by})
			if err == nil && !v.Allowed {
				err = fmt.Errorf("%s was denied: %+v", action, v)
			}
			return err
		}
		reported := func(action, by string) error {
			out, err := app.Sessions.Report(ctx, sessions.Report{Action: action, Caller: sessions.Caller{By: by + " " + action}})
			if err == nil && out.Decision != sessions.Approved {
				err = fmt.Errorf("%s was answered with %s: %s", action, out.Decision, out.Reason)
			}
			return err
		}
		turns := []*turn{rules, write}
		kinds := []struct{ action, name string }{{"bench.do", "without a limit"}, {"bench.told", "with a limit that warns"}, {"bench.held", "with a limit that holds"}}
		for _, k := range kinds {
			turns = append(turns,
				&turn{name: "check, " + k.name, work: func(int) error { return checked(k.action, "bench-check") }},
				&turn{name: "report, " + k.name, work: func(int) error { return reported(k.action, "bench-report") }})
		}
		number := max(*calls/4, 50)
		if err := inTurn(number, 50, turns); err != nil {
			return err
		}
		fmt.Fprint(&own.report, "\n## Limits\n")
		own.table("Reports and checks among 100 rules, in process", number, rules.taken.p50()+write.taken.p50(), "(R100 + W)", turns)
		fmt.Fprintf(&own.report, "\n| %d concurrent | a second | share of those without a limit |\n|---|---|---|\n", writers)
		var floor float64
		for _, k := range kinds {
			done, took, err := runParallel(writers, tracing, func() error { return reported(k.action, "bench-many") })
			if err != nil {
				return err
			}
			rate := float64(done) / took.Seconds()
			if floor == 0 {
				floor = rate
			}
			fmt.Fprintf(&own.report, "| reports of one agent, %s | %.0f | %.2f |\n", k.name, rate, rate/floor)
		}
		return nil
	})
}
