package lab

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/reviewsample"
)

// of returns acts of sessions with this number of acts each; the first act of each session has the outcome failure or
// success.
func of(name string, sessions, failing, acts int) *trialSide {
	c := &trialSide{}
	for i := range sessions {
		for n := range acts {
			outcome := "success"
			if i < failing && n == 0 {
				outcome = "failure"
			}
			c.add(&act{record: record{Session: fmt.Sprint(name, i), Decision: "d", Allowed: true}}, outcome)
		}
	}
	return c
}

func TestShadowTrial_FailedSessions_DecideTheAnswer(t *testing.T) {
	passing := of("p", 200, 20, 3)
	for _, test := range []struct {
		sessions, failing int
		answer            string
	}{{2, 2, "open"}, {12, 10, "finds_failures"}, {300, 0, "finds_none"}, {10, 1, "open"}} {
		got := testShadowRule(of("v", test.sessions, test.failing, 2), passing)
		if got.Answer != test.answer || got.Sessions != test.sessions || got.Failed != test.failing ||
			got.OtherwiseFailed != 20 || got.Low > got.High {
			t.Errorf("%d of %d sessions fail: got %+v, want %s", test.failing, test.sessions, got, test.answer)
		}
	}
	if testShadowRule(&trialSide{}, passing) != nil {
		t.Error("a rule without reviewed acts has a trial")
	}
	large := of("v", 10, 0, 1)
	for range 100 { // further acts of a session, denied acts and acts without a record do not count as cases
		large.add(&act{record: record{Session: "v0", Decision: "d", Allowed: true}}, "failure")
		large.add(&act{record: record{Session: "forced", Decision: "d", OverriddenBy: "force"}}, "failure")
		large.add(&act{record: record{Session: "checked", Allowed: true}}, "failure")
	}
	got := testShadowRule(large, passing)
	graphtest.Values(t, "a session with 100 failed acts", got.Sessions, 10, got.Failed, 0, got.Answer, "open")
}

// TestShadowTrial_CheckedAfterEachReview_RarelyErrs: at most 5 % of rules without an effect are ever reported to
// find failures. Acts of a session fail together, and sessions differ in size.
func TestShadowTrial_CheckedAfterEachReview_RarelyErrs(t *testing.T) {
	const runs = 60
	rng, wrong := rand.New(rand.NewPCG(9, 9)), 0
	for range runs {
		violating, passing := &trialSide{}, &trialSide{}
		for i := range 300 {
			outcome, side := "success", passing
			if rng.Float64() < 0.25 { // at medium stakes, blocking them costs as much as their failures
				outcome = "failure"
			}
			if rng.Float64() < 0.3 {
				side = violating
			}
			for range 1 + rng.IntN(20) {
				side.add(&act{record: record{Session: fmt.Sprint(i), Decision: "d", Allowed: true}}, outcome)
			}
			if trial := testShadowRule(violating, passing); trial != nil && trial.Answer == "finds_failures" {
				wrong++
				break
			}
		}
	}
	if wrong > runs*5/100 {
		t.Errorf("%d of %d useless rules are said to find failures, want at most 5 %%", wrong, runs)
	}
}

// TestShadowTrial_SelectedReviews_GiveNoAnswer: people review failures and overlook successes. Only the acts drawn at
// random answer.
func TestShadowTrial_SelectedReviews_GiveNoAnswer(t *testing.T) {
	side, drawn := &trialSide{}, 0
	for i := range 2000 {
		a := &act{record: record{Session: fmt.Sprint(i), Decision: "d", DecisionUID: fmt.Sprint("uid ", i),
			Allowed: true, Stakes: "low"}}
		outcome := map[bool]string{true: "failure", false: "unreviewed"}[i%4 == 0]
		if reviewsample.Drawn(a.DecisionUID) {
			drawn++
		}
		side.add(a, outcome)
	}
	got := testShadowRule(side, &trialSide{})
	graphtest.Values(t, "an open question", got.Answer, "open", got.Drawn, false, got.Unreviewed, 1500)
	side = &trialSide{}
	for i := range 2000 {
		a := &act{record: record{Session: fmt.Sprint(i), Decision: "d", DecisionUID: fmt.Sprint("uid ", i),
			Allowed: true, Stakes: "low"}}
		outcome := map[bool]string{true: "failure", false: "unreviewed"}[i%4 == 0]
		if reviewsample.Drawn(a.DecisionUID) && outcome == "unreviewed" {
			outcome = "success"
		}
		side.add(a, outcome)
	}
	got = testShadowRule(side, &trialSide{})
	graphtest.Values(t, "an answer by", got.Answer, "finds_none", got.Drawn, true, got.Sessions, drawn)
}

