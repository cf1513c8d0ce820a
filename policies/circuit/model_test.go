package circuit_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"nomograph/graph/graphtest"
	"nomograph/policies/circuit"
	"nomograph/tools/toolstest"
)

// event is a decision of a random history. Times are in minutes before now; Reviewed is set only with an outcome.
type event struct {
	ID             string
	Made, Reviewed int
	Outcome        string
	Stakes         string
}

// circuitModel is a reference implementation of a circuit breaker as a state machine over reviews.
type circuitModel struct {
	state    string
	run      []int // failures in minutes before now
	opened   int
	failures int
}

const (
	modelFailures = 3
	modelWindow   = 60 // minutes
	modelCooldown = 30
)

func (m *circuitModel) take(d event) {
	bad := d.Outcome == "failure" || d.Outcome == "abandoned"
	switch {
	case d.Outcome == "partial":
	case m.state == "closed" && bad:
		m.run = append(slices.DeleteFunc(m.run, func(at int) bool { return at > d.Reviewed+modelWindow }), d.Reviewed)
		if len(m.run) >= modelFailures {
			m.state, m.opened, m.failures = "open", d.Reviewed, modelFailures
		}
	case m.state == "closed":
		m.run = nil
	case d.Made > m.opened-modelCooldown: // made before the cooldown ended
	case bad:
		m.opened, m.failures = d.Reviewed, m.failures+1
	default:
		m.state, m.run, m.failures = "closed", nil, 0
	}
}

// now returns the current state, the number of failures, and the current probe.
func (m *circuitModel) now(all []event) (state string, failures int, probe string) {
	if m.state == "closed" {
		for _, at := range m.run {
			if at <= modelWindow {
				failures++
			}
		}
		return "closed", failures, ""
	}
	if m.opened < modelCooldown {
		return "open", m.failures, ""
	}
	first := -1
	for _, d := range all {
		if d.Outcome == "" && d.Made <= m.opened-modelCooldown && d.Made < modelCooldown && d.Made > first {
			first, probe = d.Made, d.ID
		}
	}
	return "half_open", m.failures, probe
}

// TestBreaker_RandomHistories_MatchModel compares the pattern with the model. All times are five minutes away from the
// minutes at which a window ends, so the duration of the test does not matter.
func TestBreaker_RandomHistories_MatchModel(t *testing.T) {
	g, env := toolstest.Open(t)
	breaker(t, g, "stakes:high")
	g.Exec(t, "MATCH (w:SYS_Threshold {name: 'w'}), (c:SYS_Threshold {name: 'c'}) SET w.value = 1, c.value = 0.5", nil)
	graphtest.Must(env.Circuit.Breakers(t.Context(), circuit.BreakersQuery{}))(t)
	reached := map[string]int{}
	play := func(rt *rapid.T) {
		// No two events have the same time.
		times := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for at := 5; at < 300 && yield(at); at += 10 {
			}
		})).Draw(rt, "times")
		var history []event
		for i := range rapid.IntRange(0, 12).Draw(rt, "decisions") {
			made, reviewed := times[2*i], times[2*i+1]
			d := event{ID: string(rune('a' + i)), Made: max(made, reviewed), Reviewed: min(made, reviewed),
				Outcome: rapid.SampledFrom([]string{"failure", "failure", "failure", "abandoned", "success", "partial",
					""}).Draw(rt, "outcome"),
				Stakes: rapid.SampledFrom([]string{"high", "high", "high", "high", "low"}).Draw(rt, "stakes")}
			if d.Outcome == "" || rapid.Bool().Draw(rt, "reviewed soon") {
				d.Made = d.Reviewed + 1
			}
			history = append(history, d)
		}
		reset, probeFirst := rapid.SampledFrom([]int{0, 0, times[24], times[25]}).Draw(rt, "reset"), rapid.Bool().
			Draw(rt, "probe first")

		model := circuitModel{state: "closed"}
		if reset > 0 && probeFirst {
			model = circuitModel{state: "open", opened: reset + modelCooldown}
		}
		inScope := slices.DeleteFunc(slices.Clone(history), func(d event) bool { return d.Stakes != "high" })
		slices.SortFunc(inScope, func(a, b event) int { return b.Reviewed - a.Reviewed })
		for _, d := range inScope {
			if d.Outcome != "" && (reset == 0 || d.Reviewed < reset) {
				model.take(d)
			}
		}
		state, failures, probe := model.now(inScope)

		rows := make([]any, len(history))
		for i, d := range history {
			rows[i] = map[string]any{"id": d.ID, "made": d.Made, "reviewed": d.Reviewed, "outcome": d.Outcome,
				"stakes": d.Stakes}
		}
		g.Exec(t, "MATCH (n) WHERE n:Decision OR n:CircuitReset DETACH DELETE n", nil)
		g.Exec(t, `WITH datetime.truncate('millisecond', datetime()) AS now
			FOREACH (at IN $resets | CREATE (:CircuitReset {uid: 'r', scope: 'stakes:high', at: now - duration({minutes: at}), probe_first: $probe_first}))
			WITH now UNWIND $rows AS row
			CREATE (d:Decision {uid: row.id, id: row.id, stakes: row.stakes, created_at: now - duration({minutes: row.made})})
			SET d.outcome = CASE row.outcome WHEN '' THEN null ELSE row.outcome END,
			    d.reviewed_at = CASE row.outcome WHEN '' THEN null ELSE now - duration({minutes: row.reviewed}) END`,
			map[string]any{"rows": rows, "resets": slices.DeleteFunc([]any{reset},
				func(at any) bool { return at == 0 }), "probe_first": probeFirst})
		got, err := env.Circuit.State(t.Context(), circuit.Query{Scope: "stop"})
		if err != nil || got.State != state || got.FailureCount != int64(failures) || got.ProbeID != probe {
			rt.Fatalf("got %s%v, want %s after %d failures, probe %q; reset %d, %+v", toolstest.Text(got), err, state,
				failures, probe, reset, history)
		}
		if state != "closed" && got.HalfOpenAt.Sub(*got.OpenedAt) != modelCooldown*time.Minute {
			rt.Fatalf("opened %v, half-open %v", got.OpenedAt, got.HalfOpenAt)
		}
		if probe != "" {
			state += " with a probe"
		}
		reached[state]++
	}
	// Few histories in a hundred reach the rarest state, so a round may reach none.
	for round := 0; round < 40 && len(reached) < 4; round++ {
		rapid.Check(t, play)
	}
	for _, state := range []string{"closed", "open", "half_open", "half_open with a probe"} {
		if reached[state] == 0 {
			t.Errorf("no history reaches %s: %v", state, reached)
		}
	}
	t.Log(reached)
}
