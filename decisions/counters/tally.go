package counters

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nomograph/decisions/calibration"
	"nomograph/internal/lists"
)

// dayCells is the number of days with daily cells; windows reach back 90 days.
const dayCells = 92

// cellKey identifies a cell.
type cellKey struct{ scope, period string }

// storedCell is a cell as stored.
type storedCell struct {
	Scope, Period string
	Cell          map[string]any
}

func (k cellKey) compare(o cellKey) int {
	return cmp.Or(strings.Compare(k.scope, o.scope), strings.Compare(k.period, o.period))
}

// cellChange is a cell to be written, or a change of one.
type cellChange struct {
	scope scope
	calibration.Cell
}

// tally adds up contributions by cell.
type tally struct {
	oldest string // the first day that has cells
	cells  map[cellKey]*cellChange
	only   func(cellKey) bool // nil: all
}

// newTally returns an empty tally; today is a UTC day by the database's clock.
func newTally(today string) *tally {
	return &tally{oldest: oldestDay(today), cells: map[cellKey]*cellChange{}}
}

func oldestDay(today string) string {
	day, err := time.Parse(time.DateOnly, today)
	if err != nil { // cannot happen: Neo4j's own date format
		panic(err)
	}
	return day.AddDate(0, 0, -dayCells).Format(time.DateOnly)
}

// add counts a decision in all its cells, with the sign -1 to subtract it.
func (t *tally) add(c contribution, sign int64) {
	for kind, s := range c.scope().countedScopes() {
		if c.Theirs && s["agent"] == "" {
			continue
		}
		name := s.String()
		t.in(s, cellKey{name, allTime}, func(cell *calibration.Cell) { cell.Add(c.Sample, sign) })
		if kind == patternKind {
			continue
		}
		if c.RecordedOn >= t.oldest {
			t.in(s, cellKey{name, c.RecordedOn}, func(cell *calibration.Cell) { cell.AddRecorded(c.Sample, sign) })
		}
		if c.Outcome != "" && c.ReviewedOn >= t.oldest {
			t.in(s, cellKey{name, c.ReviewedOn}, func(cell *calibration.Cell) { cell.AddReviewed(c.Sample, sign) })
		}
	}
}

func (t *tally) in(s scope, k cellKey, count func(*calibration.Cell)) {
	if t.only != nil && !t.only(k) {
		return
	}
	cell := t.cells[k]
	if cell == nil {
		cell = &cellChange{scope: s}
		t.cells[k] = cell
	}
	count(&cell.Cell)
}

// keys returns the keys of non-empty cells, sorted, so that all processes lock in the same order.
func (t *tally) keys() []cellKey {
	keys := make([]cellKey, 0, len(t.cells))
	for k, cell := range t.cells {
		if !cell.Empty() {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, cellKey.compare)
	return keys
}

// rows returns a row for each key.
func rows(keys []cellKey, row func(cellKey) map[string]any) []any {
	return lists.Map(keys, func(k cellKey) any { return row(k) })
}

func (k cellKey) parameters() map[string]any {
	return map[string]any{"scope": k.scope, "period": k.period}
}

const (
	minConfirmingReviews = 2   // reviews that confirm a pattern
	minConfirmingMean    = 0.6 // mean outcome
)

// Confirms reports whether this number of outcomes with this mean confirms a pattern.
func Confirms(reviewed int64, mean float64) bool {
	return reviewed >= minConfirmingReviews && mean >= minConfirmingMean
}

// properties returns the properties of a cell besides its names.
func (c cellChange) properties() map[string]any {
	p := c.Properties()
	p["recorded"], p["reviewed"], p["confirmed"] = c.Recorded, c.Reviewed(), nil
	if mean, ok := c.MeanOutcome(); c.scope["pattern"] != "" && ok && Confirms(c.Reviewed(), mean) {
		p["confirmed"] = true
	}
	return p
}

// parameters returns the row of a cell for the statements that write cells.
func (t *tally) parameters(k cellKey) map[string]any {
	c := t.cells[k]
	return map[string]any{"scope": k.scope, "period": k.period, "names": c.scope.names(k.period),
		"sums": c.properties()}
}
