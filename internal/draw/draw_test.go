package draw_test

import (
	"fmt"
	"math"
	"testing"

	"nomograph/internal/draw"
)

func TestDrawn_ManyIDs_IsATenthAndAlwaysTheSame(t *testing.T) {
	const of = 20_000
	drawn := 0
	for i := range of {
		id := fmt.Sprintf("0198b6f2-1111-7000-8000-%012d", i)
		if draw.Drawn(id) {
			drawn++
		}
		if draw.Drawn(id) != draw.Drawn(id) {
			t.Fatalf("%s is drawn differently each time", id)
		}
	}
	if share := float64(drawn) / of; math.Abs(share-draw.Probability) > 5*math.Sqrt(draw.Probability*(1-draw.Probability)/of) {
		t.Errorf("got %v of the ids, want about %v", share, draw.Probability)
	}
}
