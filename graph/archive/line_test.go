package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestLine_EveryLabel_HasAKind: a new label must declare how its nodes are identified.
func TestLine_EveryLabel_HasAKind(t *testing.T) {
	for _, label := range labels {
		if _, ok := kindOf([]string{label}); !ok && (!strings.HasSuffix(label, "Version") || label == "SYS_Version") {
			t.Errorf("%s has no kind, so its nodes are not exported; or leave it out on purpose", label)
		}
	}
	for _, k := range kinds {
		if !slices.Contains(labels, k.label) {
			t.Errorf("%s is not in the model", k.label)
		}
	}
	for name := range single {
		if !slices.Contains(types, name) {
			t.Errorf("%s is not in the model", name)
		}
	}
}

func TestLine_Values_RoundTrip(t *testing.T) {
	berlin := graphtest.Must(time.LoadLocation("Europe/Berlin"))(t)
	in := func(seconds int) *time.Location { return time.FixedZone(unnamedZone, seconds) }
	second := time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC).In(berlin) // the later of two times 02:30
	values := map[string]struct {
		value any
		form  string
	}{
		"whole":         {int64(1), `1`},
		"largest":       {int64(math.MaxInt64), `9223372036854775807`},
		"smallest":      {int64(math.MinInt64), `-9223372036854775808`},
		"float":         {1.0, `1.0`},
		"small float":   {5e-324, `5e-324`},
		"large float":   {math.MaxFloat64, `1.7976931348623157e+308`},
		"whole large":   {1e21, `1e+21`},
		"negative zero": {math.Copysign(0, -1), `-0.0`},
		"infinite":      {math.Inf(-1), `{"$float":"-Inf"}`},
		"text":          {"a\"\u2028 <b>\n\x00💡", ""},
		"like a tag":    {`{"$date": "2026-01-01"}`, ""},
		"bool":          {false, `false`},
		"empty list":    {[]any{}, `[]`},
		"list":          {[]any{int64(1), 2.0, "x"}, `[1,2.0,"x"]`},
		"list of dates": {[]any{dbtype.Date(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC))},
			`[{"$date":"2024-02-29"}]`},
		"moment": {time.Date(2026, 11, 21, 10, 0, 0, 1, in(0)),
			`{"$datetime":"2026-11-21T10:00:00.000000001Z"}`},
		"moment elsewhere": {time.Date(2026, 11, 21, 10, 0, 0, 120_000_000, in(-5400)),
			`{"$datetime":"2026-11-21T10:00:00.12-01:30"}`},
		"odd offset": {time.Date(1890, 1, 1, 0, 0, 0, 0, in(3208)),
			`{"$datetime":"1890-01-01T00:00:00+00:53:28"}`},
		"zone":     {second, `{"$datetime":"2026-10-25T02:30:00+01:00[Europe/Berlin]"}`},
		"zone UTC": {time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), `{"$datetime":"2026-01-01T00:00:00Z[UTC]"}`},
		"far":      {time.Date(123456, 2, 28, 0, 0, 0, 0, in(0)), `{"$datetime":"123456-02-28T00:00:00Z"}`},
		"long ago": {dbtype.Date(time.Date(-44, 3, 15, 0, 0, 0, 0, time.UTC)), `{"$date":"-044-03-15"}`},
		"local": {dbtype.LocalDateTime(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)),
			`{"$localdatetime":"2026-01-02T03:04:05.000000006"}`},
		"clock": {dbtype.Time(time.Date(0, 1, 1, 3, 4, 5, 0, in(3600))), `{"$time":"03:04:05+01:00"}`},
		"local clock": {dbtype.LocalTime(time.Date(0, 1, 1, 3, 4, 5, 60, time.UTC)),
			`{"$localtime":"03:04:05.00000006"}`},
		"duration":       {dbtype.Duration{Months: 14, Days: -3, Seconds: 5, Nanos: 7}, `{"$duration":[14,-3,5,7]}`},
		"point":          {dbtype.Point2D{SpatialRefId: 4326, X: 1, Y: 2.5}, `{"$point":[4326,1.0,2.5]}`},
		"point in space": {dbtype.Point3D{SpatialRefId: 9157, X: 1, Y: 2, Z: -3}, `{"$point":[9157,1.0,2.0,-3.0]}`},
		"bytes":          {[]byte{0, 255}, `{"$bytes":"AP8="}`},
		"vector":         {[]float32{0.1, -1}, `{"$float32":"zczMPQAAgL8="}`},
	}
	for name, c := range values {
		t.Run(name, func(t *testing.T) {
			form := graphtest.Must(encodeValue(c.value))(t)
			var raw bytes.Buffer
			encoder := json.NewEncoder(&raw)
			encoder.SetEscapeHTML(false)
			graphtest.OK(t, encoder.Encode(form))
			if got := strings.TrimSpace(raw.String()); c.form != "" && got != c.form {
				t.Errorf("is %s, not %s", got, c.form)
			}
			decoder := json.NewDecoder(&raw)
			decoder.UseNumber()
			var value any
			graphtest.OK(t, decoder.Decode(&value))
			back := graphtest.Must(decodeValue(value))(t)
			if got, want := fmt.Sprintf("%T %s", back, text(back)),
				fmt.Sprintf("%T %s", c.value, text(c.value)); got != want {
				t.Errorf("became %s, not %s", got, want)
			}
			if f, ok := c.value.(float64); ok && math.Signbit(f) != math.Signbit(back.(float64)) {
				t.Errorf("the sign of %v is lost", f)
			}
		})
	}
	form, _ := encodeValue(math.NaN())
	if back, err := decodeValue(form); err != nil || !math.IsNaN(back.(float64)) {
		t.Errorf("NaN became %v, %v", back, err)
	}
}

