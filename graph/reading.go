package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher/readonly"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/pattern"
	"nomograph/internal/progress"
	"nomograph/internal/retry"
	"nomograph/internal/uid"
)

// ReadQuery is a caller's Cypher query, to be run read-only.
type ReadQuery struct {
	Query   string     `json:"query" jsonschema:"Cypher that only reads" rule:"minLength=1,maxLength=100000"`
	Params  Parameters `json:"params,omitempty" jsonschema:"values of $parameters"`
	Limit   int        `json:"limit,omitempty" jsonschema:"maximum number of rows" rule:"minimum=1,maximum=10000,default=500"`
	Timeout int        `json:"timeout_seconds,omitempty" jsonschema:"timeout in seconds" rule:"minimum=1,maximum=60,default=10"`
	Explain bool       `json:"explain,omitempty" jsonschema:"return the plan without running"`
	// InForce means that an administrator put the query into force as part of a rule, so it runs for every caller.
	// Other queries run only for callers who may query the whole graph.
	InForce bool `json:"-"`
	// Repeated means that callers repeat the query, so the server need not replan it when data grows.
	Repeated bool `json:"-"`
}

// QueryResult is the result of a query. Each row has one value per column, in the columns' order, in the form that
// docs/guides/cypher-queries.md describes.
type QueryResult struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"`
	RowCount  int      `json:"row_count"`
	Truncated bool     `json:"truncated"`
	Note      string   `json:"note,omitempty" jsonschema:"reason for missing rows"`
	TookMS    float64  `json:"took_ms"`
	Plan      *Plan    `json:"plan,omitempty"`
}

const (
	defaultRows    = 500
	maxResultBytes = 256 << 10 // size of all rows as JSON
	defaultTimeout = 10 * time.Second
	grace          = 2 * time.Second // time for the server to end a query after its limit
	maxCachedText  = 1000
)

// explained caches the queries that the server classified as reads. The class of a query never changes.
var explained, _ = lru.New[string, struct{}](maxCachedText) // the size is positive

// RunReadOnly runs a query from an untrusted caller, protected by three layers: the guard of package readonly, the
// server's own classification as a read, and a READ session with a timeout. The guard also keeps nodes with hashes of
// secrets from matching. Rows are cut at the limit and at 256 kB. It returns permission_denied for a caller
// who may not query the whole graph, query_refused with the word and its position, validation_error for missing or
// extra parameters, query_failed with Neo4j's message and position, and query_timeout with the state of the query.
func (db *DB) RunReadOnly(ctx context.Context, q ReadQuery) (QueryResult, error) {
	started := time.Now()
	if !q.InForce && !caller.From(ctx).QueriesAll() {
		return QueryResult{}, apperr.New(apperr.PermissionDenied,
			"The query reads the whole graph, which needs the permission query for all projects")
	}
	leave, err := db.enter(ctx)
	if err != nil {
		return QueryResult{}, err
	}
	defer leave()
	parsed, err := readonly.Parse(q.Query, q.Params)
	if err != nil {
		return QueryResult{}, refusalError(err)
	}
	if err := matchParameters(parsed.Parameters, q.Params); err != nil {
		return QueryResult{}, err
	}
	timeout := defaultTimeout
	if q.Timeout > 0 {
		timeout = time.Duration(q.Timeout) * time.Second
	}
	if deadline, ok := ctx.Deadline(); ok {
		timeout = max(min(timeout, time.Until(deadline)), time.Millisecond)
	}
	var answer QueryResult
	// The first attempt may meet a connection that died since its last use.
	err = db.onConnection(ctx, retry.Policy{Attempts: 2}, connectivity, func(c *connection) (err error) {
		r := queryRun{db: db, c: c, parsed: parsed, question: q, timeout: timeout, request: uid.Random()}
		answer, err = r.answer(ctx)
		return err
	})
	if err != nil {
		return QueryResult{}, err
	}
	answer.TookMS = progress.Milliseconds(started)
	return answer, nil
}

// CheckQuery runs only the guard, for queries that are stored and run later. It returns the parsed query.
func CheckQuery(query string, params Parameters) (readonly.Query, error) {
	parsed, err := readonly.Parse(query, params)
	return parsed, refusalError(err)
}

