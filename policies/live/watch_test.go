package live_test

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

// timeout is far longer than any step takes, even on a busy machine.
const timeout = 2 * time.Minute

// next returns the next observation.
func next(t *testing.T, changes <-chan live.Observation) live.Observation {
	t.Helper()
	select {
	case o, open := <-changes:
		if !open {
			t.Fatal("the subscription ended")
		}
		return o
	case <-time.After(timeout):
		t.Fatal("nothing was observed")
	}
	return live.Observation{}
}

func wantValue(t *testing.T, o live.Observation, value any) {
	t.Helper()
	graphtest.Values(t, "observed", o.Err == nil, true, o.Node.Properties["value"], value)
}

func wantCode(t *testing.T, o live.Observation, code apperr.Code, message string) {
	t.Helper()
	if !apperr.Is(o.Err, code) || !strings.Contains(o.Err.Error(), message) {
		t.Errorf("observed %v, %v; want %s with %q", o.Node.Properties, o.Err, code, message)
	}
}

func TestWatch_ManualEdits_AreSeen(t *testing.T) {
	g := graphtest.New(t)
	store := live.NewStore(g.DB)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 1}), (:SYS_Policy {name: 'p', active: true}), (:SYS_Threshold {name: 'other', value: 1})", nil)
	subscribe := func(t *testing.T, target live.Watched) <-chan live.Observation {
		t.Helper()
		changes, cancel := store.Subscribe(target)
		t.Cleanup(cancel)
		return changes
	}
	x := live.Watched{Kind: policies.KindThreshold, Name: "x"}

	t.Run("two subscribers of one name, with the version that a reader gets", func(t *testing.T) {
		first, second := subscribe(t, x), subscribe(t, x)
		wantValue(t, next(t, first), int64(1))
		wantValue(t, next(t, second), int64(1))
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x'}) SET t.value = 2", nil)
		o := next(t, first)
		wantValue(t, o, int64(2))
		wantValue(t, next(t, second), int64(2))
		read, err := store.Threshold(t.Context(), live.ThresholdQuery{Name: "x"})
		if err != nil || !reflect.DeepEqual(read.Reading, o.Node.Reading) {
			t.Errorf("a reader gets %+v (%v), a subscriber %+v", read.Reading, err, o.Node.Reading)
		}
		newest := func() any { // the initial value may have changed before it was recorded
			rows := g.Rows(t, "MATCH (c:SYS_Change {label: 'SYS_Threshold', name: 'x', kind: 'observed'}) RETURN c.to AS to ORDER BY c.at DESC LIMIT 1", nil)
			if len(rows) == 0 {
				return nil
			}
			return rows[0]["to"]
		}
		graphtest.Until(t, "the history has the change", func() bool { return newest() == read.Reading.Version })
	})
	t.Run("deleted, restored, duplicate, single", func(t *testing.T) {
		changes := subscribe(t, x)
		wantValue(t, next(t, changes), int64(2))
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x'}) DETACH DELETE t", nil)
		wantCode(t, next(t, changes), apperr.NotFound, "SYS_Threshold node 'x' not found")
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 3})", nil)
		wantValue(t, next(t, changes), int64(3))
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 4})", nil)
		wantCode(t, next(t, changes), apperr.Conflict, "2 SYS_Threshold nodes are called 'x'")
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x', value: 3}) DETACH DELETE t", nil)
		wantValue(t, next(t, changes), int64(4))
	})
	t.Run("a name that does not exist yet", func(t *testing.T) {
		changes := subscribe(t, live.Watched{Kind: policies.KindThreshold, Name: "later"})
		wantCode(t, next(t, changes), apperr.NotFound, "later")
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'later', value: 'now'})", nil)
		wantValue(t, next(t, changes), "now")
	})
	t.Run("the scope's own node comes and goes", func(t *testing.T) {
		changes := subscribe(t, live.Watched{Kind: policies.KindThreshold, Name: "x", Scope: "ancient"})
		wantValue(t, next(t, changes), int64(4))
		g.Exec(t, "CREATE (:SYS_Threshold {name: 'x_ancient', domain_scope: 'ancient', value: 5})", nil)
		o := next(t, changes)
		wantValue(t, o, int64(5))
		graphtest.Values(t, "the reading", o.Node.Reading.Source, "scoped", o.Node.Reading.Scope, "ancient")
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x_ancient'}) DETACH DELETE t", nil)
		wantValue(t, next(t, changes), int64(4))
	})
	t.Run("a policy's properties and links", func(t *testing.T) {
		changes := subscribe(t, live.Watched{Kind: policies.KindPolicy, Name: "p"})
		before := next(t, changes).Node
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'p'}) SET p.active = false", nil)
		inactive := next(t, changes).Node
		if before.Properties["active"] != true || inactive.Properties["active"] != false {
			t.Errorf("active was %v and is %v", before.Properties["active"], inactive.Properties["active"])
		}
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'p'}), (t:SYS_Threshold {name: 'other'}) CREATE (p)-[:USES_THRESHOLD]->(t)", nil)
		linked := next(t, changes)
		read, err := store.Policy(t.Context(), live.PolicyQuery{Name: "p"})
		if err != nil || !reflect.DeepEqual(linked.Node.Reading, read.Reading) ||
			reflect.DeepEqual(linked.Node.Reading, inactive.Reading) {
			t.Errorf("a reader gets %+v (%v), a subscriber %+v after %+v", read.Reading, err, linked.Node.Reading,
				inactive.Reading)
		}
	})
	t.Run("a slow subscriber delays nobody and gets the last state", func(t *testing.T) {
		slow, quick := subscribe(t, x), subscribe(t, x)
		wantValue(t, next(t, quick), int64(4))
		for value := int64(10); value <= 12; value++ {
			g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x'}) SET t.value = $value", map[string]any{"value": value})
			wantValue(t, next(t, quick), value)
		}
		o := next(t, slow)
		for o.Node.Properties["value"] != int64(12) { // it may lag behind, and unread observations were replaced
			o = next(t, slow)
		}
	})
	t.Run("unwatched nodes are not notified", func(t *testing.T) {
		changes, others := subscribe(t, x), subscribe(t, live.Watched{Kind: policies.KindThreshold, Name: "other"})
		wantValue(t, next(t, changes), int64(12))
		wantValue(t, next(t, others), int64(1))
		g.Exec(t, "MATCH (t:SYS_Threshold {name: 'other'}) SET t.value = 2", nil)
		wantValue(t, next(t, others), int64(2))
		select {
		case o := <-changes:
			t.Errorf("observed %v, %v", o.Node.Properties, o.Err)
		default:
		}
	})
}

