package archive

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"
)

// encodeValue converts a property's value to the form of a file, which [read] converts back to exactly that value.
// Text, booleans, integers and lists are plain JSON; 1.0 keeps its point. Other types become an object with one
// member that names the type.
func encodeValue(value any) (any, error) {
	switch v := value.(type) {
	case string, bool, int64:
		return v, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return tagged("float", strconv.FormatFloat(v, 'g', -1, 64)), nil
		}
		return decimal(v), nil
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			var err error
			if out[i], err = encodeValue(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	case time.Time:
		zone := ""
		if name := v.Location().String(); name != unnamedZone {
			zone = "[" + name + "]"
		}
		return tagged("datetime", clock(v, "-01-02T15:04:05.999999999"+zoneOf(v))+zone), nil
	case dbtype.LocalDateTime:
		return tagged("localdatetime", clock(v.Time(), "-01-02T15:04:05.999999999")), nil
	case dbtype.Date:
		return tagged("date", clock(v.Time(), "-01-02")), nil
	case dbtype.Time:
		return tagged("time", v.Time().Format("15:04:05.999999999"+zoneOf(v.Time()))), nil
	case dbtype.LocalTime:
		return tagged("localtime", v.Time().Format("15:04:05.999999999")), nil
	case dbtype.Duration:
		return tagged("duration", []int64{v.Months, v.Days, v.Seconds, int64(v.Nanos)}), nil
	case dbtype.Point2D:
		return tagged("point", []any{v.SpatialRefId, decimal(v.X), decimal(v.Y)}), nil
	case dbtype.Point3D:
		return tagged("point", []any{v.SpatialRefId, decimal(v.X), decimal(v.Y), decimal(v.Z)}), nil
	case []byte:
		return tagged("bytes", v), nil
	case []float32:
		raw := make([]byte, 0, 4*len(v))
		for _, f := range v {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
		}
		return tagged("float32", raw), nil
	}
	return nil, fmt.Errorf("unsupported type %T", value)
}

func tagged(kind string, value any) map[string]any { return map[string]any{"$" + kind: value} }

// decimal formats a float with a point or an exponent, so that it is read as a float.
func decimal(v float64) json.Number {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return json.Number(text)
}

// unnamedZone is the driver's name for a zone without a name.
const unnamedZone = "Offset"

// zoneOf returns the layout of the time's offset. It includes seconds if the offset has any, because Neo4j supports
// them.
func zoneOf(t time.Time) string {
	if _, seconds := t.Zone(); seconds%60 != 0 {
		return "Z07:00:00"
	}
	return "Z07:00"
}

// clock formats a time of any year. Years in Neo4j go from -999,999,999 to 999,999,999.
func clock(t time.Time, layout string) string {
	year := fmt.Sprintf("%04d", t.Year())
	return year + t.Format(layout)
}

// decodeValue converts a value from the form of encodeValue. Numbers are json.Number.
func decodeValue(value any) (any, error) {
	switch v := value.(type) {
	case string, bool:
		return v, nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return v.Float64()
		}
		return v.Int64()
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			if _, nested := item.([]any); nested {
				return nil, errors.New("nested lists are not supported")
			}
			var err error
			if out[i], err = decodeValue(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		if len(v) == 1 {
			for kind, inner := range v {
				return readTagged(kind, inner)
			}
		}
		return nil, errors.New("a typed value needs exactly one type")
	}
	return nil, fmt.Errorf("%v is not a property value", value)
}

func readTagged(kind string, value any) (any, error) {
	text, ok := value.(string)
	list, _ := value.([]any)
	switch {
	case kind == "$duration" && len(list) == 4, kind == "$point" && (len(list) == 3 || len(list) == 4):
		return readNumbers(kind, list)
	case !ok:
		return nil, fmt.Errorf("%s %v", kind, value)
	}
	switch kind {
	case "$float":
		if v, err := strconv.ParseFloat(text, 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return v, err
		}
	case "$datetime":
		return readDatetime(text)
	case "$localdatetime":
		t, err := readClock(text, "-01-02T15:04:05")
		return dbtype.LocalDateTime(t), err
	case "$date":
		t, err := readClock(text, "-01-02")
		return dbtype.Date(t), err
	case "$time":
		t, err := parse("15:04:05", text)
		return dbtype.Time(t), err
	case "$localtime":
		t, err := time.Parse("15:04:05", text)
		return dbtype.LocalTime(t), err
	case "$bytes":
		return base64.StdEncoding.DecodeString(text)
	case "$float32":
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw)%4 != 0 {
			return nil, errors.New("$float32 must be base64 with four bytes per number")
		}
		out := make([]float32, len(raw)/4)
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s %q", kind, text)
}

func readNumbers(kind string, list []any) (any, error) {
	whole, floats := [4]int64{}, [4]float64{}
	for i, item := range list {
		number, err := decodeValue(item)
		if err != nil {
			return nil, err
		}
		whole[i], _ = number.(int64)
		floats[i], _ = number.(float64)
		if _, ok := number.(int64); ok != (kind == "$duration" || i == 0) {
			return nil, fmt.Errorf("%s %v", kind, list)
		}
	}
	switch {
	case kind == "$duration":
		return dbtype.Duration{Months: whole[0], Days: whole[1], Seconds: whole[2], Nanos: int(whole[3])}, nil
	case whole[0] < 0 || whole[0] > math.MaxUint32:
		return nil, fmt.Errorf("%s %v", kind, list)
	case len(list) == 3:
		return dbtype.Point2D{SpatialRefId: uint32(whole[0]), X: floats[1], Y: floats[2]}, nil
	}
	return dbtype.Point3D{SpatialRefId: uint32(whole[0]), X: floats[1], Y: floats[2], Z: floats[3]}, nil
}

// readDatetime parses "2026-11-21T10:00:00+01:00[Europe/Berlin]". The offset distinguishes equal hours when clocks
// are set back.
func readDatetime(text string) (time.Time, error) {
	text, zone, named := strings.Cut(text, "[")
	t, err := readClock(text, "-01-02T15:04:05")
	if err != nil || !named {
		return t, err
	}
	location, err := time.LoadLocation(strings.TrimSuffix(zone, "]"))
	if err != nil || location == time.Local {
		return t, fmt.Errorf("unknown time zone %q", strings.TrimSuffix(zone, "]"))
	}
	return t.In(location), nil
}

// readClock parses the format of clock.
func readClock(text, layout string) (time.Time, error) {
	const leap = "2000" // a leap year, so that every day of any year is valid
	end := strings.Index(strings.TrimPrefix(text, "-"), "-") + len(text) - len(strings.TrimPrefix(text, "-"))
	if end < 4 {
		return time.Time{}, fmt.Errorf("invalid date %q", text)
	}
	year, err := strconv.Atoi(text[:end])
	if err != nil || year < -999_999_999 || year > 999_999_999 {
		return time.Time{}, fmt.Errorf("invalid date %q", text)
	}
	t, err := parse("2006"+layout, leap+text[end:])
	if err != nil {
		return t, err
	}
	return time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), t.Location()), nil
}

// parse parses a time with an optional offset. Its zone gets the driver's name.
func parse(layout, text string) (time.Time, error) {
	for _, zone := range []string{"", "Z07:00", "Z07:00:00"} {
		if t, err := time.Parse(layout+zone, text); err == nil {
			_, seconds := t.Zone()
			return t.In(time.FixedZone(unnamedZone, seconds)), nil
		}
	}
	return time.Time{}, fmt.Errorf("invalid time %q", text)
}
