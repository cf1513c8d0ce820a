package federation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/agents"
	"nomograph/agents/exchange"
	"nomograph/agents/federation"
	"nomograph/agents/peers"
	"nomograph/decisions"
	"nomograph/decisions/counters"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/server"
	"nomograph/server/cstp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// wire records all bytes to and from a server.
type wire struct {
	mu   sync.Mutex
	sent bytes.Buffer // bytes sent to the server
	said bytes.Buffer // bytes sent by the server
}

func (w *wire) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		w.mu.Lock()
		w.sent.Write(body)
		w.said.Write(answer.Body.Bytes())
		w.mu.Unlock()
		for name, values := range answer.Header() {
			out.Header()[name] = values
		}
		out.WriteHeader(answer.Code)
		_, _ = out.Write(answer.Body.Bytes())
	})
}

func (w *wire) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent.String() + w.said.String()
}

// node is a complete server: its own graph, operations and endpoint.
type node struct {
	*tools.App
	g     *graphtest.Graph
	wire  *wire
	url   string
	mu    sync.Mutex
	names map[string]string // callers by token
	file  string
}

func (n *node) authenticate(r *http.Request) (caller.Caller, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name := n.names[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if name == "" {
		return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The request has no token")
	}
	return caller.Caller{Name: name, Authenticated: true,
		Permissions: []caller.Permission{caller.Federate, caller.Announce}}, nil
}

func (n *node) write(t *testing.T, name, text string) {
	t.Helper()
	graphtest.OK(t, os.WriteFile(filepath.Join(filepath.Dir(n.file), name), []byte(text), 0o600))
}

func open(t *testing.T, g *graphtest.Graph, callers map[string]string) *node {
	t.Helper()
	n := &node{g: g, wire: &wire{}, names: callers, file: filepath.Join(t.TempDir(), "agents.yaml")}
	c := toolstest.Config()
	c.AgentsFile = n.file
	n.App = toolstest.AppWith(t, c, tools.Options{Graph: g.DB, Version: "test"})
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(), Authenticate: n.authenticate})
	cstp.New(n.App.Runner(), cstp.Options{Card: cstp.Card{Name: "node", Version: "test"}, Log: zerolog.Nop()}).Serve(s)
	h := httptest.NewServer(n.wire.record(s.Handler()))
	t.Cleanup(h.Close)
	n.url = h.URL
	return n
}

// answersOfSecurity and answersOfC are the results of third-party servers by method. They implement today's CSTP
// without intents.
var (
	answersOfSecurity = map[string]string{
		"cstp.queryDecisions":  `{"decisions":[{"id":"dec-1","title":"Use blue-green deployment for the migration of the database","category":"architecture","confidence":0.9,"stakes":"high","status":"reviewed","date":"2026-01-20","distance":0.99,"outcome":"success"},{"id":"dec-2","title":"Paint the office green","date":"2026-01-21","distance":0.01},{"id":"dec-2","title":"Paint the office green","date":"2026-01-21","distance":0.01}],"total":3,"query":"x","queryTimeMs":4,"agent":"security","retrievalMode":"semantic"}`,
		"cstp.checkGuardrails": `{"allowed":true,"violations":[],"warnings":[{"guardrailId":"freeze","name":"freeze","message":"A freeze begins on Friday","severity":"warn"}],"evaluated":4,"evaluatedAt":"2026-02-04T21:00:00Z","agent":"security"}`,
		"cstp.listGuardrails":  `{"guardrails":[{"id":"reviewed"},{"id":"freeze"}]}`,
	}
	answersOfC = map[string]string{
		"cstp.queryDecisions":  `{"decisions":[{"id":"dec-3","title":"Migrate the database by replication","date":"2026-01-22","distance":0.5}],"total":1,"query":"x","queryTimeMs":4,"agent":"c","retrievalMode":"semantic"}`,
		"cstp.checkGuardrails": `{"allowed":true,"violations":[],"warnings":[],"evaluated":0,"evaluatedAt":"2026-02-04T21:00:00Z","agent":"c"}`,
		"cstp.listGuardrails":  `{"guardrails":[]}`,
		"cstp.subscribe":       `{"subscribed":true}`,
	}
)

