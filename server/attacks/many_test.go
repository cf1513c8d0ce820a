package attacks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/tools"
)

// race is the number of simultaneous requests. Two cores run two of them, and the race detector needs no more.
const race = 12

// lacking returns a token that may call neither the operation nor another one with the same CSTP method.
func lacking(o tools.Operation) string {
	for _, p := range caller.Permissions {
		opens := p == o.Permission || p == caller.Admin || o.CSTP != "" &&
			slices.ContainsFunc(tools.Catalog, func(other tools.Operation) bool {
				return other.CSTP == o.CSTP && other.Permission == p
			})
		if !opens {
			return "only-" + string(p)
		}
	}
	return "nothing"
}

// TestAttack_CompressedBody_IsRefused sends a compressed body to every operation on every transport, also with
// sufficient permissions.
func TestAttack_CompressedBody_IsRefused(t *testing.T) {
	s := open(t).compressing()
	for _, o := range all() {
		for _, as := range []string{"root", lacking(o)} {
			for _, over := range transports {
				r, served := over.send(t, s, as, o, argumentsOf(o, map[string]string{"decision": "abcd1234"}))
				bodiless := over.name == "AuthZEN" && o.Name == "get_access_request" || over.name == "REST by path" &&
					(strings.HasPrefix(o.REST, "GET") || strings.HasPrefix(o.REST, "DELETE"))
				if served && !bodiless && r.status != http.StatusUnsupportedMediaType {
					t.Errorf("%s over %s as %s accepts a compressed body: %d %s", o.Name, over.name, as, r.status,
						r.body)
				}
			}
		}
	}
}

// TestAttack_ConcurrentWithoutPermission_IsRefused calls every operation twelve times in parallel without permission,
// alternating transports.
func TestAttack_ConcurrentWithoutPermission_IsRefused(t *testing.T) {
	s := open(t)
	for _, o := range all() {
		as, arguments := lacking(o), argumentsOf(o, map[string]string{"decision": "abcd1234"})
		var served []transport
		for _, over := range transports {
			if _, ok := over.send(t, s, as, o, arguments); ok {
				served = append(served, over)
			}
		}
		together(race, func(i int) {
			over := served[i%len(served)]
			if r, _ := over.send(t, s, as, o, arguments); !r.refused() {
				t.Errorf("%s over %s as %s, in parallel: %d %s", o.Name, over.name, as, r.status, r.body)
			}
		})
	}
}

// TestOtherProject_ConcurrentCalls_GetNothing reaches for another project's data with every operation, twelve times in
// parallel and alternating transports, and with all CSTP methods in one batch.
func TestOtherProject_ConcurrentCalls_GetNothing(t *testing.T) {
	s, ours, theirs, unnamed := seeded(t)
	before := s.victims(t)
	limited := caller.Caller{Name: attacker, Authenticated: true, Permissions: []caller.Permission{caller.Admin},
		Projects: []string{attackersSite}}
	var batch []map[string]any
	for _, o := range all() {
		if !o.Permits(limited) { // TestAttack_OtherProjectsData_IsHidden covers these
			continue
		}
		var reaching []attack
		for _, a := range attacksOn(o, ours, theirs) {
			if a.reaches != "" && a.value == theirs[a.reaches] {
				reaching = append(reaching, a)
			}
		}
		if len(reaching) == 0 {
			continue
		}
		var served []transport
		for _, over := range transports {
			if _, ok := over.send(t, s, attacker, o, reaching[0].arguments); ok {
				served = append(served, over)
			}
		}
		together(max(race, len(reaching)*len(served)), func(i int) { // each value over each transport
			a, over := reaching[i%len(reaching)], served[i/len(reaching)%len(served)]
			r, _ := over.send(t, s, attacker, o, a.arguments)
			graphtest.Equal(t,
				leaked(r, unnamed), "", fmt.Sprint("leaked in parallel by ", o.Name, " over ", over.name, " with ",
					a.argument,
					" = ", a.value))

			if a.reaches == "project" && o.Scope == tools.OfProject && !r.refused() {
				t.Errorf("%s over %s accepts the project %q, in parallel: %d %s", o.Name, over.name, a.value, r.status,
					r.body)
			}
		})
		if o.CSTP != "" {
			for _, a := range reaching {
				batch = append(batch, map[string]any{"jsonrpc": "2.0", "id": len(batch), "method": o.CSTP,
					"params": a.arguments})
			}
		}
	}
	const maxBatchLength = 50
	for calls := range slices.Chunk(batch, maxBatchLength) {
		r := s.send(t, attacker, http.MethodPost, "/cstp", text(t, calls))
		if shown := leaked(r, unnamed); shown != "" || strings.Count(r.body, `"jsonrpc"`) != len(calls) {
			t.Errorf("a batch of %d calls leaks %q: %d %s", len(calls), shown, r.status, r.body)
		}
	}
	s.settled(t)
	graphtest.Equal(t, s.victims(t), before, "the victim's data")
}

// TestAttack_BatchWithoutPermission_IsRefused calls all CSTP methods in one batch with each token. Calls without
// permission are refused individually.
func TestAttack_BatchWithoutPermission_IsRefused(t *testing.T) {
	s := open(t)
	for _, p := range append([]caller.Permission{""}, caller.Permissions...) {
		as := "only-" + string(p)
		if p == "" {
			as = "nothing"
		}
		var batch []map[string]any
		for _, o := range tools.Catalog {
			may := p == caller.Admin || slices.ContainsFunc(tools.Catalog,
				func(other tools.Operation) bool { return other.CSTP == o.CSTP && other.Permission == p })
			if o.CSTP != "" && !may {
				batch = append(batch, map[string]any{"jsonrpc": "2.0", "id": o.Name, "method": o.CSTP,
					"params": argumentsOf(o, map[string]string{"decision": "abcd1234"})})
			}
		}
		if len(batch) == 0 {
			continue
		}
		var answers []json.RawMessage
		r := s.send(t, as, http.MethodPost, "/cstp", text(t, batch))
		if err := json.Unmarshal([]byte(r.body), &answers); err != nil || len(answers) != len(batch) {
			t.Errorf("a batch of %d as %s: %d %s", len(batch), as, r.status, r.body)
		}
		for _, answer := range answers {
			if !(reply{status: http.StatusOK, body: string(answer)}).refused() {
				t.Errorf("in a batch as %s: %s", as, answer)
			}
		}
	}
}

// together calls work n times in parallel.
func together(n int, work func(i int)) {
	begin := make(chan struct{})
	done := make(chan struct{})
	for i := range n {
		go func() {
			defer func() { done <- struct{}{} }()
			<-begin
			work(i)
		}()
	}
	close(begin)
	for range n {
		<-done
	}
}
