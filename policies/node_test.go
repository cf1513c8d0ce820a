package policies_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/graph/graphtest"
	"nomograph/policies"
)

func TestNodeJSON_PropertyNamedReading_IsKept(t *testing.T) {
	node := policies.Node{Properties: map[string]any{"name": "x", "reading": "of the meter", "own": int64(2)},
		Reading: policies.Reading{Source: "node", Version: "v"}}
	text, err := json.Marshal(node)
	if want := `{"name":"x","own":2,"reading":{"source":"node","version":"v","own":{"reading":"of the meter"}}}`; err != nil || string(text) != want {
		t.Errorf("got  %s %v\nwant %s", text, err, want)
	}
	var again policies.Node
	graphtest.OK(t, json.Unmarshal(text, &again))
	if diff := cmp.Diff(node, again); diff != "" {
		t.Error(diff)
	}
}
