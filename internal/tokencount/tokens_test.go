package tokencount

import "testing"

import "nomograph/graph/graphtest"

func TestCount_Texts_MatchTheEncoding(t *testing.T) {
	for _, text := range []string{"", "don't 'tis THEY'LL", "a  b\n\n - c\u00a0\n", "x1y22z333 4444",
		`{"a":"b","c":[1,2.5],"é":"e\u0301"}`, "# Überschrift\n\n| a | b |\n|---|---|\n",
		"日本語とemoji🧑‍🚀🧑‍🚀end", "## Wisdom\n\n- tooling: 9 decisions, success rate 0.50\n  - confirmed: it's small\n\nLeft out to keep within 200 tokens: wisdom 3.\n",
		`{"agent_profile":{"agent":"a","total_decisions":123456},"ready_queue":[{"id":"10000000","reason":"review_outcome"}]}`} {
		graphtest.Equal(t, (words{}).tokens(text), Tokens(text), text, "tokens by its words")
	}
}
