package federation

import "testing"

func TestFuse_OneDecisionWithAndWithoutFractions_IsOne(t *testing.T) {
	here := Decision{ID: "b71abea8", Title: "Use a queue", Date: "2026-11-22T14:00:07Z"}
	there, zoned := here, here
	there.Date, zoned.Date = "2026-11-22T14:00:07.318Z", "2026-11-22T15:00:07+01:00"
	fused := fuse([]list{{Source{Agent: ownName}, []Decision{here}}, {Source{Agent: "a"}, []Decision{there}},
		{Source{Agent: "b"}, []Decision{zoned}}})
	if len(fused) != 1 || len(fused[0].Sources) != 3 {
		t.Errorf("got %+v, want one decision of three sources", fused)
	}
	other := here
	other.Date = "2026-11-23T14:00:07Z"
	if fused := fuse([]list{{Source{Agent: ownName}, []Decision{here}},
		{Source{Agent: "a"}, []Decision{other}}}); len(fused) != 2 {
		t.Errorf("got %+v, want two decisions of different days", fused)
	}
}
