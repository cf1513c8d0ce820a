package decisions

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"nomograph/graph/graphtest"
)

func TestMentions_Identifiers_MatchWholeWords(t *testing.T) {
	naming := MentionsIn("As in eip 721 and EIP-20: see cstp://decision/abcd1234, v2, and the year 2024.")
	for id, want := range map[string]bool{"EIP-721": true, "EIP-72": false, "EIP-20": true, "EIP-2": false,
		"abcd1234": true, "abcd123": false, "v2": false, "2024": false, "year": false, "": false} {
		if got := naming.Names("", id); got != want {
			t.Errorf("%q: got named %v, want %v", id, got, want)
		}
	}
}

func TestMentions_IDsOfDigits_Match(t *testing.T) {
	naming := MentionsIn("As decided in 40718226 and deadbeef, not in 90718226x, on 2026.")
	for id, want := range map[string]bool{"40718226": true, "deadbeef": true, "90718226": false, "2026": false,
		"": false} {
		if got := naming.Names(id, ""); got != want {
			t.Errorf("%q: got named %v, want %v", id, got, want)
		}
	}
}

// TestMentions_RealRecords_LinksArePrecise compares automatic links with links in real records: nine in ten of the
// linked pairs were also linked by the records' authors.
func TestMentions_RealRecords_LinksArePrecise(t *testing.T) {
	const file = "../../shared/data/eips.jsonl"
	in, err := os.Open(file)
	if err != nil {
		t.Skipf("NOT TESTED: how precise automatic links are. %s is absent", file)
	}
	defer in.Close()
	type record struct {
		ID, Title, Description, Abstract string
		Links                            []struct{ Type, Target string }
	}
	var records []record
	linked, known, links := map[[2]string]string{}, map[string]bool{}, 0
	for scanner := bufio.NewScanner(in); scanner.Scan(); {
		var r record
		graphtest.OK(t, json.Unmarshal(scanner.Bytes(), &r))
		records, known[r.ID] = append(records, r), true
	}
	for _, r := range records {
		for _, link := range r.Links {
			if known[link.Target] && link.Target != r.ID {
				links++
				linked[[2]string{r.ID, link.Target}], linked[[2]string{link.Target, r.ID}] = link.Type, link.Type
			}
		}
	}
	named, right := 0, 0
	for _, r := range records {
		naming := MentionsIn(r.Title, r.Description, r.Abstract)
		for _, other := range records {
			if other.ID != r.ID && naming.Names("", other.ID) {
				named++
				if linked[[2]string{r.ID, other.ID}] != "" {
					right++
				}
			}
		}
	}
	precision, recall := float64(right)/float64(named), float64(right)/float64(links)
	t.Logf("of %d pairs that would be linked, %d are: precision %.3f; of %d links, recall %.3f", named, right,
		precision, links, recall)
	if precision < 0.9 || recall < 0.1 {
		t.Errorf("got precision %.3f and recall %.3f, want at least 0.9 and 0.1", precision, recall)
	}
}