func TestRetry_OnlyNumbersMoved_IsNoEvidence(t *testing.T) {
	for _, test := range []struct {
		before, after string
		numbers       bool
	}{
		{`{"confidence":0.4}`, `{"confidence":0.95}`, true},
		{`{"confidence":0.4,"context":{"files":30}}`, `{"confidence":0.9,"context":{"files":3}}`, true},
		{`{"confidence":0.4}`, `{"confidence":0.95,"context":{"ticket":"T-1"}}`, false},
		{`{}`, `{"confidence":0.95}`, false},
		{`{"stakes":"high","confidence":0.4}`, `{"stakes":"low","confidence":0.4}`, false},
		{`{"confidence":0.4}`, `{"confidence":0.4}`, false},
	} {
		var a act
		a.add(&record{UID: "1", Inputs: test.before})
		a.add(&record{UID: "2", Inputs: test.after, Allowed: true, Decision: "d", Outcome: "success"})
		want := map[bool]string{true: "unreviewed", false: "success"}[test.numbers]
		graphtest.Values(t, "numbers, retried, outcome", a.numbers, test.numbers, a.retried, true, a.outcome(), want)
	}
}

// TestActs_RepeatedCalls_AreActsOfTheirOwn: executions complete an act, and what was approved and done stays done.
func TestActs_RepeatedCalls_AreActsOfTheirOwn(t *testing.T) {
	run := func(records ...record) (acts []*act) {
		for i := range records {
			records[i].Session, records[i].ActionKey, records[i].UID = "s", "npm test", fmt.Sprint(i)
		}
		graphtest.OK(t, eachAct(t.Context(), &listed{records}, func(*record) {},
			func(a *act) { acts = append(acts, a) }))
		return acts
	}
	called := record{Allowed: true, Executed: true}
	if got := run(called, called, called, called, called); len(got) != 5 || got[0].group() != got[4].group() {
		t.Errorf("five executed calls are %d acts, want 5 of one session", len(got))
	}
	if got := run(record{Allowed: true}, record{Allowed: true}, record{Allowed: true, Decision: "d"}); len(got) != 1 ||
		got[0].Decision != "d" {
		t.Errorf("two checks and a recording are %d acts, want 1", len(got))
	}
	if got := run(record{OverriddenBy: "approval"}, record{}); len(got) != 1 || !got[0].done() ||
		got[0].overridden() != "approval" {
		t.Errorf("an approved act that is asked again: got %+v, want it done", got)
	}
	got := run(record{Executed: true})
	graphtest.Values(t, "an act executed despite its denial", got[0].outcome() == notDone, false, got[0].overridden(),
		"unknown")
}

// listed is a source of given verdicts.
type listed struct{ records []record }

func (l *listed) next(context.Context) (records []record, err error) {
	records, l.records = l.records, nil
	return records, nil
}

func TestRounded_Numbers_LoseOnlyFloatNoise(t *testing.T) {
	for number, want := range map[float64]float64{0.6000000000000001: 0.6, 0.1 + 0.2: 0.3, 1764171967123: 1764171967123,
		1764171967123.25: 1764171967123.25, 0.123456789012345: 0.123456789012345, -3: -3} {
		graphtest.Equal(t, dropBinaryDigits(number), want, number)
	}
}

// TestEstimate_SelectedReviews_CountsDrawnActs: a change denies 600 of 3,000 acts. A third of these and a tenth of the
// others fail, and people review each failure, but few successes. If all acts drawn at random are reviewed, the shares
// are those of all acts.
func TestEstimate_SelectedReviews_CountsDrawnActs(t *testing.T) {
	for _, reviewsDrawn := range []bool{false, true} {
		tally := tally{out: &Replay{}}
		tally.out.Blocked.Acts = 600
		for i := range 3_000 {
			a := &replayedAct{today: allows}
			a.record = record{Session: fmt.Sprint("s", i), Decision: fmt.Sprint("d", i),
				DecisionUID: fmt.Sprint("u", i),
				Allowed:     true, Outcome: "success"}
			failed := i%10 == 0
			if i%5 == 0 {
				a.flip, failed = blocked, i%15 == 0
			}
			if failed {
				a.Outcome = "failure"
			} else if i%20 != 1 && (!reviewsDrawn || !reviewsample.Drawn(a.DecisionUID)) {
				a.Outcome = ""
			}
			tally.countExecuted(a)
		}
		got := tally.estimate()
		if got.Precision.Drawn != reviewsDrawn || got.Recall.Drawn != reviewsDrawn {
			t.Fatalf("drawn acts are reviewed: %v, got %+v and %+v", reviewsDrawn, got.Precision, got.Recall)
		}
		holds := got.Precision.Low < 1.0/3 && 1.0/3 < got.Precision.High
		graphtest.Equal(t, holds, reviewsDrawn, "drawn acts are reviewed", "a precision", got.Precision,
			"1/3 only if they")
		if got.Unreviewed == 0 || got.PrecisionBounds.Low > 1.0/3 || got.PrecisionBounds.High < 1.0/3 {
			t.Errorf("got %d unreviewed acts with bounds %+v, want bounds around 1/3", got.Unreviewed,
				got.PrecisionBounds)
		}
	}
}
