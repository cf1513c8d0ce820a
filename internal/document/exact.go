package document

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// CheckKeySpelling rejects a key that equals one of names except for case. encoding/json accepts "Params" for "params",
// but other parsers do not. Values other than objects have no keys.
func CheckKeySpelling(object []byte, names ...string) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil //nolint:nilerr // the parser reports invalid JSON
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