func TestLine_Invalid_IsRefused(t *testing.T) {
	for _, c := range golden.Cases(t, "testdata/invalid.txt") {
		if _, err := parseLine([]byte(c.Text)); err == nil || !strings.Contains(err.Error(), c.Name) {
			t.Errorf("%s: want %q, got %v", c.Text, c.Name, err)
		}
	}
}

// FuzzLine: every line is refused, or is the same after writing it again.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		`{"nomograph":"export","format":1,"at":"2026-11-21T10:00:00Z"}`,
		`{"node":{"key":"1","labels":["Decision"],"properties":{"uid":"1","x":1.0,"y":[1,2],"z":{"$datetime":"2026-10-25T02:30:00+01:00[Europe/Berlin]"}}}}`,
		`{"node":{"key":"1","labels":["Decision"],"properties":{"uid":"1","a":{"$date":"-044-03-15"},"b":{"$time":"03:04:05+01:00"},"c":{"$duration":[1,2,3,4]},"d":{"$point":[4326,1.0,2.0]}}}}`,
		`{"vectors":{"of":"1","properties":{"text":{"$float32":"zczMPQAAgL8="},"n":{"$float":"NaN"},"b":{"$bytes":"AP8="}}}}`,
		`{"relationship":{"type":"MADE","from":"1","to":"2","properties":{"w":{"$localdatetime":"2026-01-02T03:04:05.000000006"}}}}`,
		`{"end":{"nodes":1,"relationships":2,"sha256":"x"}}`,
	} {
		f.Add([]byte(seed))
	}
	write := func(t *testing.T, l line) []byte {
		var err error
		if properties := l.properties(); properties != nil {
			if *properties, err = encodeProperties(*properties); err != nil {
				t.Fatal(err)
			}
		}
		text := graphtest.Must(json.Marshal(l))(t)
		return text
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := parseLine(text)
		if err != nil {
			return
		}
		once := write(t, l)
		again, err := parseLine(once)
		if err != nil {
			t.Fatalf("%s became %s, which is refused: %v", text, once, err)
		}
		if twice := write(t, again); !bytes.Equal(once, twice) {
			t.Fatalf("%s became %s, then %s", text, once, twice)
		}
	})
}

func (l line) properties() *map[string]any {
	switch {
	case l.Node != nil:
		return &l.Node.Properties
	case l.Vectors != nil:
		return &l.Vectors.Properties
	case l.Relationship != nil:
		return &l.Relationship.Properties
	}
	return nil
}

func TestLine_DuplicateKey_IsRefused(t *testing.T) {
	for _, text := range []string{
		`{"node":{"key":"a","labels":["SYS_Policy"],"properties":{"active":true,"active":false}}}`,
		`{"relationship":{"type":"OWNS","from":"a","to":"b","to":"c","properties":{}}}`,
	} {
		if _, err := parseLine([]byte(text)); err == nil || !strings.Contains(err.Error(), "already exists") {
			t.Errorf(`%s: got %v, want an error, error with "already exists"`, text, err)
		}
	}
}

func TestLine_OtherSpelling_IsRefused(t *testing.T) {
	for _, text := range []string{
		`{"node":{"key":"a","labels":["SYS_Policy"],"properties":{}},"Node":{"key":"a","labels":["SYS_Policy"],"properties":{"active":false}}}`,
		`{"Node":{"key":"a","labels":["SYS_Policy"],"properties":{}}}`,
		`{"node":{"key":"a","labels":["SYS_Policy"],"properties":{"active":true},"propertie\u017f":{"active":false}}}`,
		`{"relationship":{"type":"OWNS","from":"a","to":"b","To":"c","properties":{}}}`,
	} {
		if _, err := parseLine([]byte(text)); err == nil || !strings.Contains(err.Error(), "must be written") {
			t.Errorf(`%s: got %v, want an error, error with "must be written"`, text, err)
		}
	}
	if _, err := parseLine([]byte(`{"node":{"key":"a","labels":["SYS_Policy"],"properties":{"Key":"a","Labels":1,"node":1,"Node":2}}}`)); err != nil {
		t.Error(err)
	}
}
