package graph

import (
	"context"
	"encoding/json"
	"strings"

	"nomograph/cypher"
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
)

// hashes are texts that have the form of a token's hash.
var hashes = pattern.New(`[0-9a-f]{64}`)

// hidden stands for a token's hash, and in an error for whatever may be one.
const hidden = "[not shown]"

// hideSecrets takes out of rows the hashes by which secrets of tokens are known, however the query came to them. What it did with one
// before, such as cutting it, is not seen; of a secret nothing follows from that. Rows without a text of that form cost nothing.
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

// withoutHashes takes out of an error's message what may be such a hash: the server quotes values that it cannot read.
func withoutHashes(err error) error {
	f := apperr.From(err)
	if f == nil || !hashes.MatchString(f.Message) {
		return err
	}
	masked := *f
	masked.Message = hashes.ReplaceAllString(f.Message, hidden)
	return &masked
}
