package attribution_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/attribution"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// gitRepository creates a repository with commits, oldest first. Each has an age in days and a message, in which HASHn
// stands for the hash of the nth commit. It returns the hashes.
func gitRepository(t *testing.T, dir string, commits []struct {
	days    int
	message string
}) []string {
	t.Helper()
	run := func(at time.Time, arguments ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c",
			"init.defaultBranch=main"}, arguments...)...)
		cmd.Dir = dir
		day := at.Format(time.RFC3339)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+day, "GIT_AUTHOR_DATE="+day, "GIT_CONFIG_GLOBAL="+
			os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", arguments, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run(time.Now(), "init", "--quiet")
	run(time.Now(), "remote", "add", "origin", "git@example.org:acme/shop.git")
	hashes := make([]string, len(commits))
	for i, c := range commits {
		for n, hash := range hashes[:i] {
			c.message = strings.ReplaceAll(c.message, fmt.Sprintf("HASH%d.", n), hash+".")
		}
		run(time.Now().AddDate(0, 0, -c.days), "commit", "--quiet", "--allow-empty", "-m", c.message)
		hashes[i] = run(time.Now(), "rev-parse", "HEAD")
	}
	return hashes
}

func TestAttribution_PullRequests_ProposeOutcomes(t *testing.T) {
	g, dir := graphtest.New(t), t.TempDir()
	env := toolstest.AppWith(t, toolstest.Config(), tools.Options{Graph: g.DB, Workspace: dir})
	ctx := t.Context()
	hashes := gitRepository(t, dir, []struct {
		days    int
		message string
	}{
		{100, "Begin"},
		{60, "Merge pull request #1 from acme/stable\n\nStable"},
		{59, "Squashed (#2)"},
		{58, "Merge pull request #3 from acme/reverted"},
		{57, "Quoted (#4)"},
		{56, "Back again (#5)"},
		{55, "Revert \"Merge pull request #3 from acme/reverted\"\n\nThis reverts commit HASH3., reversing\nchanges made to it."},
		{54, "Revert \"Quoted (#4)\" (#40)\n\nReverts acme/shop#4"},
		{53, "Revert \"Back again (#5)\" (#50)\n\nThis reverts commit HASH5."},
		{52, "Revert \"Revert \"Back again (#5)\" (#50)\" (#51)\n\nThis reverts commit HASH8."},
		{51, "Fix rounding of #2 (#20)"},
		{50, "Directly on the branch"},
		{49, "Take it away\n\nReverts other/repo#1"},
		{3, "Young (#6)"},
	})
	names := map[string]string{}
	decide := func(name string, r decisions.Record) {
		t.Helper()
		r.Decision, r.Confidence = "Decision "+name, 0.8
		if r.Project == "" {
			r.Project = "acme/shop"
		}
		names[toolstest.Record(t, env, r).ID] = name
	}
	for pr := range int64(8) {
		if pr > 0 {
			decide(fmt.Sprint(pr), decisions.Record{Stakes: []string{"low", "critical"}[pr%2],
				ExtraFields: decisions.ExtraFields{PR: pr}})
		}
	}
	decide("commit", decisions.Record{ExtraFields: decisions.ExtraFields{Commit: hashes[11][:10]}})
	decide("no commit", decisions.Record{ExtraFields: decisions.ExtraFields{Commit: "HEAD"}})
	decide("commit reverted", decisions.Record{ExtraFields: decisions.ExtraFields{Commit: hashes[3]}})
	decide("elsewhere", decisions.Record{ExtraFields: decisions.ExtraFields{PR: 1, Project: "acme/other"}})
	decide("without", decisions.Record{})
	notify := func(a attribution.Attribution) string {
		words := []string{}
		for _, p := range a.Proposals {
			words = append(words, fmt.Sprintf("%s %s %.2f %d", names[p.ID], p.Outcome, p.Confidence, len(p.Evidence)))
		}
		for _, w := range a.Waiting {
			words = append(words, names[w.ID]+" waits")
		}
		return strings.Join(words, ", ")
	}
	const all = "1 success 0.70 1, 2 success 0.50 2, 3 failure 0.95 2, 4 failure 0.85 2, 5 success 0.70 1, commit success 0.70 1, commit reverted failure 0.95 2, 6 waits"
	got, err := env.Attribution.ProposeOutcomes(ctx, attribution.Query{})
	if err != nil || notify(got) != all || got.Project != "acme/shop" || got.Processed != 10 || got.NotFound != 2 ||
		got.Accepted != 0 || got.Commits != len(hashes) {
		t.Fatalf(`got %s, %+v, %v, want notify(got)=%v, Project="acme/shop", Processed=10, NotFound=2, Accepted=0, Commits=%v`, notify(got), got, err, all, len(hashes))
	}
	if until := time.Until(got.Waiting[0].Until); until < 10*24*time.Hour || until > 12*24*time.Hour {
		t.Errorf("it waits until %v", got.Waiting[0].Until)
	}
	if rows := g.Rows(t, "MATCH (r:Review) RETURN r.uid", nil); len(rows) != 0 {
		t.Errorf("a proposal changed %v", rows)
	}
	if got, err := env.Attribution.ProposeOutcomes(ctx, attribution.Query{StabilityDays: 2, Limit: 3}); err != nil ||
		len(got.Proposals) != 3 || len(got.Waiting) != 0 || len(got.Notes) != 1 {
		t.Errorf("got %+v, %v, want len(Proposals)=3, no Waiting, len(Notes)=1", got, err)
	}

	t.Run("policies decide which are accepted", func(t *testing.T) {
		g.Exec(t, `CREATE (:SYS_Policy {name: 'a-person-accepts', active: true, actions: ['outcome.accept'], applies_when: 'action.stakes >= high', requires: 'action.context.outcome == "failure"'})`, nil)
		one := ""
		for id, name := range names {
			if name == "2" {
				one = id
			}
		}
		got, err := env.Attribution.ProposeOutcomes(ctx,
			attribution.Query{Accept: true, IDs: []string{one}, Session: decisions.Session{By: "ada"}})
		if err != nil || got.Accepted != 1 || !got.Proposals[1].Accepted || got.Proposals[0].Accepted {
			t.Fatalf("got %+v, %v, want got.Accepted=1, got.Proposals[1].Accepted=true, got.Proposals[0].Accepted=false", got, err)
		}
		review := toolstest.Get(t, env, one)["reviews"].([]any)[0].(map[string]any)
		if notes := fmt.Sprint(review["notes"]); review["outcome"] != "success" || review["by"] != "ada" ||
			!strings.Contains(notes, "from the git history") || !strings.Contains(notes, got.Proposals[1].VerdictID) ||
			!strings.Contains(notes, "Squashed (#2)") {
			t.Errorf(`got %v, want outcome=success, by=ada, notes with "from the git history", notes with %q, notes with "Squashed (#2)"`, review, got.Proposals[1].VerdictID)
		}
		got, err = env.Attribution.ProposeOutcomes(ctx,
			attribution.Query{Accept: true, Session: decisions.Session{By: "ada"}})
		if err != nil || got.Accepted != 4 || got.Processed != 9 {
			t.Fatalf("got %+v, %v, want Accepted=4, Processed=9", got, err)
		}
		for _, p := range got.Proposals {
			denied := names[p.ID] == "1" || names[p.ID] == "5" // critical with the outcome success
			if p.Accepted == denied || denied != (len(p.DeniedBy) == 1 && p.DeniedBy[0] == "a-person-accepts") ||
				p.VerdictID == "" {
				t.Errorf("%s: got %+v, want Accepted other than %v, denied=%v, non-empty VerdictID", names[p.ID], p,
					denied, (len(p.DeniedBy) == 1 && p.DeniedBy[0] == "a-person-accepts"))
			}
		}
		if got, err := env.Attribution.ProposeOutcomes(ctx, attribution.Query{}); err != nil ||
			len(got.Proposals) != 2 {
			t.Errorf("got %+v, %v, want 2 proposals without the denied one", got, err)
		}
		before := toolstest.Count(t, g, "MATCH (v:Verdict {name: 'outcome.accept'}) RETURN count(v)")
		spent := caller.With(ctx, caller.Caller{Trusted: true,
			ChargeAgain: func() error { return apperr.New(apperr.RateLimited, "one call was left") }})
		_, err = env.Attribution.ProposeOutcomes(spent,
			attribution.Query{Accept: true, Session: decisions.Session{By: "ada"}})
		toolstest.ErrorWithCode(t, err, apperr.RateLimited)
		if n := toolstest.Count(t, g, "MATCH (v:Verdict {name: 'outcome.accept'}) RETURN count(v)"); n != before+1 {
			t.Errorf("got %d verdicts for the one call that was left, want 1", n-before)
		}
	})
	t.Run("unreadable repositories", func(t *testing.T) {
		outside, empty := t.TempDir(), filepath.Join(dir, "empty")
		gitRepository(t, outside, nil)
		graphtest.OK(t, os.Symlink(outside, filepath.Join(dir, "way-out")))
		graphtest.OK(t, os.Mkdir(empty, 0o700))
		gitRepository(t, empty, nil)
		for name, q := range map[string]attribution.Query{"outside": {Path: outside},
			"over a link": {Path: filepath.Join(dir, "way-out")}, "nowhere": {Path: filepath.Join(dir, "nowhere")},
			"no commit": {Path: empty}, "a time": {Since: "last summer"}} {
			if _, err := env.Attribution.ProposeOutcomes(ctx, q); !apperr.Is(err, apperr.Validation) {
				t.Errorf("%s is answered with %v", name, err)
			}
		}
		elsewhere := toolstest.AppWith(t, toolstest.Config(), tools.Options{Graph: g.DB, Workspace: t.TempDir()})
		if _, err := elsewhere.Attribution.ProposeOutcomes(ctx, attribution.Query{}); !apperr.Is(err,
			apperr.Validation) || !strings.Contains(err.Error(), "not a git repository") {
			t.Errorf("no repository: %v", err)
		}
		t.Setenv("PATH", t.TempDir())
		if _, err := env.Attribution.ProposeOutcomes(ctx, attribution.Query{}); !apperr.Is(err, apperr.Unavailable) ||
			!strings.Contains(err.Error(), "Install git") {
			t.Errorf("no git: %v", err)
		}
	})
}