// other starts a third-party server.
func other(t *testing.T, w *wire, results map[string]string) string {
	h := httptest.NewServer(w.record(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&call)
		result := results[call.Method]
		if result == "" {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, call.ID)
			return
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)
	})))
	t.Cleanup(h.Close)
	return h.URL
}

const (
	tokenOfA = "token-of-a-not-real-0001"
	tokenOfB = "token-of-b-not-real-0001"
	// private is a word in all data that its owner does not share.
	private = "quokka"
)

// servers are two servers, each with its own Neo4j. The first also knows two third-party servers and one that does not
// answer.
type servers struct {
	a, b        *node
	security, c *wire
	shared      string // a decision of b
	ctx         context.Context
}

// TestFederation_FiveServers_WorkTogether runs its steps in order: each step uses the data of the step before.
func TestFederation_FiveServers_WorkTogether(t *testing.T) {
	s := openServers(t)
	t.Run("a query ranks the decisions of all servers and names their sources", s.ranksAndNamesSources)
	t.Run("a block anywhere blocks, and contradictions are shown", s.blocksAnywhere)
	t.Run("each server records an intent once and stores every vote", s.hearsIntentsOnce)
	t.Run("rules read the consensus", s.reachesConsensus)
	t.Run("decisions are pushed, and outcomes count once and as theirs", s.pushesDecisions)
	t.Run("a server that does not push is polled once an hour and counts once", s.pollsOthers)
	t.Run("a rotated token is read from its file", s.rotatesToken)
	t.Run("only shared data left a server", s.sharesNothingPrivate)
}

func openServers(t *testing.T) *servers {
	t.Helper()
	graphs := graphtest.Two(t)
	a, b := open(t, graphs[0], map[string]string{tokenOfB: "b"}), open(t, graphs[1], map[string]string{tokenOfA: "a"})
	security, c := &wire{}, &wire{}
	a.write(t, "token", tokenOfA)
	a.write(t, "agents.yaml", fmt.Sprintf(`
agents:
  - {name: b, url: %q, token_file: token}
  - {name: c, url: %q, token: %q}
  - {name: security, url: %q, token: "a-token-not-real-0002", poll_minutes: 60, poll_queries: [the migration of a database]}
  - {name: dead, url: "http://127.0.0.1:1", no_answer: warn}
defaults: {timeout_seconds: 60, retry_count: 0}
`, b.url, other(t, c, answersOfC), tokenOfA, other(t, security, answersOfSecurity)))
	b.write(t, "agents.yaml", fmt.Sprintf(`agents: [{name: a, url: %q, token: %q}]`, a.url, tokenOfB))
	ctx := caller.With(t.Context(), caller.Caller{Name: "ada", Trusted: true})

	record := func(n *node, text, visibility string) string {
		t.Helper()
		d := decisions.Record{Decision: text, Category: "architecture", Confidence: 0.8,
			ExtraFields: decisions.ExtraFields{Context: private, Project: "acme/" + private, Visibility: visibility}}
		d.By = "ada"
		out, err := n.Decisions.Record(t.Context(), d)
		if err != nil || !out.Success {
			t.Fatal(out, err)
		}
		return out.ID
	}
	shared := record(b, "Migrate the database by copying it", "shared")
	record(b, "Migrate the database of the "+private, "private")
	record(a, "Migrate the database of another "+private, "private")
	for _, n := range []*node{a, b} {
		toolstest.WaitForWorkers(t, n.g)
		n.g.Exec(t, "CALL db.awaitIndexes()", nil)
	}
	for _, n := range []*node{a, b} {
		n.g.Exec(t, `CREATE (:SYS_Policy {name: 'reviewed', active: true, severity: $severity, message: 'Production needs a review', applies_when: 'has(action.context.affectsProduction)',
			requires: 'has(action.context.reviewed)'})`, map[string]any{"severity": map[bool]string{true: "warn", false: "block"}[n == a]})
	}
	b.g.Exec(t, "CREATE (:SYS_Policy {name: 'no-security', active: true, severity: 'block', message: 'Ask the security team', applies_when: 'action.category == \"security\"', requires: 'false'})", nil)
	return &servers{a: a, b: b, security: security, c: c, shared: shared, ctx: ctx}
}

