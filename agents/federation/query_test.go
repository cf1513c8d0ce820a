package federation

import "testing"

func TestFuse_DateWithAndWithoutFractions_IsOneDecision(t *testing.T) {
	one := func(date string) list {
		return list{Source{Agent: date}, []Decision{{ID: "abcd1234", Title: "Use PostgreSQL", Date: date}}}
	}
	fused := fuse([]list{one("2026-01-20T10:11:12Z"), one("2026-01-20T10:11:12.123456Z"),
		one("2026-01-20T11:11:12+01:00"), one("2026-01-20")})
	if len(fused) != 1 || len(fused[0].Sources) != 4 {
		t.Errorf("got %+v, want one decision of four sources", fused)
	}
	if fused = fuse([]list{one("2026-01-20"), one("2026-01-21")}); len(fused) != 2 {
		t.Errorf("got %+v, want two decisions", fused)
	}
}
