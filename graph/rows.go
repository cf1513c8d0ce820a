package graph

import (
	"reflect"
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
	into := reflect.ValueOf(row).Elem()
	if assign(record, into) {
		return nil
	}
	into.SetZero() // discard a partial result
	return Decode(record.AsMap(), row)
}

// Decode decodes the properties of a node into the struct that into points to. Times become UTC as in datetime(),
// because they may be sent back.
func Decode(properties map[string]any, into any) error {
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

// assign sets the fields whose columns have exactly their type, which is the case for almost every row; the general
// decoder, which copies maps entry by entry, costs a tenth of a bare read. It reports whether it decoded the whole row.
func assign(record *neo4j.Record, row reflect.Value) bool {
	if row.Kind() != reflect.Struct {
		return false
	}
	fields := columnsOf(row.Type())
	for i, column := range record.Keys {
		n, ok := fields[column]
		if !ok {
			return false
		}
		value, field := reflect.ValueOf(record.Values[i]), row.Field(n)
		if !value.IsValid() {
			continue
		}
		if !value.Type().AssignableTo(field.Type()) {
			return false
		}
		if field.Type() == timeType {
			value = reflect.ValueOf(UTC(value.Interface().(time.Time)))
		}
		field.Set(value)
	}
	return true
}

// columns caches the fields of row types by column name.
var columns sync.Map // reflect.Type: map[string]int

func columnsOf(kind reflect.Type) map[string]int {
	if known, ok := columns.Load(kind); ok {
		return known.(map[string]int)
	}
	made := map[string]int{}
	for n := range kind.NumField() {
		field := kind.Field(n)
		name := field.Tag.Get("mapstructure")
		if name == "" {
			name = snake(field.Name)
		}
		if _, ok := made[name]; !ok && field.IsExported() {
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