func (s *servers) ranksAndNamesSources(t *testing.T) {
	a, ctx := s.a, s.ctx
	found := graphtest.Must(a.Federation.Query(ctx, federation.Query{Query: "how to migrate the database", Own: true,
		Selection: peers.Selection{All: true}}))(t)
	from := map[string]string{}
	for _, d := range found.Decisions {
		from[d.Title] = d.Sources[0].Agent
	}
	if from["Migrate the database by copying it"] != "b" ||
		from["Use blue-green deployment for the migration of the database"] != "security" ||
		from["Migrate the database by replication"] != "c" || len(found.Decisions) != 5 {
		t.Errorf("got %+v, want Migrate the database by copying it=b, Use blue-green deployment for the migration of the database=security, Migrate the database by replication=c, len(Decisions)=5", found.Decisions)
	}
	if twice := found.Decisions[slices.IndexFunc(found.Decisions,
		func(d federation.Decision) bool { return d.ID == "dec-2" })]; len(twice.Sources) != 1 {
		t.Errorf("a server that repeats a decision counts twice: %+v", twice.Sources)
	}
	if last := found.Decisions[len(found.Decisions)-1].Title; last != "Paint the office green" { // whatever distance its source states
		t.Errorf("the last is %q", last)
	}
	if len(found.Agents) != 4 || found.Agents[3].Answered || !found.Agents[0].Answered || found.Agents[3].Error == "" {
		t.Errorf("got %+v, want len(Agents)=4, Answered=false, Answered=true, non-empty Error", found.Agents)
	}
	again, err := a.Federation.Query(ctx, federation.Query{Query: "how to migrate the database",
		Selection: peers.Selection{Agents: []string{"dead"}}})
	if err != nil || !strings.Contains(again.Agents[0].Error, "is skipped") ||
		toolstest.Count(t, a.g, "MATCH (p:Peer {name: 'dead'}) WHERE p.down_until > datetime() RETURN count(p)") != 1 {
		t.Errorf(`got %+v %v, want Error with "is skipped", toolstest.Count(t, a.g, "MATCH (p:Peer {name: 'dead'}) WHERE p.down_until > datetime() RETURN count(p)")=1`, again.Agents, err)
	}
}

func (s *servers) blocksAnywhere(t *testing.T) {
	a, ctx := s.a, s.ctx
	graphtest.Must(a.Peers.ReadCard(ctx, peers.CardQuery{Agent: "security"}))(t)
	checked, err := a.Federation.Check(ctx, federation.Check{Act: agents.Act{Description: "Deploy",
		Context: map[string]any{"affectsProduction": true}, By: "ada"}, Selection: peers.Selection{All: true}})
	if err != nil || checked.Allowed || len(checked.Violations) != 1 || checked.Violations[0].Agent != "b" ||
		checked.Violations[0].GuardrailID != "reviewed" {
		t.Fatalf("got %+v %v, want Allowed=false, len(Violations)=1, Agent=b, GuardrailID=reviewed", checked, err)
	}
	var about []string
	for _, c := range checked.Contradictions {
		about = append(about, c.GuardrailID+" "+c.Stricter.Agent+" "+c.Stricter.Says+" "+c.Laxer.Agent+" "+c.Laxer.Says)
	}
	if want := []string{"reviewed b block here warn", "reviewed b block security nothing"}; !slices.Equal(about, want) {
		t.Errorf("%v, want %v", about, want)
	}
	if len(checked.Warnings) != 3 || checked.Agents[3].CountsAs != "warn" ||
		!checked.Agents[3].Allowed { // the warnings of this server and of security, and the missing answer
		t.Errorf("got %+v %+v, want len(Warnings)=3, CountsAs=warn, Allowed=true", checked.Warnings, checked.Agents)
	}
	graphtest.Equal(t, toolstest.Count(t, a.g, "MATCH (w:PeerVerdict)-[:BESIDE]->(v:Verdict {uid: '"+
		checked.VerdictID+
		"'}) RETURN count(w)"), 4, "stored votes")

	fine, err := a.Federation.Check(ctx, federation.Check{Act: agents.Act{Description: "Read", By: "ada"},
		Selection: peers.Selection{Agents: []string{"b", "security"}}})
	if err != nil || !fine.Allowed || len(fine.Contradictions) != 0 {
		t.Errorf("got %+v %v, want Allowed=true, no Contradictions", fine, err)
	}
}

