package access_test

import (
	"testing"

	"nomograph/access"
)

func TestWhoIsNotSaidToMayDoSomethingMayNot(t *testing.T) {
	var nobody access.Caller
	reader := access.Caller{Name: "ada", Proven: true, Permissions: []access.Permission{access.Read}}
	admin := access.Caller{Permissions: []access.Permission{access.Admin}}
	for _, p := range access.Permissions {
		if nobody.May(p) || reader.May(p) != (p == access.Read) || !admin.May(p) || !access.Local("me").May(p) || !access.From(t.Context()).May(p) {
			t.Errorf("%s: nobody %v, reader %v, admin %v", p, nobody.May(p), reader.May(p), admin.May(p))
		}
	}
	if access.From(access.With(t.Context(), nobody)).May(access.Read) {
		t.Error("a caller of whom the door knows nothing is taken for the process itself")
	}
}

func TestProjectsLimitWhatIsSeen(t *testing.T) {
	all, none := access.Caller{}, access.Caller{Projects: []string{}}
	some := access.Caller{Name: "Ada", Projects: []string{"acme/shop"}}
	if !all.Sees("x") || all.Sight() != nil || none.Sees("x") || none.Sees("") || none.Sight() == nil || !some.Sees(" Acme/Shop ") || some.Sees("acme/other") || some.Sees("") {
		t.Error("a limit is taken for another one")
	}
	if !some.Is("ADA") || some.Is("bob") {
		t.Error("names are compared by more than their letters")
	}
}
