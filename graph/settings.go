package graph

import (
	"context"
	"fmt"

	"nomograph/cypher"
)

// requiredSettings prevent Cypher queries from reading files or the network, and limit queries. The managed engine
// has them from its first start. (SHOW SETTINGS does not show the IP blocklist.)
var requiredSettings = map[string]struct{ weak, why string }{
	"dbms.security.allow_csv_import_from_file_urls": {"true", "LOAD CSV can read files of the server"},
	"db.transaction.timeout":                        {"0s", "queries have no time limit"},
	"db.memory.transaction.max":                     {"0B", "queries have no memory limit"},
}

// UnsafeSettings lists settings of the server that are less strict than those of the managed engine. It returns
// permission_denied if the user may not read them.
func (db *DB) UnsafeSettings(ctx context.Context) ([]string, error) {
	rows, err := All[struct{ Name, Value string }](ctx, db, cypher.Settings, nil)
	if err != nil {
		return nil, err
	}
	var weak []string
	for _, row := range rows {
		if s, matters := requiredSettings[row.Name]; matters && row.Value == s.weak {
			weak = append(weak, fmt.Sprintf("%s is %q: %s", row.Name, row.Value, s.why))
		}
	}
	return weak, nil
}