func (s *servers) hearsIntentsOnce(t *testing.T) {
	a, b, shared, ctx := s.a, s.b, s.shared, s.ctx
	announced := federation.Broadcast{Announcement: agents.Announcement{Intent: "Migrate the database",
		Category: "architecture", CorrelationID: "c-1", Facts: map[string]any{"note": private}, Project: "acme/" +
			private, By: "ada"},
		Selection: peers.Selection{Agents: []string{"b", "c", "security"}}}
	for range 2 {
		heard, err := a.Federation.Broadcast(ctx, announced)
		if err != nil || len(heard.Objections) != 0 ||
			slices.ContainsFunc(heard.Agents, func(v federation.Reply) bool { return v.Allowed == nil }) ||
			!slices.ContainsFunc(heard.SimilarDecisions, func(d federation.Decision) bool { return d.ID == shared }) {
			t.Fatalf("got %+v %v, want no Objections, ...", heard, err)
		}
	}
	graphtest.Equal(t, toolstest.Count(t, b.g, "MATCH (i:Intent {correlation_id: 'c-1'}) RETURN count(i)"), 1,
		"decisions stored at server b")

	graphtest.Equal(t, toolstest.Count(t, a.g,
		"MATCH (v:Voice)-[:ON]->(:Intent {correlation_id: 'c-1'}) WHERE v.peer IS NOT NULL RETURN count(DISTINCT v.agent)"), 3, "voices")

	// In the other direction, a receives intents, stores each once and answers with its own guardrails.
	back := federation.Broadcast{Announcement: agents.Announcement{Intent: "Deploy", CorrelationID: "b-1", By: "ada"},
		Selection: peers.Selection{Agents: []string{"a"}}}
	for range 2 {
		if heard, err := b.Federation.Broadcast(ctx, back); err != nil || len(heard.Agents) != 1 ||
			heard.Agents[0].Allowed == nil || !*heard.Agents[0].Allowed {
			t.Fatalf("got %+v %v, want len(Agents)=1, non-nil Allowed, Allowed=true", heard, err)
		}
	}
	graphtest.Equal(t, toolstest.Count(t, a.g, "MATCH (i:Intent {correlation_id: 'b-1'}) RETURN count(i)"), 1,
		"decisions stored at server a")

	checked, err := b.Federation.Check(ctx, federation.Check{Act: agents.Act{Description: "Deploy",
		Context: map[string]any{"affectsProduction": true}, By: "ada"},
		Selection: peers.Selection{Agents: []string{"a"}}})
	if err != nil || !slices.ContainsFunc(checked.Warnings,
		func(w federation.Violation) bool { return w.Agent == "a" && w.GuardrailID == "reviewed" }) {
		t.Errorf("%+v %v", checked, err)
	}
}

