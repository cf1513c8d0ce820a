package shell_test

import (
	"slices"
	"testing"

	"nomograph/hooks/shell"
)

func TestParse_LinksInACycle_LeaveTheRestRead(t *testing.T) {
	for _, command := range []string{
		"ln -s b a; ln -s a b; echo x > a; rm -rf /",
		"ln -s b a; ln -s a b; cat a; rm -rf /",
		"ln -s b a; ln -s a b; tar xf x.tar -C a; cp x b; rm -rf /",
	} {
		e := shell.Parse(command, "/w")
		if !slices.Contains(e.DeletesOf, shell.System) || len(e.Unresolved) > 0 {
			t.Errorf("%q: deletes of %v, unresolved %v, want system and nothing unresolved", command, e.DeletesOf,
				e.Unresolved)
		}
	}
}

func TestParse_DownloadOfVariables_SendsAndReadsNoFile(t *testing.T) {
	e := shell.Parse("vercel env pull .env.local", "/w")
	if slices.Contains(e.ReadsOf, shell.Environment) || len(e.Flows) > 0 {
		t.Errorf("reads of %v, flows %v, want no environment file and no flow", e.ReadsOf, e.Flows)
	}
}
