package pages

import (
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
)

// TestPendingCounts_Commit_DropsCount counts for two callers, before and after commits.
func TestPendingCounts_Commit_DropsCount(t *testing.T) {
	commits, ended := make(chan graph.CommitNotification, 1), 0
	c := &pendingCounts{watch: func(...string) (<-chan graph.CommitNotification,
		func()) {
		return commits, func() { ended++ }
	}}
	_, known, before := c.last("ada")
	if known {
		t.Error("a count is cached before the first request")
	}
	c.remember("ada", "2", before)
	if text, known, _ := c.last("ada"); text != "2" || !known {
		t.Errorf("got %q, %v after it was stored, want text=2, known=true", text, known)
	}
	if text, known, _ := c.last("mia"); known {
		t.Errorf("another caller sees %q", text)
	}
	commits <- graph.CommitNotification{}
	if _, known, _ := c.last("ada"); !known {
		t.Error("a poll without a commit drops the count")
	}
	_, _, before = c.last("mia")
	commits <- graph.CommitNotification{Moved: true}
	c.remember("mia", "1", before)
	for _, name := range []string{"ada", "mia"} {
		if text, known, _ := c.last(name); known {
			t.Errorf("%s still sees %q after a commit", name, text)
		}
	}
	c.idle.Reset(0)
	graphtest.Until(t, "the watch ends", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.commits == nil
	})
	if _, known, _ := c.last("ada"); known || ended != 1 || c.commits == nil {
		t.Errorf("after a pause: known %v, ended %d times, watched %v", known, ended, c.commits != nil)
	}
}

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