func (s *servers) reachesConsensus(t *testing.T) {
	a, b, ctx := s.a, s.b, s.ctx
	a.g.Exec(t, "CREATE (:SYS_Policy {name: 'agreed', active: true, severity: 'block', message: 'Others have to agree', applies_when: 'action.stakes == critical', requires: 'has(action.consensus) && size(action.consensus.agreed) >= 2'})", nil)
	may := func(description, by string) bool {
		t.Helper()
		v := graphtest.Must(a.Checks.Check(ctx, check.ActionCheck{Description: description, Stakes: "critical",
			By: by}))(t)
		return v.Allowed
	}
	seek := func(announced agents.Announcement, wait int) federation.Consensus {
		t.Helper()
		announced.Stakes, announced.By = "critical", "ada"
		return graphtest.Must(a.Federation.Consensus(ctx, federation.ConsensusRequest{Announcement: announced,
			Agents: []string{"b", "c", "security"}, TimeoutSeconds: wait}))(t)
	}
	if may("Drop the tables", "ada") {
		t.Error("got agreement without votes")
	}
	c := seek(agents.Announcement{Intent: "Drop the tables"}, 60)
	if c.State != "reached" || len(c.Agreed) != 3 || len(c.Votes) != 3 || c.ValidUntil == nil ||
		!may("drop  the TABLES", "Ada") {
		t.Errorf(`got %+v, want State=reached, len(Agreed)=3, len(Votes)=3, non-nil ValidUntil, may("drop the TABLES", "Ada")=true`, c)
	}
	if may("Drop the other tables", "ada") || may("Drop the tables", "bob") {
		t.Error("a consensus permits another action")
	}
	_, err := a.Federation.Consensus(ctx, federation.ConsensusRequest{Announcement: agents.Announcement{Intent: "Run X_TOKEN=a make", Stakes: "critical", By: "ada"}, Agents: []string{"b", "c"}})
	toolstest.ErrorWithCode(t, err, apperr.Validation)
	a.g.Exec(t, "CREATE (:Intent {uid: 'of before', consensus_key: $key, consensus_state: 'reached', quorum: 2, agreed: ['b', 'c'], objected: [], settled_at: datetime(), valid_until: datetime() + duration('PT1H')})",
		map[string]any{"key": check.ConsensusKey("ada", "Run X_TOKEN=[redacted] make", "", "critical")})
	if may("Run X_TOKEN=a make", "ada") || !may("Run X_TOKEN=[redacted] make", "ada") {
		t.Error("got agreement from servers that were not asked")
	}
	if c := seek(agents.Announcement{Intent: "Open the door", Category: "security"}, 60); c.State != "failed" ||
		!slices.Equal(c.Objected, []string{"b"}) || !strings.Contains(fmt.Sprint(c.Votes), "Ask the security team") {
		t.Errorf(`got %+v, want State=failed, Objected=[b], Votes with "Ask the security team"`, c)
	}
	b.Agents.Settings.AutoRespond = false // b's agents answer later
	defer func() { b.Agents.Settings = agents.DefaultSettings() }()
	waiting := func(intent string, seconds int) (come chan federation.Consensus) {
		come = make(chan federation.Consensus, 1)
		go func() {
			c, _ := a.Federation.Consensus(ctx, federation.ConsensusRequest{Announcement: agents.Announcement{Intent: intent, Stakes: "critical", CorrelationID: intent, By: "ada"}, Agents: []string{"b", "security"}, TimeoutSeconds: seconds})
			come <- c
		}()
		return come
	}
	answer := func(intent string, as caller.Caller) {
		t.Helper()
		for until := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) { // until the intent is announced
			_, err := a.Agents.Answer(caller.With(t.Context(), as),
				agents.VoteRequest{IntentID: intent, Allowed: true, Reasons: []string{"Looked at it"}, By: "b"})
			if err == nil {
				return
			}
			if time.Now().After(until) {
				t.Fatal(err)
			}
		}
	}
	nobody := waiting("Wait for nobody", 1)
	answer("Wait for nobody", caller.Caller{Name: "b",
		Permissions: []caller.Permission{caller.Announce}}) // a caller that only claims to be b
	if c := graphtest.Receive(t, "the question that nobody answers ends", nobody); c.State != "failed" ||
		!slices.Equal(c.Silent, []string{"b"}) {
		t.Errorf("got %+v, want State=failed, Silent=[b]", c)
	}
	answer("Wait for nobody", caller.Caller{Name: "b", Authenticated: true,
		Permissions: []caller.Permission{caller.Announce}}) // too late
	if may("Wait for nobody", "ada") {
		t.Error("a late vote changed the consensus")
	}
	late := waiting("Wait for b", 60)
	answer("Wait for b", caller.Caller{Name: "b", Authenticated: true,
		Permissions: []caller.Permission{caller.Announce}})
	graphtest.Equal(t, graphtest.Receive(t, "the answer of b is counted", late).State, "reached", "state")
}

