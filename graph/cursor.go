package graph

import (
	"encoding/base64"
	"encoding/json"
)

// Cursor is where a page ended, for the caller to hand back: the place as JSON in base64.
func Cursor(place any) string {
	raw, err := json.Marshal(place)
	if err != nil { // texts, times of ours and numbers that Neo4j had
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ReadCursor reads what Cursor wrote into place, or says that it is something else.
func ReadCursor(cursor string, place any) error {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, place)
}
