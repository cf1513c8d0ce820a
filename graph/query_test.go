package graph_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

func TestRows_Decode_IntoStructs(t *testing.T) {
	g := graphtest.New(t)
	type row struct {
		ID            string
		TableID       string
		DecisionTable any
		Status        int
		Big           int64
		Ratio         float64
		Tags          []string
		Properties    map[string]any
		Inner         []struct{ Name, ElementID string }
		Other         string `mapstructure:"named_differently"`
		NotThere      string
	}
	got := graphtest.Must(graph.One[row](t.Context(), g,
		statement(`RETURN 'i' AS id, 't' AS table_id, null AS decision_table, 404 AS status, 9007199254740993 AS big, 0.5 AS ratio,
		['a', 'b'] AS tags, {a: 1, b: [true]} AS properties, [{name: 'n', element_id: 'e'}] AS inner, 'o' AS named_differently, 'x' AS surplus`), nil))(t)
	if want := "{i t <nil> 404 9007199254740993 0.5 [a b] map[a:1 b:[true]] [{n e}] o }"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	t.Run("no row gives the zero value", func(t *testing.T) {
		got, err := graph.One[struct{ A int }](t.Context(), g, statement("UNWIND [] AS a RETURN a"), nil)
		if err != nil || got.A != 0 {
			t.Errorf("got %v %v, want A=0", got, err)
		}
	})
	t.Run("many rows keep their order", func(t *testing.T) {
		rows, err := graph.All[struct{ I int }](t.Context(), g, statement("UNWIND range(1, 5000) AS i RETURN i"), nil)
		if err != nil || len(rows) != 5000 || rows[0].I != 1 || rows[4999].I != 5000 {
			t.Errorf("%d rows, %v", len(rows), err)
		}
	})
	t.Run("a column of another type does not panic", func(t *testing.T) {
		_, err := graph.All[struct{ I int }](t.Context(), g, statement("RETURN 'seven' AS i"), nil)
		wantError(t, err, apperr.Internal)
	})
	t.Run("parameters are values, not text", func(t *testing.T) {
		got, err := graph.One[struct{ A string }](t.Context(), g, statement("RETURN $a AS a"),
			graph.Params{"a": "'} RETURN 1 //"})
		if err != nil || got.A != "'} RETURN 1 //" {
			t.Errorf(`got %v %v, want A="'} RETURN 1 //"`, got, err)
		}
	})
}

func TestRead_WritingStatement_Fails(t *testing.T) {
	g := graphtest.New(t)
	_, err := graph.All[struct{}](t.Context(), g, statement("CREATE (:Sneaky)"), nil)
	wantError(t, err, apperr.PermissionDenied)
	golden.Equal(t, "nodes that the statement wrote", len(g.Rows(t, "MATCH (n:Sneaky) RETURN n", nil)), 0)
}

func TestTransaction_Fails_WritesNothing(t *testing.T) {
	g := graphtest.New(t)
	create := func(ctx context.Context, tx *graph.Tx) error { return tx.Run(ctx, writing("CREATE (:Part)"), nil) }
	mine := apperr.New(apperr.Conflict, "mine")
	tests := map[string]struct {
		work func(tx *graph.Tx) error
		code apperr.Code
		want int
	}{
		"two writes": {func(tx *graph.Tx) error {
			return errors.Join(create(t.Context(), tx), create(t.Context(), tx))
		}, "", 2},
		"a fault after a write": {func(tx *graph.Tx) error { return errors.Join(create(t.Context(), tx), mine) },
			apperr.Conflict, 0},
		"any error after a write": {func(tx *graph.Tx) error {
			return errors.Join(create(t.Context(), tx), errors.New("x"))
		}, apperr.Internal, 0},
		"a broken statement after": {func(tx *graph.Tx) error {
			return errors.Join(create(t.Context(), tx), tx.Run(t.Context(), writing("NONSENSE"), nil))
		}, apperr.Internal, 0},
		"what it wrote is read back": {func(tx *graph.Tx) error {
			if err := create(t.Context(), tx); err != nil {
				return err
			}
			row, err := graph.One[struct{ N int }](t.Context(), tx, statement("MATCH (p:Part) RETURN count(p) AS n"),
				nil)
			if err == nil && row.N != 1 {
				err = fmt.Errorf("%d parts", row.N)
			}
			return err
		}, "", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g.Exec(t, "MATCH (p:Part) DELETE p", nil)
			err := g.Write(t.Context(), tt.work)
			if tt.code != "" {
				wantError(t, err, tt.code)
			} else if err != nil {
				t.Error(err)
			}
			golden.Equal(t, "parts", len(g.Rows(t, "MATCH (p:Part) RETURN p", nil)), tt.want)
		})
	}
}