func (s *servers) pushesDecisions(t *testing.T) {
	a, b, shared, ctx := s.a, s.b, s.shared, s.ctx
	before := decided(t, a, "")
	for _, whom := range []string{"b", "c"} {
		graphtest.Must(a.Exchange.Follow(ctx, exchange.FollowRequest{Agent: whom, All: true}))(t)
	}
	push := func() {
		t.Helper()
		graphtest.OK(t, b.Exchange.Push(t.Context()))
	}
	push()
	stored := func() map[string]any {
		t.Helper()
		rows := a.g.Rows(t, "MATCH (d:PeerDecision {agent: 'peer:b'}) RETURN d.external_id AS id, d.title AS title, d.outcome AS outcome, d.withdrawn AS withdrawn", nil)
		if len(rows) != 1 {
			t.Fatalf("got %v, want length 1", rows)
		}
		return rows[0]
	}
	if got := stored(); got["id"] != shared || got["title"] != "Migrate the database by copying it" ||
		got["outcome"] != nil {
		t.Errorf(`got %v, want id=%v, title="Migrate the database by copying it", outcome=nil`, got, shared)
	}
	sent := len(a.wire.all())
	push()
	graphtest.Equal(t, len(a.wire.all()), sent, "times an accepted decision is sent")
	graphtest.Must(b.Decisions.Review(t.Context(),
		decisions.Outcome{ID: shared, Outcome: "failure", Lessons: private,
			Session: decisions.Session{By: "ada"}}))(t)
	push()
	graphtest.Equal(t, stored()["outcome"], "failure", "outcome")
	if theirs := decided(t, a, "peer:b"); theirs != 1 || decided(t, a, "") != before {
		t.Errorf("%d outcomes count for the peer; our own count is %d, before it was %d", theirs, decided(t, a, ""),
			before)
	}
	deliver := func(agent, id, outcome string, at time.Time) exchange.ReceiveResult {
		t.Helper()
		confidence := 0.8
		from := caller.With(t.Context(), caller.Caller{Name: agent, Authenticated: true,
			Permissions: []caller.Permission{caller.Announce}})
		return graphtest.Must(a.Exchange.Receive(from, exchange.SharedDecisions{By: agent,
			Decisions: []exchange.SharedDecision{{ID: id, Title: "From another time", Confidence: &confidence,
				Outcome: outcome, At: at.UTC().Format(time.RFC3339Nano)}}}))(t)
	}
	reviewed := time.Now()
	if first, twice := deliver("c", "of c", "success", reviewed),
		deliver("c", "of c", "success", reviewed); first.New != 1 || twice.New != 0 {
		t.Errorf("got %+v %+v, want first.New=1, twice.New=0", first, twice)
	}
	if ofB, ofC := decided(t, a, "peer:b"), decided(t, a, "peer:c"); ofB != 1 || ofC != 1 {
		t.Errorf("%d outcomes count for b, %d for c", ofB, ofC)
	}
	ahead := time.Now().Add(time.Hour) // the clock of b
	if first, late, twice := deliver("b", "far", "success", ahead),
		deliver("b", "far", "failure", ahead.Add(-time.Second)),
		deliver("b", "far", "success", ahead); first.New != 1 || late.New != 0 || twice.New != 0 {
		t.Errorf("got %+v %+v %+v, want first.New=1, late.New=0, twice.New=0", first, late, twice)
	}
	graphtest.Equal(t, decided(t, a, "peer:b"), 2, "outcomes that count for the peer")
	if rebuilt, err := a.Counters.RebuildStats(t.Context(), counters.RebuildRequest{DryRun: true}); err != nil ||
		rebuilt.WrongCells != 0 || rebuilt.WrongDecisions != 0 {
		t.Errorf("got %+v %v, want WrongCells=0, WrongDecisions=0", rebuilt, err)
	}
	a.g.Exec(t, "MATCH (d:PeerDecision {external_id: 'far'}) DETACH DELETE d", nil)
	b.g.Exec(t, "MERGE (a:Agent {key: 'a'}) ON CREATE SET a.name = 'a', a.uid = 'a', a.schema_version = 1 CREATE (:Token {uid: 'old', name: 'a', hash: 'none', revoked_at: datetime()})-[:OF]->(a)", nil)
	graphtest.Must(b.Decisions.Update(t.Context(),
		decisions.Update{ID: shared, Decision: "Migrate the database by moving it",
			Session: decisions.Session{By: "ada"}}))(t)
	push()
	graphtest.Equal(t, stored()["title"], "Migrate the database by copying it", "a peer with a revoked token")
	b.g.Exec(t, "MATCH (a:Agent {key: 'a'}) CREATE (:Token {uid: 'new', name: 'a', hash: 'nothing', expires_at: datetime() + duration('P1D')})-[:OF]->(a)", nil)
	push()
	graphtest.Equal(t, stored()["title"], "Migrate the database by moving it", "with a new token")
	graphtest.Must(b.Decisions.Update(t.Context(),
		decisions.Update{ID: shared, Visibility: "private", Session: decisions.Session{By: "ada"}}))(t)
	push()
	if got := stored(); got["withdrawn"] != true || got["title"] != nil {
		t.Errorf("got %v, want withdrawn=true, title=nil", got)
	}
	if _, err := b.Exchange.Receive(caller.With(t.Context(), caller.Caller{Name: "a", Authenticated: true}),
		exchange.SharedDecisions{By: "a", Decisions: []exchange.SharedDecision{{ID: "x",
			At: "2026-01-01T00:00:00Z"}}}); !apperr.Is(err, apperr.PermissionDenied) {
		t.Errorf("a peer that is not followed: got %v, want error %s", err, apperr.PermissionDenied)
	}
}

