package graph

import (
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// decode decodes a row into the struct or map that row points to. It has no type parameter, because the compiler would
// make it for each of 190 types.
func decode(record *neo4j.Record, row any) error {
	if anything, ok := row.(*map[string]any); ok {
		*anything = record.AsMap()
		return nil
	}
	return Decode(record.AsMap(), row)
}

// Decode decodes the properties of a node into the struct that into points to. Times become UTC as in datetime(),
// because they may be sent back.
func Decode(properties map[string]any, into any) error {
	if set(reflect.ValueOf(into).Elem(), properties) {
		return nil
	}
	return convert(properties, into)
}

// convert is Decode for properties of any type.
func convert(properties map[string]any, into any) error {
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result:    into,
		MatchName: func(column, field string) bool { return column == field || snake(field) == column },
		DecodeHook: func(_, to reflect.Type, value any) (any, error) {
			if at, ok := value.(time.Time); ok && to == timeType {
				return UTC(at), nil
			}
			return value, nil
		},
	})
	if err != nil {
		return err
	}
	return decoder.Decode(properties)
}

var timeType = reflect.TypeFor[time.Time]()

// set sets a value that has the type of a field, or whose parts have, which is the case for almost every row: convert,
// which also converts types and says what does not fit, takes ten times as long. It reports whether it has set the
// whole value.
func set(to reflect.Value, value any) bool {
	from := reflect.ValueOf(value)
	switch {
	case !from.IsValid(): // null leaves a field as it is
		return true
	case to.Type() == timeType && from.Type() == timeType:
		to.Set(reflect.ValueOf(UTC(value.(time.Time))))
		return true
	case from.Type().AssignableTo(to.Type()):
		to.Set(from)
		return true
	case to.Kind() == reflect.Pointer:
		made := reflect.New(to.Type().Elem())
		if !set(made.Elem(), value) {
			return false
		}
		to.Set(made)
		return true
	}
	switch parts := value.(type) {
	case []any:
		if to.Kind() != reflect.Slice {
			return false
		}
		made := reflect.MakeSlice(to.Type(), len(parts), len(parts))
		for i, part := range parts {
			if !set(made.Index(i), part) {
				return false
			}
		}
		to.Set(made)
		return true
	case map[string]any:
		if to.Kind() != reflect.Struct {
			return false
		}
		for name, n := range columnsOf(to.Type()) {
			part, embedded := parts[name], strings.HasPrefix(name, squashed)
			if embedded { // its fields are properties of the same node
				part = parts
			}
			if !set(to.Field(n), part) {
				return false
			}
		}
		return true
	}
	return false
}

// columns caches the fields of row types by column name.
var columns sync.Map // reflect.Type: map[string]int

// squashed is the tag of an embedded struct, and the beginning of its name among the columns.
const squashed = ",squash"

func columnsOf(kind reflect.Type) map[string]int {
	if known, ok := columns.Load(kind); ok {
		return known.(map[string]int)
	}
	made := map[string]int{}
	for n := range kind.NumField() {
		field := kind.Field(n)
		name := field.Tag.Get("mapstructure")
		switch name {
		case "":
			name = snake(field.Name)
		case squashed:
			name += field.Name
		}
		if _, ok := made[name]; !ok && (field.IsExported() || strings.HasPrefix(name, squashed)) {
			made[name] = n
		}
	}
	columns.Store(kind, made)
	return made
}

// snake converts a field name to a column name: DecisionTable to decision_table, ID to id.
func snake(field string) string {
	out := make([]byte, 0, len(field)+4)
	for i := range len(field) {
		c := field[i]
		upper := c >= 'A' && c <= 'Z'
		if upper && i > 0 && (field[i-1] < 'A' || field[i-1] > 'Z') {
			out = append(out, '_')
		}
		if upper {
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return string(out)
}
