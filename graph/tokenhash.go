package graph

import (
	"context"
	"encoding/json"
	"strings"

	"nomograph/cypher"
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// hashes matches strings in the form of a token's hash.
var hashes = pattern.New(`[0-9a-f]{64}`)

// hidden replaces the hash of a token. In an error, it replaces everything that may be a hash.
const hidden = "[not shown]"

// hideSecrets removes hashes of tokens from rows, however the query obtained them. It does not recognize modified
// hashes, such as cut ones; a hash reveals nothing about its secret. Rows without such a string cost nothing.
func (db *DB) hideSecrets(ctx context.Context, rows [][]any) error {
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	found := hashes.FindAllString(string(text), -1)
	if len(found) == 0 {
		return nil
	}
	known, err := All[struct{ Hash string }](ctx, db, cypher.TokenHashesAmong, Params{"texts": List(found)})
	if err != nil || len(known) == 0 {
		return err
	}
	replaced := make([]string, 0, 2*len(known))
	for _, k := range known {
		replaced = append(replaced, k.Hash, hidden)
	}
	replacer := strings.NewReplacer(replaced...)
	for i, row := range rows {
		before, err := json.Marshal(row)
		if err != nil {
			return err
		}
		after := replacer.Replace(string(before))
		if after == string(before) {
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(after))
		decoder.UseNumber()
		rows[i] = nil
		if err := decoder.Decode(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// withoutHashes removes possible hashes from the message of an error: the server quotes values that it cannot process.
func withoutHashes(err error) error {
	f := apperr.From(err)
	if f == nil || !hashes.MatchString(f.Message) {
		return err
	}
	masked := *f
	masked.Message = hashes.ReplaceAllString(f.Message, hidden)
	return &masked
}
