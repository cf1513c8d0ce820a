package graph

import (
	"encoding/base64"
	"encoding/json"
)

// Cursor encodes the end of a page: its position as JSON in base64.
func Cursor(place any) string {
	raw, err := json.Marshal(place)
	if err != nil { // cannot happen: strings, times and numbers from Neo4j
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ReadCursor decodes a cursor into place. It returns a validation_error.
func ReadCursor(cursor string, place any) error {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, place)
}