func (s *servers) pollsOthers(t *testing.T) {
	a, security := s.a, s.security
	calls := func() int { return strings.Count(security.all(), "cstp.queryDecisions") }
	poll := func() {
		t.Helper()
		graphtest.OK(t, a.Exchange.Poll(t.Context()))
		toolstest.WaitForWorkers(t, a.g)
		const two = "MATCH (d:PeerDecision {agent: 'peer:security'}) WHERE d.title <> '' RETURN count(d)"
		if n, theirs := toolstest.Count(t, a.g, two), decided(t, a, "peer:security"); n != 2 || theirs != 1 {
			t.Errorf("%d decisions are stored, %d count", n, theirs)
		}
	}
	before := calls()
	poll()
	poll()
	if calls() != before+1 {
		t.Errorf("got %d polls within the hour, want calls()=%v", calls()-before, before+1)
	}
	a.g.Exec(t, "MATCH (p:Peer {name: 'security'}) SET p.polled_at = p.polled_at - duration('PT1H')", nil)
	poll()
	if calls() != before+2 {
		t.Errorf("got %d polls, want calls()=%v", calls()-before, before+2)
	}
}

func (s *servers) rotatesToken(t *testing.T) {
	a, b, ctx := s.a, s.b, s.ctx
	const fresh = "token-of-a-not-real-0009"
	b.mu.Lock()
	b.names = map[string]string{fresh: "a"}
	b.mu.Unlock()
	asked := func() peers.CallOutcome {
		t.Helper()
		found := graphtest.Must(a.Federation.Query(ctx, federation.Query{Query: "database",
			Selection: peers.Selection{Agents: []string{"b"}}}))(t)
		return found.Agents[0]
	}
	if got := asked(); got.Answered || strings.Contains(got.Error, tokenOfA) {
		t.Errorf("got %+v, want Answered=false, Error without %v", got, tokenOfA)
	}
	a.write(t, "token", fresh)
	if got := asked(); !got.Answered {
		t.Errorf("got %+v, want Answered=true", got)
	}
}

func (s *servers) sharesNothingPrivate(t *testing.T) {
	a, b := s.a, s.b
	for name, w := range map[string]*wire{"a": a.wire, "b": b.wire, "c": s.c, "security": s.security} {
		if text := w.all(); strings.Contains(text, private) || len(text) == 0 {
			at := max(strings.Index(text, private)-200, 0)
			t.Errorf("%s: got %s, want text without %q, nonzero len(text)", name, text[at:min(at+400, len(text))],
				private)
		}
	}
	for _, n := range []*node{a, b} {
		for _, row := range n.g.Rows(t, "MATCH (x) RETURN [k IN keys(x) | toStringOrNull(x[k])] AS texts", nil) {
			if text := fmt.Sprint(row["texts"]); strings.Contains(text, "token-of-") ||
				strings.Contains(text, "a-token-not") {
				t.Errorf("a token is in the graph: %s", text)
			}
		}
	}
}

// decided counts the reviewed decisions of an agent, or all local ones.
func decided(t *testing.T, n *node, agent string) int64 {
	t.Helper()
	stats := graphtest.Must(n.Counters.Stats(context.Background(),
		counters.StatsQuery{Selection: counters.Selection{AgentID: agent}}))(t)
	raw, _ := json.Marshal(stats)
	var out struct {
		ReviewedDecisions int64 `json:"reviewed_decisions"`
		Overall           struct {
			ReviewedDecisions int64 `json:"reviewed_decisions"`
		}
	}
	_ = json.Unmarshal(raw, &out)
	return out.ReviewedDecisions + out.Overall.ReviewedDecisions
}
