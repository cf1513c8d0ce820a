package views

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"nomograph/decisions/calibration"
	"nomograph/decisions/counters"
	"nomograph/internal/render"
)

// countersStats formats calibration statistics.
func countersStats(s counters.Stats) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d reviewed%s\n", render.Plural(s.TotalDecisions, "decision"), s.ReviewedDecisions,
		countersPeriod(s.Period))
	if o := s.Overall; o != nil {
		fmt.Fprintf(&b, "%s: Brier score %.3f, mean outcome %.2f (%.2f to %.2f), mean confidence %.2f, gap %+.2f\n",
			strings.ReplaceAll(o.Interpretation, "_", " "),
			o.BrierScore, o.Accuracy, o.AccuracyInterval.Low, o.AccuracyInterval.High, o.MeanConfidence,
			o.CalibrationGap)
		fmt.Fprintf(&b, "reliability %.3f, resolution %.3f, uncertainty %.3f\n", o.Reliability, o.Resolution,
			o.Uncertainty)
	}
	render.WriteNonEmpty(&b, "no score: %s\n", s.Note)
	table := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	if s.Overall != nil {
		fmt.Fprintln(table, "\nCONFIDENCE\tREVIEWED\tMEAN OUTCOME\tMEAN CONFIDENCE\tEXPECTED")
		for _, bucket := range s.ByConfidenceBucket {
			fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%.2f\n", bucket.Bucket, bucket.Decisions,
				countersNumberText(bucket.SuccessRate), countersNumberText(bucket.MeanConfidence), bucket.ExpectedRate)
		}
	}
	if len(s.Groups) > 0 {
		fmt.Fprintf(table, "\n%s\tDECISIONS\tREVIEWED\tBRIER\tMEAN OUTCOME\tGAP\n", strings.ToUpper(s.GroupBy))
		for _, g := range s.Groups {
			brier, outcome, gap := "-", "-", "-"
			if o := g.Overall; o != nil {
				brier, outcome, gap = countersNumberText(&o.BrierScore), countersNumberText(&o.Accuracy),
					fmt.Sprintf("%+.2f", o.CalibrationGap)
			}
			fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%s\n", g.Value, g.TotalDecisions, g.ReviewedDecisions, brier,
				outcome, gap)
		}
	}
	_ = table.Flush() // writing to a strings.Builder cannot fail
	countersAdvise(&b, s.Recommendations, s.Notes)
	return b.String()
}

// countersPeriod returns the period of a result, or "" for all time.
func countersPeriod(p counters.Period) string {
	if p.PeriodStart == "" {
		return ""
	}
	return ", " + p.PeriodStart + " to " + p.PeriodEnd
}

// countersRebuiltStats formats the result of rebuilding counters.
func countersRebuiltStats(r counters.RebuiltStats) string {
	text := fmt.Sprintf("%s, %s: ", render.Plural(r.Decisions, "decision"), render.Plural(r.Cells, "counter"))
	switch wrong := r.WrongCells + r.WrongDecisions; {
	case wrong == 0:
		return text + "all correct\n"
	case r.DryRun:
		return text + fmt.Sprintf("wrong: %s and %s; run without --dry-run to repair them\n",
			render.Plural(r.WrongCells, "counter"), render.Plural(r.WrongDecisions, "decision"))
	default:
		return text + fmt.Sprintf("repaired: %s and %s\n", render.Plural(r.WrongCells, "counter"),
			render.Plural(r.WrongDecisions, "decision"))
	}
}

func countersAdvise(b *strings.Builder, all []calibration.Recommendation, notes []string) {
	if len(all) > 0 {
		b.WriteByte('\n')
	}
	for _, r := range all {
		fmt.Fprintf(b, "%s: %s\n", r.Severity, r.Message)
	}
	addNotes(b, notes)
}

func countersNumberText(x *float64) string {
	if x == nil {
		return "-"
	}
	return strconv.FormatFloat(*x, 'f', 2, 64)
}
