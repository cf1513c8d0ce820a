package calibration

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

const forecasts = "../../../shared/data/forecasts/"

// reference holds the results of a Python script for a file of pairs.
type reference struct {
	File        string  `json:"file"`
	N           int64   `json:"n"`
	Brier       float64 `json:"brier"`
	BaseRate    float64 `json:"base_rate"`
	Mean        float64 `json:"mean_forecast"`
	Reliability float64 `json:"reliability10"`
	Resolution  float64 `json:"resolution10"`
	Uncertainty float64 `json:"uncertainty"`
	ECE         float64 `json:"ece10"`
	Skill       float64 `json:"skill_vs_base"`
	Bins        map[string]struct {
		N         int64   `json:"n"`
		MeanP     float64 `json:"mean_p"`
		Frequency float64 `json:"freq"`
	} `json:"bins"`
}

// TestForecasts_RealRecords_MatchIndependentResults compares the results for two real forecast records, of 1,889 and
// 1,401 games, with independently computed results.
func TestForecasts_RealRecords_MatchIndependentResults(t *testing.T) {
	var all []reference
	readForecasts(t, "538_reference.json", &all)
	for _, want := range all {
		t.Run(want.File, func(t *testing.T) {
			c := pairs(t, forecasts+"538_"+strings.TrimSuffix(want.File, ".csv")+"_pairs.csv")
			f := c.figures()
			if f.ReviewedDecisions != want.N || c.Recorded != want.N || c.Reviewed() != want.N {
				t.Fatalf("%d, %d recorded, %d reviewed, want %d", f.ReviewedDecisions, c.Recorded, c.Reviewed(), want.N)
			}
			skill := *f.Skill
			for _, figure := range []struct {
				name      string
				got, want float64
			}{
				{"brier", f.BrierScore, want.Brier}, {"accuracy", f.Accuracy, want.BaseRate},
				{"confidence", f.MeanConfidence, want.Mean},
				{"gap", f.CalibrationGap, want.BaseRate - want.Mean}, {"reliability", f.Reliability, want.Reliability},
				{"resolution", f.Resolution, want.Resolution}, {"uncertainty", f.Uncertainty, want.Uncertainty},
				{"ece", f.ECE, want.ECE}, {"skill", skill, want.Skill},
			} {
				sixDecimals(t, figure.name, figure.got, figure.want)
			}
			points := curve(&c)
			if len(points) != len(want.Bins) {
				t.Errorf("%d bins, want %d", len(points), len(want.Bins))
			}
			for _, at := range points {
				slot := int(math.Round(at.Low * Bins))
				bin := want.Bins[strconv.Itoa(slot)]
				if at.Decisions != bin.N {
					t.Errorf("bin %v: %d decisions, want %d", at.Low, at.Decisions, bin.N)
				}
				sixDecimals(t, "mean confidence of bin", ratio(c.BinConfidence[slot], at.Decisions*Micro), bin.MeanP)
				sixDecimals(t, "mean outcome of bin", ratio(c.BinOutcome[slot], at.Decisions*Micro), bin.Frequency)
			}
			// Overall reports the same values, rounded.
			o, note := Overall(c)
			if o == nil {
				t.Fatal(note)
			}
			sixDecimals(t, "brier_score", o.BrierScore, want.Brier)
			sixDecimals(t, "ece", o.ECE, want.ECE)
			sixDecimals(t, "skill", *o.Skill, want.Skill)
			if o.SmallSample || o.BrierInterval.Low >= o.BrierScore || o.BrierInterval.High <= o.BrierScore ||
				o.BrierInterval.High-o.BrierInterval.Low > 0.03 {
				t.Errorf("brier %v in %v", o.BrierScore, o.BrierInterval)
			}
		})
	}
}

// TestForecasts_PublishedExamples_Match compares small inputs with examples in the documentation of scikit-learn and
// torchmetrics.
func TestForecasts_PublishedExamples_Match(t *testing.T) {
	var all []struct {
		Name      string
		Y         []int
		P         []float64
		Published struct {
			Brier any
			L1    *float64
		}
		Computed float64 `json:"computed_brier"`
	}
	readForecasts(t, "published_examples.json", &all)
	published := 0
	for _, example := range all {
		var c Cell
		for i, p := range example.P {
			c.Add(Sample{Confidence: &p, ReviewedConfidence: &p, Outcome: []string{"failure", "success"}[example.Y[i]]},
				1)
		}
		f := c.figures()
		if math.Abs(f.BrierScore-example.Computed) > 1e-9 {
			t.Errorf("%s: brier %.10f, want %.10f", example.Name, f.BrierScore, example.Computed)
		}
		if brier, ok := example.Published.Brier.(float64); ok {
			published++
			if f.BrierScore != brier {
				t.Errorf("%s: brier %v, published is %v", example.Name, f.BrierScore, brier)
			}
		}
		// Ten bins group these five values like the two bins of the example.
		if l1 := example.Published.L1; l1 != nil {
			published++
			if math.Abs(f.ECE-*l1) > 1e-12 {
				t.Errorf("%s: expected calibration error %v, published is %v", example.Name, f.ECE, *l1)
			}
		}
	}
	if published < 5 {
		t.Errorf("only %d published values", published)
	}
}

// sixDecimals compares unrounded values with a tolerance: confidences rounded to millionths can change the last digit
// of a mean.
func sixDecimals(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.51e-6 {
		t.Errorf("%s %.8f, want %.6f", name, got, want)
	}
}

func readForecasts(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(forecasts + name)
	if err != nil {
		t.Skipf("NOT TESTED: whether figures are those of the literature. %s is absent", forecasts+name)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// pairs parses lines of date, forecast and outcome (0, 0.5 or 1).
func pairs(t *testing.T, name string) Cell {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var c Cell
	for _, line := range lines[1:] {
		p, err := strconv.ParseFloat(line[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		came, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		outcome := map[float64]string{0: "failure", 0.5: "partial", 1: "success"}[came]
		c.Add(Sample{Confidence: &p, ReviewedConfidence: &p, Outcome: outcome}, 1)
	}
	return c
}
