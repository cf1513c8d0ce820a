package policies_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
	"testing/quick"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies"
)

func TestVersion_IsHashOfCanonicalForm(t *testing.T) {
	isHash := func(t *testing.T, properties map[string]any, links []string, canonical string) {
		t.Helper()
		sum := sha256.Sum256([]byte(canonical))
		if got, want := policies.Version(properties, links), hex.EncodeToString(sum[:]); got != want {
			t.Errorf("got %s, want the hash of %s, %s", got, canonical, want)
		}
	}
	for _, row := range golden.Rows(t, "testdata/versions.txt") {
		t.Run(row[0], func(t *testing.T) {
			var properties graph.Parameters
			var links []string
			err := json.Unmarshal([]byte(row[1]), &properties)
			if len(row) > 3 {
				err = errors.Join(err, json.Unmarshal([]byte(row[3]), &links))
			}
			graphtest.OK(t, err)
			isHash(t, properties, links, row[2])
		})
	}
	isHash(t, map[string]any{"value": math.NaN()}, nil, `{"links":[],"properties":{"value":"NaN"}}`)
	day := dbtype.Date(time.Date(2026, 2, 25, 0, 0, 0, 0, time.UTC))
	isHash(t, map[string]any{"a": day}, nil, `{"links":[],"properties":{"a":{"$Date":"2026-02-25"}}}`)
}

func TestVersion_DifferentContent_Differs(t *testing.T) {
	value := func(v any) string { return policies.Version(map[string]any{"value": v}, nil) }
	day := time.Date(2026, 2, 25, 0, 0, 0, 0, time.UTC)
	pairs := map[string][2]string{
		"1 and 1.0":             {value(int64(1)), value(1.0)},
		"1 and the text 1":      {value(int64(1)), value("1")},
		"null and missing":      {value(nil), policies.Version(nil, nil)},
		"one and a list of one": {value("a"), value([]any{"a"})},
		"a list's order":        {value([]any{"a", "b"}), value([]any{"b", "a"})},
		"a date and its text":   {value(dbtype.Date(day)), value("2026-02-25")},
		"a date and a datetime": {value(dbtype.Date(day)), value(day)},
		"with and without links": {value("a"), policies.Version(map[string]any{"value": "a"},
			[]string{"USES_THRESHOLD b"})},
	}
	for name, pair := range pairs {
		if pair[0] == pair[1] {
			t.Errorf("%s have one version", name)
		}
	}
}

// TestVersion_OrderOfKeysAndLinks_ChangesNothing builds the same content in many orders.
func TestVersion_OrderOfKeysAndLinks_ChangesNothing(t *testing.T) {
	stable := func(texts map[string]string, numbers map[string]int64, floats map[string]float64, links []string) bool {
		forward, backward := map[string]any{}, map[string]any{}
		var keys []string
		put := func(into map[string]any, key string) {
			switch key[0] {
			case 't':
				into[key] = texts[key[1:]]
			case 'n':
				into[key] = numbers[key[1:]]
			case 'f':
				into[key] = floats[key[1:]]
			}
		}
		for key := range texts {
			keys = append(keys, "t"+key)
		}
		for key := range numbers {
			keys = append(keys, "n"+key)
		}
		for key := range floats {
			keys = append(keys, "f"+key)
		}
		reversed := make([]string, 0, len(links))
		for i := range keys {
			put(forward, keys[i])
			put(backward, keys[len(keys)-1-i])
		}
		for i := range links {
			reversed = append(reversed, links[len(links)-1-i])
		}
		before := reflect.ValueOf(forward).Len()
		same := policies.Version(forward, links) == policies.Version(backward, reversed)
		backward["uid"], backward["schema_version"] = "another", int64(9)
		same = same && policies.Version(forward, links) == policies.Version(backward, links)
		backward["extra"] = "x"
		return same && policies.Version(forward, links) != policies.Version(backward, links) && len(forward) == before
	}
	if err := quick.Check(stable, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

func TestVersion_SpatialAndTemporalValues_AreHashed(t *testing.T) {
	values := []any{dbtype.Point2D{SpatialRefId: 4326, X: 1, Y: 2}, dbtype.Point2D{SpatialRefId: 4326, X: 1, Y: 3},
		dbtype.Point3D{SpatialRefId: 4979, X: 1, Y: 2, Z: 3}, dbtype.Duration{Months: 1}, []byte{1, 2},
		[]any{dbtype.Point2D{}}, json.Number("1"), uint32(7)}
	seen := map[string]bool{}
	for _, value := range values {
		seen[policies.Version(map[string]any{"at": value}, nil)] = true
	}
	golden.Equal(t, "versions", len(seen), len(values))
}
