package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"nomograph/internal/uid"
)

const bareReview = `MATCH (d:Decision {uid: $uid})
                    SET d.status = 'reviewed', d.outcome = 'success', d.reviewed_at = datetime(), d.updated_at = datetime()
                    CREATE (d)-[:HAS_REVIEW]->(r:Review) SET r = $review, r.at = datetime()`

// reviewing measures review_outcome against W, a bare write of a review, and then with 64 parallel reviewers.
func (g *loadedGraph) reviewing(ctx context.Context) error {
	ids, uids, err := g.fresh(ctx, max(*calls/2, 100)+2*callersAtOnce*reviewsOfEach)
	if err != nil {
		return err
	}
	next := 0
	one := func() int { next++; return next - 1 }
	write := &turn{name: "W, a bare write of a review", work: func(int) error { return g.bareReview(ctx, uids[one()]) }}
	review := &turn{name: "review_outcome over stdio", settle: func() error { return g.counted(ctx) }, work: func(i int) error {
		_, err := g.server.callForResult("review_outcome", g.outcome(ids[one()], i))
		return err
	}}
	var behind sample
	settle := review.settle
	review.settle = func() error { return behind.timed(settle) }
	number := max(*calls/8, 30)
	if err := inTurn(number, 10, []*turn{write, review}); err != nil {
		return err
	}
	g.table("Reviewing", number, write.taken.p50(), "W", []*turn{write, review})
	fmt.Fprintf(&g.report, "\nThe counters had a review %.0f ms after its answer (p50, slowest %.0f ms).\n", behind.p50(), behind.at(1))
	return g.reviewers(ctx, ids[next:], uids[next:])
}

const reviewsOfEach = 20

func (g *loadedGraph) outcome(id string, i int) map[string]any {
	return map[string]any{"id": id, "outcome": []string{"success", "partial", "failure", "abandoned"}[i%4], "lessons": "what was learned", "agent_id": "bench-reviewer"}
}

// fresh records decisions without a review.
func (g *loadedGraph) fresh(ctx context.Context, number int) (ids, uids []string, err error) {
	rows, err := rowsOnDriver(ctx, g.driver, `MATCH (d:Decision) WHERE d.status = 'pending' AND d.confidence IS NOT NULL RETURN d.id AS id, d.uid AS uid LIMIT $number`, map[string]any{"number": number})
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows {
		ids, uids = append(ids, row.Values[0].(string)), append(uids, row.Values[1].(string))
	}
	for i := len(ids); i < number; i++ {
		id, err := g.record(g.decision(fmt.Sprintf("to be reviewed %d", i), i))
		if err != nil {
			return nil, nil, err
		}
		ids, uids = append(ids, id), append(uids, "")
		rows, err := rowsOnDriver(ctx, g.driver, `MATCH (d:Decision {id: $id}) RETURN d.uid`, map[string]any{"id": id})
		if err != nil {
			return nil, nil, err
		}
		uids[i] = rows[0].Values[0].(string)
	}
	return ids, uids, nil
}

// reviewers lets 64 callers review in parallel until the counters include all reviews, after 64 callers that each write
// the same with a bare driver.
func (g *loadedGraph) reviewers(ctx context.Context, ids, uids []string) error {
	const number = callersAtOnce * reviewsOfEach
	if len(ids) < 2*number {
		return fmt.Errorf("%d decisions are left to be reviewed", len(ids))
	}
	atOnce := func(review func(i int) error) (time.Duration, error) {
		from := time.Now()
		_, err := together(callersAtOnce, func(caller int) (int, error) {
			for i := range reviewsOfEach {
				if err := review(caller*reviewsOfEach + i); err != nil {
					return i, err
				}
			}
			return reviewsOfEach, nil
		})
		return time.Since(from), err
	}
	if err := g.counted(ctx); err != nil {
		return err
	}
	bare, err := atOnce(func(i int) error { return g.bareReview(ctx, uids[number+i]) })
	if err != nil {
		return err
	}
	before, err := g.reviewed(ctx)
	if err != nil {
		return err
	}
	from := time.Now()
	answered, err := atOnce(func(i int) error {
		_, err := inProcess(ctx, g.app, "review_outcome", g.outcome(ids[i], i))
		return err
	})
	if err != nil {
		return err
	}
	if err := g.counted(ctx); err != nil {
		return err
	}
	counted := time.Since(from)
	after, err := g.reviewed(ctx)
	if err != nil {
		return err
	}
	rate := func(took time.Duration) float64 { return number / took.Seconds() }
	fmt.Fprintf(&g.report, "\n%d concurrent reviewers: %d reviews; %.0f a second answered, %.0f a second counted; the counters gained %d. As many who only write a review bare: %.0f a second, so %.2f and %.2f of it.\n",
		callersAtOnce, number, rate(answered), rate(counted), after-before, rate(bare), rate(answered)/rate(bare), rate(counted)/rate(bare))
	return nil
}

// bareReview writes only a review.
func (g *loadedGraph) bareReview(ctx context.Context, decision string) error {
	return runOnDriver(ctx, g.driver, bareReview, map[string]any{"uid": decision, "review": map[string]any{"uid": uid.New(), "schema_version": 1, "number": 1,
		"in_force": true, "outcome": "success", "by": "bench", "lessons": "what was learned"}})
}

// reviewed returns the number of reviewed decisions in the counters.
func (g *loadedGraph) reviewed(ctx context.Context) (int64, error) {
	answer, err := inProcess(ctx, g.app, "get_stats", map[string]any{})
	if err != nil {
		return 0, err
	}
	var stats struct {
		Outcomes map[string]int64
	}
	if err := json.Unmarshal(answer, &stats); err != nil {
		return 0, err
	}
	total := int64(0)
	for _, n := range stats.Outcomes {
		total += n
	}
	return total, nil
}