func TestTransaction_Deadline_IsQueryTimeout(t *testing.T) {
	g := graphtest.New(t)
	for name, run := range map[string]func(ctx context.Context) error{
		"a read": func(ctx context.Context) error { return slow(ctx, g.DB) },
		"a write": func(ctx context.Context) error {
			return g.Write(ctx, func(tx *graph.Tx) error { return tx.Run(ctx, writing(slowText), nil) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			began := time.Now()
			got := wantError(t, run(ctx), apperr.QueryTimeout)
			if took := time.Since(began); took > timeout || got.Hint == "" {
				t.Errorf("after %v: %s", took, got.Error())
			}
		})
	}
	t.Run("a canceled call is distinguished", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		wantError(t, slow(ctx, g.DB), apperr.Unavailable)
	})
	t.Run("the server stops working", func(t *testing.T) {
		ended(t, g, "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS 'reduce(sum' AND NOT currentQuery CONTAINS 'SHOW' RETURN currentQuery")
	})
	t.Run("the database stays usable", func(t *testing.T) {
		if _, err := graph.All[struct{}](t.Context(), g, statement("RETURN 1 AS one"), nil); err != nil {
			t.Error(err)
		}
	})
}

func TestStatements_Running_NameTheirOperation(t *testing.T) {
	g := graphtest.New(t)
	ctx, cancel := context.WithCancel(graph.Operation(t.Context(), "get_policy", "request-7"))
	done := make(chan struct{})
	go func() { defer close(done); _ = slow(ctx, g.DB) }()
	defer func() { cancel(); <-done }()
	for started := time.Now(); time.Since(started) < timeout; time.Sleep(20 * time.Millisecond) {
		rows := g.Rows(t, "SHOW TRANSACTIONS YIELD metaData WHERE metaData.app = 'nomograph' AND metaData.statement = 'test/statement' RETURN metaData", nil)
		if len(rows) > 0 {
			want := fmt.Sprintf("map[app:nomograph limit_ms:30000 operation:get_policy process:%d request:request-7 statement:test/statement]", os.Getpid())
			if got := fmt.Sprint(rows[0]["metaData"]); got != want || len(rows) != 1 {
				t.Errorf("got %v, want %s", rows, want)
			}
			return
		}
	}
	t.Error("no transaction of ours was seen")
}

func TestTransaction_OwnError_PassesUnchanged(t *testing.T) {
	mine := apperr.New(apperr.NotFound, "mine")
	if graph.AsError(nil) != nil || graph.AsError(fmt.Errorf("wrapped: %w", mine)) != error(mine) {
		t.Error("the error was changed")
	}
	broken := &neo4j.Neo4jError{Code: "Neo.DatabaseError.Transaction.TransactionStartFailed",
		Msg: "The database has encountered a critical error, and needs to be restarted."}
	golden.Contains(t, "the error", wantError(t, graph.AsError(broken), apperr.Unavailable).Error(), "full disk")
	got := wantError(t, graph.AsError(errors.New("dial tcp: secret detail")), apperr.Internal)
	if strings.Contains(got.Error(), "secret") || got.Unwrap() == nil {
		t.Errorf("%v, cause %v", got, got.Unwrap())
	}
}

// slowText takes far longer than any test.
const slowText = "UNWIND range(1, 1000000) AS i WITH reduce(sum = 0, j IN range(1, 10000) | sum + i * j) AS s RETURN max(s) AS s"

func slow(ctx context.Context, db *graph.DB) error {
	_, err := graph.All[struct{}](ctx, db, statement(slowText), nil)
	return err
}
