package document

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// CheckKeySpelling refuses a key of an object that means one of names and is not spelled like it: encoding/json takes "Params" for
// "params", and another reader does not. What is no object has no keys.
func CheckKeySpelling(object []byte, names ...string) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil //nolint:nilerr // its reader says what is wrong with it
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		for _, name := range names {
			if key != name && strings.EqualFold(key, name) {
				return refused(Position{1, 1}, "the key %q must be written %q", shorten(key), name)
			}
		}
	}
	return nil
}
