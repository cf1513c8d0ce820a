package pages

import (
	"testing"

	"nomograph/internal/caller"
)

func TestCountKey_CallersWithOtherRights_AreDistinct(t *testing.T) {
	seen := map[string]string{}
	for name, who := range map[string]caller.Caller{
		"all projects":       {Name: "ada"},
		"no project":         {Name: "ada", Projects: []string{}},
		"one project":        {Name: "ada", Projects: []string{"acme/shop"}},
		"another name":       {Name: "mia"},
		"a permission":       {Name: "ada", Permissions: []caller.Permission{caller.Announce}},
		"the user of a home": {Name: "ada", Trusted: true},
	} {
		key := countKey(who)
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s share the key %s", name, other, key)
		}
		seen[key] = name
	}
}