func refusalError(err error) error {
	var r *readonly.Refusal
	if !errors.As(err, &r) { // err may be nil
		return err
	}
	word := r.Word
	if word == "" {
		word = "The end of the query"
	}
	return apperr.Newf(apperr.QueryRefused, "%s at line %d, column %d %s", word, r.Line, r.Column, r.Reason).
		WithHint("%s", r.Instead).
		With("word", r.Word).With("line", r.Line).With("column", r.Column).With("offset", r.Offset)
}

// queryRun is one execution of RunReadOnly.
type queryRun struct {
	db       *DB
	c        *connection
	parsed   readonly.Query
	question ReadQuery
	timeout  time.Duration
	request  string
}

func (r queryRun) answer(ctx context.Context) (QueryResult, error) {
	onlyPlan := r.question.Explain || r.parsed.Explain
	if _, ok := explained.Get(r.parsed.Body); !ok || onlyPlan {
		plan, err := r.explain(ctx)
		if err != nil || onlyPlan {
			return QueryResult{Columns: []string{}, Rows: [][]any{}, Plan: plan}, err
		}
		explained.Add(r.parsed.Body, struct{}{})
	}
	text := r.parsed.Body
	if r.parsed.Profile {
		text = "PROFILE " + text
	}
	if r.question.Repeated {
		text = "CYPHER replan=skip " + text
	}
	leave, err := r.takeTurn(ctx)
	if err != nil {
		return QueryResult{}, err
	}
	defer leave()
	answer := QueryResult{Columns: []string{}, Rows: [][]any{}}
	err = r.run(ctx, text, func(ctx context.Context, result neo4j.ResultWithContext) error {
		return r.collect(ctx, result, &answer)
	})
	return answer, err
}

// explain asks the server for the type of the statement and refuses everything but reads.
func (r queryRun) explain(ctx context.Context) (plan *Plan, err error) {
	err = r.run(ctx, explainPrefix+r.parsed.Body, func(ctx context.Context, result neo4j.ResultWithContext) error {
		summary, err := result.Consume(ctx)
		if err != nil {
			return err
		}
		kind := summary.StatementType()
		// The server classifies every procedure of its DBMS group as a schema write. The guard allows one of them,
		// which returns the server's version.
		harmless := kind == neo4j.StatementTypeSchemaWrite && strings.Contains(r.parsed.Body, "dbms.components")
		if kind != neo4j.StatementTypeReadOnly && !harmless {
			return apperr.New(apperr.QueryRefused, "The query writes to the graph").
				WithHint("Use a query that only reads")
		}
		plan = planOf(summary)
		return nil
	})
	return plan, err
}

const explainPrefix = "EXPLAIN "

// run runs a query in an auto-commit READ transaction. It does not wait for a server that exceeds the time limit.
func (r queryRun) run(ctx context.Context, text string,
	use func(context.Context, neo4j.ResultWithContext) error) error {
	inTime, cancel := context.WithTimeout(ctx, r.timeout+grace)
	defer cancel()
	session := r.c.driver.NewSession(inTime, neo4j.SessionConfig{AccessMode: neo4j.AccessModeRead,
		DatabaseName:    r.c.server.Database,
		BookmarkManager: r.c.bookmarks, FetchSize: fetchSize})
	defer func() { _ = session.Close(inTime) }()
	about := metadata(ctx, "query of a caller", r.timeout)
	about["request"] = r.request
	result, err := session.Run(inTime, text, r.question.Params, neo4j.WithTxTimeout(r.timeout),
		neo4j.WithTxMetadata(about))
	if err == nil {
		err = use(inTime, result)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // the driver does not always report this cause
		return AsError(errors.Join(ctx.Err(), err))
	case inTime.Err() != nil, apperr.Is(AsError(err), apperr.QueryTimeout):
		_ = session.Close(inTime) // the server lists a transaction until its session releases it
		return r.overdue(ctx)
	case connectivity(err): // retried by the caller
		return err
	}
	return r.queryError(text, err)
}

// fetchSize is the number of rows that the server may send ahead, so that little is discarded when the result is cut.
const fetchSize = 100

