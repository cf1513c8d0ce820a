package reviewsample_test

import (
	"fmt"
	"math"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/reviewsample"
)

func TestDrawn_ManyIDs_SelectsAFixedTenth(t *testing.T) {
	const of = 20_000
	drawn := 0
	for i := range of {
		if reviewsample.Drawn(fmt.Sprintf("0198b6f2-1111-7000-8000-%012d", i)) {
			drawn++
		}
	}
	if share := float64(drawn) / of; math.Abs(share-reviewsample.Probability) > 5*math.Sqrt(reviewsample.Probability*(1-reviewsample.Probability)/of) {
		t.Errorf("got %v of the ids, want about %v", share, reviewsample.Probability)
	}
	first := []int{}
	for i := range 40 { // stored reviews say that these were drawn, so the draw must not change
		if reviewsample.Drawn(fmt.Sprintf("0198b6f2-1111-7000-8000-%012d", i)) {
			first = append(first, i)
		}
	}
	graphtest.Equal(t, first, []int{4, 6, 14, 21, 24})
}
