package caller_test

import (
	"testing"

	"nomograph/internal/caller"
)

func TestCaller_PermissionNotGiven_IsMissing(t *testing.T) {
	var nobody caller.Caller
	reader := caller.Caller{Name: "ada", Authenticated: true, Permissions: []caller.Permission{caller.Read}}
	admin := caller.Caller{Permissions: []caller.Permission{caller.Admin}}
	for _, p := range caller.Permissions {
		if nobody.May(p) || reader.May(p) != (p == caller.Read) || !admin.May(p) || !caller.Local("me").May(p) ||
			!caller.From(t.Context()).May(p) {
			t.Errorf("%s: nobody %v, reader %v, admin %v", p, nobody.May(p), reader.May(p), admin.May(p))
		}
	}
	if caller.From(caller.With(t.Context(), nobody)).May(caller.Read) {
		t.Error("got an unauthenticated caller as the process itself")
	}
}

func TestCaller_Projects_LimitVisibility(t *testing.T) {
	all, none := caller.Caller{}, caller.Caller{Projects: []string{}}
	some := caller.Caller{Name: "Ada", Projects: []string{"acme/shop"}}
	if !all.Sees("x") || none.Sees("x") || none.Sees("") || !some.Sees(" Acme/Shop ") || some.Sees("acme/other") ||
		some.Sees("") {
		t.Error("two limits are treated as one")
	}
	if !some.Is("ADA") || some.Is("bob") {
		t.Error("names with the same letters count as different")
	}
}
