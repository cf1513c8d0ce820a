package graphtest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"nomograph/internal/apperr"
)

// Equal reports a value that is not as wanted. Words and values after it say which one.
func Equal[T any](t testing.TB, got, want T, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%sgot %+v, want %+v", prefix(about), got, want)
	}
}

// Len reports a list with another number of elements, and shows them.
func Len[T any](t testing.TB, list []T, want int, about ...any) {
	t.Helper()
	if len(list) != want {
		t.Errorf("%sgot %d, want %d: %+v", prefix(about), len(list), want, list)
	}
}

// Contains reports each part that a text does not contain.
func Contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("got %s\nwant a text that contains %q", text, part)
		}
	}
}

// Fails reports a call that did not fail with a code: Fails(store.Read(ctx))(t, apperr.NotFound).
func Fails[T any](value T, err error) func(t testing.TB, code apperr.Code, about ...any) {
	return func(t testing.TB, code apperr.Code, about ...any) {
		t.Helper()
		if !apperr.Is(err, code) {
			t.Errorf("%sgot %+v (%v), want error %s", prefix(about), value, err, code)
		}
	}
}

// HasCode reports an error that has not the code.
func HasCode(t testing.TB, err error, code apperr.Code, about ...any) {
	t.Helper()
	if !apperr.Is(err, code) {
		t.Errorf("%sgot %v, want error %s", prefix(about), err, code)
	}
}

func prefix(about []any) string {
	if len(about) == 0 {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintln(about...), "\n") + ": "
}

// Values reports values that are not as wanted: each is followed by the wanted one. A constant without a type is equal
// to the same value of any type of its kind.
func Values(t testing.TB, about any, pairs ...any) {
	t.Helper()
	var got, want []any
	equal := true
	for i := 0; i < len(pairs); i += 2 {
		got, want = append(got, pairs[i]), append(want, pairs[i+1])
		equal = equal && same(pairs[i], pairs[i+1])
	}
	if !equal {
		t.Errorf("%v: got %+v, want %+v", about, got, want)
	}
}

func same(got, want any) bool {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	switch want.(type) {
	case int:
		switch {
		case g.IsValid() && g.CanInt():
			return g.Int() == w.Int()
		case g.IsValid() && g.CanUint():
			return g.Uint() == uint64(w.Int())
		case g.IsValid() && g.CanFloat():
			return g.Float() == float64(w.Int())
		}
	case string:
		return g.Kind() == reflect.String && g.String() == w.String()
	}
	return reflect.DeepEqual(got, want)
}
