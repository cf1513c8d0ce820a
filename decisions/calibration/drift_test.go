package calibration

import (
	"slices"
	"testing"
)

func TestDrift_Windows_ReportsSignificantChange(t *testing.T) {
	// Ten decisions with confidence 0.8: the Brier score is 0.04 + 0.06 per failure.
	failed := func(n int) Cell { return merged(repeated(10-n, 0.8, "success"), repeated(n, 0.8, "failure")) }
	type alerts = []string
	for _, test := range []struct {
		name           string
		recent, before Cell
		rules          DriftRules
		want           alerts // type and severity
	}{
		{"the same", failed(2), failed(2), DriftRules{}, nil},
		{"better", failed(1), failed(4), DriftRules{}, nil},
		{"one more of ten", failed(4), failed(3), DriftRules{},
			// the Brier score rises from 0.22 to 0.28; accuracy falls from 0.7 to 0.6, by 14 %
			alerts{"brier_degradation", Warning}},
		{"two more of ten", failed(5), failed(3), DriftRules{},
			alerts{"brier_degradation", Error, "accuracy_drop", Error}},
		{"from few to some", failed(2), failed(0), DriftRules{},
			alerts{"brier_degradation", Error, "accuracy_drop", Warning}},
		{"a lower threshold", failed(4), failed(3), DriftRules{ThresholdAccuracy: 0.1},
			alerts{"brier_degradation", Warning, "accuracy_drop", Warning}},
		{"a higher one", failed(4), failed(3), DriftRules{ThresholdBrier: 0.3}, nil},
		{"from perfect", repeated(5, 0.6, "success"), repeated(5, 1, "success"), DriftRules{},
			alerts{"brier_degradation", Error}},
		{"from perfect by little", repeated(5, 0.9, "success"), repeated(5, 1, "success"), DriftRules{}, nil},
		{"0.01 to 0.04", repeated(5, 0.8, "success"), repeated(5, 0.9, "success"), DriftRules{},
			alerts{"brier_degradation", Error}},
		{"0.01 to 0.0361", repeated(5, 0.81, "success"), repeated(5, 0.9, "success"), DriftRules{}, nil},
		{"0.2 to 0.15", merged(repeated(3, 0.1, "success"), repeated(17, 0.1, "failure")),
			merged(repeated(4, 0.1, "success"), repeated(16, 0.1, "failure")),
			DriftRules{}, alerts{"accuracy_drop", Warning}},
	} {
		d := Drift(test.recent, test.before, test.rules)
		var got alerts
		for _, a := range d.Alerts {
			got = append(got, a.Type, a.Severity)
		}
		if !slices.Equal(got, test.want) || d.DriftDetected != (test.want != nil) || d.Note != "" ||
			len(d.Recommendations) != len(d.Alerts) {
			t.Errorf("%s: %v, want %v (%+v)", test.name, got, test.want, d)
		}
	}
	d := Drift(failed(5), failed(3), DriftRules{Category: "security"})
	if a := d.Alerts[0]; a.Category != "security" || a.RecentValue != 0.34 || a.HistoricalValue != 0.22 ||
		*a.ChangePct != 54.545455 ||
		a.Message != "The Brier score of security went from 0.220 to 0.340 (+55 %)." {
		t.Errorf(`got %+v, want Category=security, RecentValue=0.34, HistoricalValue=0.22, ChangePct=54.545455, Message="The Brier score of security went from 0.220 to 0.340 (+55 %%)."`, a)
	}
	if a := d.Alerts[1]; *a.ChangePct != -28.571429 || a.RecentValue != 0.5 {
		t.Errorf("got %+v, want ChangePct=-28.571429, RecentValue=0.5", a)
	}
	if a := Drift(repeated(5, 0.6, "success"), repeated(5, 1, "success"), DriftRules{}).Alerts[0]; a.ChangePct != nil {
		t.Errorf("%v %% of nothing", *a.ChangePct)
	}
}

func TestDrift_TooFewReviews_IsUnknown(t *testing.T) {
	d := Drift(repeated(4, 0.9, "failure"), repeated(9, 0.9, "success"), DriftRules{})
	if d.DriftDetected || d.Note == "" || d.Recent.Decisions != 4 || *d.Recent.BrierScore != 0.81 ||
		*d.Historical.Accuracy != 1 {
		t.Errorf("got %+v, want DriftDetected=false, a Note, Decisions=4, BrierScore=0.81, Accuracy=1", d)
	}
	if d := Drift(repeated(9, 0.9, "failure"), repeated(4, 0.9, "success"), DriftRules{}); d.DriftDetected ||
		d.Note == "" {
		t.Errorf("got %+v, want DriftDetected=false, a Note", d)
	}
	if d := Drift(repeated(4, 0.9, "failure"), repeated(9, 0.9, "success"),
		DriftRules{MinDecisions: 4}); len(d.Alerts) != 2 {
		t.Errorf("got %+v, want len(Alerts)=2", d)
	}
	if d := Drift(Cell{}, Cell{}, DriftRules{}); d.Recent.BrierScore != nil || d.Note == "" {
		t.Errorf("got %+v, want BrierScore=nil, a Note", d)
	}
}