func TestWatch_ManySubscribers_ShareReads(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 1})", nil)
	var looks atomic.Int64
	db := toolstest.Reopen(t, g)
	db.Watches = []graph.StatementObserver{func(ctx context.Context, statement string) (context.Context, func(error)) {
		if statement == cypher.ThresholdByName.Name {
			looks.Add(1)
		}
		return ctx, func(error) {}
	}}
	store := live.NewStore(db)
	x := live.Watched{Kind: policies.KindThreshold, Name: "x"}

	const many = 50
	var subscribers [many]<-chan live.Observation
	var cancels [many]func()
	for i := range subscribers {
		subscribers[i], cancels[i] = store.Subscribe(x)
		wantValue(t, next(t, subscribers[i]), int64(1))
	}
	before := looks.Load()
	g.Exec(t, "MATCH (t:SYS_Threshold) SET t.value = 2", nil)
	for _, s := range subscribers {
		wantValue(t, next(t, s), int64(2))
	}
	// One read for the change, and a few for writes that followed from it.
	if n := looks.Load() - before; n < 1 || n > many/5 {
		t.Errorf("got %d reads for %d subscribers, want 1 to %d", n, many, many/5)
	}
	for _, cancel := range cancels {
		cancel()
		cancel()
	}
	graphtest.Until(t, "subscriptions end", func() bool { return graphtest.Running("live.(*Store).watch(") == 0 })
	changes, cancel := store.Subscribe(x)
	defer cancel()
	wantValue(t, next(t, changes), int64(2))
}

func TestWatch_DatabaseRestarts_SubscribersContinue(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 1}), (:SYS_Threshold {name: 'y', value: 1})", nil)
	proxy := graphtest.NewProxy(t, g)
	db := graph.Open(graph.Options{URI: "bolt://" + proxy.Address, Username: g.Endpoint.Username,
		Password: g.Endpoint.Password,
		Database: g.Endpoint.Database, Log: zerolog.Nop()})
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	store := live.NewStore(db)
	x, leaveX := store.Subscribe(live.Watched{Kind: policies.KindThreshold, Name: "x"})
	y, leaveY := store.Subscribe(live.Watched{Kind: policies.KindThreshold, Name: "y"})
	t.Cleanup(leaveX)
	t.Cleanup(leaveY)
	wantValue(t, next(t, x), int64(1))
	wantValue(t, next(t, y), int64(1))

	proxy.StopListening()
	proxy.Cut()
	wantCode(t, next(t, x), apperr.Unavailable, "")
	wantCode(t, next(t, y), apperr.Unavailable, "")
	late, leave := store.Subscribe(live.Watched{Kind: policies.KindThreshold, Name: "x"})
	t.Cleanup(leave)
	wantCode(t, next(t, late), apperr.Unavailable, "")
	if len(x) > 0 {
		t.Error("got a second notification, want one")
	}
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x'}) SET t.value = 2", nil)
	proxy.Listen(t)
	wantValue(t, next(t, x), int64(2))
	wantValue(t, next(t, late), int64(2))
	wantValue(t, next(t, y), int64(1)) // a new observation, although the value is unchanged
}