func (r queryRun) collect(ctx context.Context, result neo4j.ResultWithContext, answer *QueryResult) error {
	columns, err := result.Keys()
	if err != nil {
		return err
	}
	answer.Columns = append(answer.Columns, columns...)
	limit := r.question.Limit
	if limit <= 0 {
		limit = defaultRows
	}
	size := 0
	for result.Next(ctx) {
		if len(answer.Rows) == limit {
			answer.cut("Only the first %d rows are here: narrow the query, or raise limit", limit)
			break
		}
		row := make([]any, len(columns))
		for i, value := range result.Record().Values {
			row[i] = cell(value)
		}
		encoded, err := json.Marshal(row)
		if err != nil {
			return err
		}
		if size += len(encoded); size > maxResultBytes {
			answer.cut("The answer would be larger than %d kB, so it ends here: ask for fewer columns or rows",
				maxResultBytes>>10)
			break
		}
		answer.Rows = append(answer.Rows, row)
		answer.RowCount++
	}
	for r.parsed.Profile && answer.Truncated && result.Next(ctx) { // the server profiles only fully read results
	}
	if err := result.Err(); err != nil {
		return err
	}
	if r.parsed.Profile {
		summary, err := result.Consume(ctx)
		if err != nil {
			return err
		}
		answer.Plan = planOf(summary)
	}
	return nil
}

func (a *QueryResult) cut(format string, args ...any) {
	a.Truncated, a.Note = true, fmt.Sprintf(format, args...)
}

var placeInMessage = pattern.New(`\s*\(line \d+, column \d+ \(offset: (\d+)\)\)`)

// queryError converts the server's error about a query to query_failed, with the position in the caller's text.
func (r queryRun) queryError(text string, err error) error {
	var server *neo4j.Neo4jError
	if !errors.As(err, &server) || !strings.HasPrefix(server.Code, "Neo.ClientError.Statement.") {
		if hasCode(err, "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
			"Neo.TransientError.General.TransactionMemoryLimit") {
			return apperr.New(apperr.QueryFailed, "The query exceeds the memory limit of one query").
				WithHint("Return less: aggregate, or UNWIND with LIMIT instead of collect()").Because(err)
		}
		// An error that we do not classify is about the query itself, so its message helps the author.
		if f := apperr.From(AsError(err)); server == nil || f.Code != apperr.Internal {
			return f
		}
	}
	message, _, _ := strings.Cut(server.Msg, "\n")
	f := apperr.New(apperr.QueryFailed, placeInMessage.ReplaceAllString(message, "")).
		WithHint("Correct the query; `get_schema` shows labels, types and properties").Because(err)
	if found := placeInMessage.FindStringSubmatch(server.Msg); found != nil {
		units, _ := strconv.Atoi(found[1]) // the pattern matches only digits
		inBody := bytesOf(text, units) - strings.Index(text, r.parsed.Body)
		line, column, offset := placeOf(r.question.Query, r.parsed.Place(max(inBody, 0)))
		f.Message = fmt.Sprintf("%s (line %d, column %d)", f.Message, line, column)
		f.With("line", line).With("column", column).With("offset", offset)
	}
	return f
}

// StatementError converts the server's error about a person's own statement to query_failed with the server's message.
func StatementError(err error) error {
	var server *neo4j.Neo4jError
	if errors.As(err, &server) && strings.HasPrefix(server.Code, "Neo.ClientError.") {
		return apperr.New(apperr.QueryFailed, server.Msg).WithHint("Correct the statement; nothing was changed").
			Because(err)
	}
	return err
}

// bytesOf converts Neo4j's offset in UTF-16 units to bytes.
func bytesOf(text string, units int) int {
	all := utf16.Encode([]rune(text))
	return len(string(utf16.Decode(all[:min(max(units, 0), len(all))])))
}

// placeOf converts an offset in bytes to a line and a column in characters, from 1. It returns an offset within the
// text.
func placeOf(text string, offset int) (line, column, within int) {
	before := text[:min(offset, len(text))]
	line = 1 + strings.Count(before, "\n")
	return line, 1 + utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]), len(before)
}
