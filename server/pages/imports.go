package pages

import (
	"slices"

	"nomograph/decisions"
	"nomograph/internal/apperr"
)

// imported is the data of the page that reviews imported decisions together.
type imported struct {
	*listing
	Bulk *bulkReview // preview or result of the posted form
}

// bulkReview is one review for several decisions.
type bulkReview struct {
	Outcome, Result, Lessons string
	Confidence               *float64 // nil leaves each decision's own
	Rows                     []bulkRow
	Applied                  bool
	Failed                   int
}

// Done returns the number of decisions that are, or will be, reviewed.
func (b bulkReview) Done() int { return len(b.Rows) - b.Failed }

// bulkRow is one decision of a bulk review.
type bulkRow struct {
	decisions.Summary
	Problem *apperr.Error // why it was not reviewed
}

// importPage is the number of decisions on a page, which is as many as one review covers.
const importPage = 100

func showImports(v *Visit) (any, error) {
	list, err := v.list(importsList)
	return imported{list, v.bulk}, err
}

// chosen reads the form. It returns permission_denied to callers who may not review, and a validation_error without a
// decision or an outcome.
func (v *Visit) chosen() (*bulkReview, error) {
	if !v.May("review_outcome") {
		return nil, apperr.New(apperr.PermissionDenied, "You may not review decisions").
			WithHint("Ask for a token with the permission review")
	}
	bulk := &bulkReview{Outcome: v.Form("outcome"), Result: v.Form("actual_result"), Lessons: v.Form("lessons")}
	all := v.Form("all") != ""
	if len(v.PostForm["decision"]) == 0 && !all {
		return nil, apperr.New(apperr.Validation, "No decisions are selected").WithHint("Select at least one decision")
	}
	if bulk.Outcome == "" {
		return nil, apperr.New(apperr.Validation, "The outcome is missing").
			WithHint("Choose success, partial, failure or abandoned")
	}
	if err := v.argument("update_decision", "confidence", v.Form("confidence"), &bulk.Confidence); err != nil {
		return nil, err
	}
	q, _ := importsList.argumentsOf(v)
	list, err := importsList.Read(v, importsList.Operation, q)
	if err != nil {
		return nil, err
	}
	chosen := v.PostForm["decision"]
	if all { // all decisions of the page
		chosen = list.Keys
	}
	for _, id := range chosen {
		row := bulkRow{}
		if i := slices.Index(list.Keys, id); i >= 0 {
			row.Summary, _ = list.Records[i].(decisions.Summary)
		} else if row.Summary, row.Problem = v.importOutside(id); row.Problem != nil {
			bulk.Failed++
		}
		bulk.Rows = append(bulk.Rows, row)
	}
	return bulk, nil
}

// importOutside reads a selected decision that is not on the page any more: reviews by others move the pages.
func (v *Visit) importOutside(id string) (decisions.Summary, *apperr.Error) {
	got, err := Call[decisions.Details](v, "get_decision", decisions.GetQuery{ID: id})
	if err != nil {
		return decisions.Summary{ID: id, Title: id}, apperr.From(err)
	}
	d := decisions.SummaryOf(got.Decision)
	switch {
	case d.Outcome != "" || d.Status == "reviewed":
		return d, apperr.New(apperr.Conflict, "The decision has a review now").WithHint("Open the decision")
	case d.ExternalID == "":
		return d, apperr.New(apperr.Conflict, "The decision was not imported").WithHint("Open the decision")
	}
	return d, nil
}

// previewImports shows what would be written. It writes nothing.
func previewImports(v *Visit) (string, error) {
	bulk, err := v.chosen()
	v.bulk = bulk
	return unchanged, err
}

// applyImports reviews each selected decision. The page shows which ones failed, and why; the others are reviewed. A
// later review of a decision supersedes this one.
func applyImports(v *Visit) (string, error) {
	bulk, err := v.chosen()
	if err != nil {
		return unchanged, err
	}
	for i := range bulk.Rows {
		row := &bulk.Rows[i]
		if row.Problem != nil {
			continue
		}
		var err error
		if bulk.Confidence != nil {
			_, err = Call[decisions.Updated](v, "update_decision",
				decisions.Update{ID: row.ID, Confidence: bulk.Confidence, Why: "reviewed with other imports"})
		}
		if err == nil {
			_, err = Call[decisions.Reviewed](v, "review_outcome",
				decisions.Outcome{ID: row.ID, Outcome: bulk.Outcome, ActualResult: bulk.Result, Lessons: bulk.Lessons})
		}
		if err != nil {
			row.Problem = apperr.From(err)
			bulk.Failed++
		}
	}
	bulk.Applied = true
	v.bulk = bulk
	return unchanged, nil
}
