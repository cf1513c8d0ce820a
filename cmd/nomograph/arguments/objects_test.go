package arguments

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var (
	text   = &jsonschema.Schema{Type: "string"}
	number = &jsonschema.Schema{Type: "number"}
	list   = &jsonschema.Schema{Type: "array", Items: text}
	reason = &jsonschema.Schema{Type: "object", PropertyOrder: []string{"type", "text", "strength"}, Required: []string{"type", "text"},
		Properties: map[string]*jsonschema.Schema{"type": text, "text": text, "strength": number}}
	bridge = &jsonschema.Schema{Type: "object", PropertyOrder: []string{"structure", "function", "tolerance"}, Required: []string{"structure", "function"},
		Properties: map[string]*jsonschema.Schema{"structure": text, "function": text, "tolerance": list}}
	filter   = &jsonschema.Schema{Type: "object", PropertyOrder: []string{"project"}, Properties: map[string]*jsonschema.Schema{"project": text}}
	anything = &jsonschema.Schema{Type: "object"}
)

func TestObjectsAreWrittenInShort(t *testing.T) {
	for _, c := range []struct {
		object *jsonschema.Schema
		text   string
		want   string
	}{
		{reason, "analysis: it scales: to 10,000", `{"text":"it scales: to 10,000","type":"analysis"}`},
		{reason, "type=analysis,text=a, b and x=1,strength=0.9", `{"strength":0.9,"text":"a, b and x=1","type":"analysis"}`},
		{reason, `{"type": "analysis", "text": "a", "strength": 1.0}`, `{"type":"analysis","text":"a","strength":1.0}`},
		{reason, "no colon", `"no colon"`},
		{reason, "type=", `{"type":""}`},
		{bridge, "structure=a table, wide,function=keeps rules,tolerance=color|size", `{"function":"keeps rules","structure":"a table, wide","tolerance":["color","size"]}`},
		{bridge, "a queue: to decouple", `{"function":"to decouple","structure":"a queue"}`},
		{anything, "latency_ms=12.5,churn=down,retries=3", `{"churn":"down","latency_ms":12.5,"retries":3}`},
		{filter, "project=acme/shop", `{"project":"acme/shop"}`},
		{filter, "projekt=acme/shop", `{"projekt":"acme/shop"}`}, // refused by its name
		{reason, "x=1: so it is", `{"text":"so it is","type":"x=1"}`},
		{anything, "a: b", `"a: b"`},
		{anything, "", `""`},
	} {
		got, err := json.Marshal(objectOf(c.object, c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n is %s (%v)\nnot %s", c.text, got, err, c.want)
		}
	}
}

func FuzzObjectsAreReadOrLeftAlone(f *testing.F) {
	for _, seed := range []string{"analysis: a", "type=a,text=b", `{"type": 1`, "text=,,=", "strength=1e999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, written string) {
		for _, object := range []*jsonschema.Schema{reason, bridge, anything} {
			if _, err := json.Marshal(objectOf(object, written)); err != nil {
				t.Errorf("%q: %v", written, err)
			}
		}
	})
}
