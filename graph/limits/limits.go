// Package limits enforces limits of rules in the transaction that stores the counted node. Many processes share the
// graph, so each locks a limit in the graph before it counts.
package limits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/big"
	"slices"
	"strconv"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// Scopes of a limit: whose uses count together.
const (
	OfAgent   = "agent"
	OfProject = "project"
	Everyone  = "everyone"
)

// Use is the amount of a limit that one act consumes. A limit sums the uses of one rule within its scope in the Seconds
// before At.
type Use struct {
	Rule  string
	Scope string // OfAgent, OfProject or Everyone
	Agent string // in the normalized spelling under which verdicts count
	// in the normalized spelling, too; without one, an act counts with those of all projects, so that omitting it
	// evades no limit
	Project string
	Unit    string // acts of one unit count once until they are executed; "" for an act of its own
	Amount  float64
	Most    float64
	Seconds int64
	At      time.Time // time of the verdict
}

// Exceeded is a use for which a limit has no room.
type Exceeded struct {
	Use
	Used float64
}

// Act holds the limits and the approval that an allowed verdict uses when it is stored.
type Act struct {
	Uses []Use
	// Grant uses the approval of the verdict. It returns false if somebody else used it before. It is nil without an
	// approval.
	Grant func(ctx context.Context, tx *graph.Tx) (bool, error)
}

// Free reports whether the act uses no limit and no approval.
func (a Act) Free() bool { return len(a.Uses) == 0 && a.Grant == nil }

// ErrGrant is in the error of an act whose approval somebody else used before.
var ErrGrant = errors.New("the approval was already used")

// grantUsedError returns ErrGrant in the form for callers.
func grantUsedError() error {
	return apperr.New(apperr.Conflict, "Another action used the approval at the same time").
		WithHint("Report the action again").Because(ErrGrant)
}

// Error lists the limits that prevent storing an act as allowed.
type Error struct{ Limits []Exceeded }

// Error names the first limit.
func (e *Error) Error() string {
	return fmt.Sprintf("the limit of the rule '%s' is exceeded", e.Limits[0].Rule)
}

// key identifies uses that count together within one window.
type key struct {
	rule, scope, agent, project, unit string
	seconds, at                       int64
}

func (u Use) key() key {
	return key{u.Rule, u.Scope, u.Agent, u.Project, u.Unit, u.Seconds, u.At.UnixNano()}
}

func (u Use) since() time.Time { return u.At.Add(-time.Duration(u.Seconds) * time.Second) }

// covers reports whether another use of the same transaction counts toward the limit of u.
func (u Use) covers(other Use) bool {
	if other.Rule != u.Rule || !other.At.After(u.since()) || u.Unit != "" && u.Unit == other.Unit {
		return false
	}
	switch u.Scope {
	case OfAgent:
		return u.Agent == other.Agent
	case OfProject:
		return u.Project == "" || u.Project == other.Project
	}
	return true
}

// Sum is a sum of amounts in decimal, so that three times 0.1 is 0.3.
type Sum struct{ big.Rat }

// Add adds an amount some times. An amount that is no finite number is ignored.
func (s *Sum) Add(amount float64, times int64) {
	if one, ok := new(big.Rat).SetString(strconv.FormatFloat(amount, 'g', -1, 64)); ok {
		s.Rat.Add(&s.Rat, one.Mul(one, new(big.Rat).SetInt64(times)))
	}
}

// Float returns the nearest number.
func (s *Sum) Float() float64 {
	number, _ := s.Float64()
	return number
}

// Left returns what is left of most after used.
func Left(most, used float64) float64 {
	var left Sum
	left.Add(most, 1)
	left.Add(used, -1)
	return left.Float()
}

// Used returns what earlier acts used of the limit of u.
func Used(ctx context.Context, q graph.Querier, u Use) (float64, error) {
	used, err := count(ctx, q, []Use{u})
	return used[u.key()].Float(), err
}

// count returns what earlier acts used of the limits of uses.
func count(ctx context.Context, q graph.Querier, uses []Use) (map[key]*Sum, error) {
	used, rows := map[key]*Sum{}, []any{}
	for n, u := range uses {
		if used[u.key()] == nil { // acts of one transaction can share a limit
			used[u.key()] = &Sum{}
			rows = append(rows, map[string]any{"n": n, "rule": u.Rule, "scope": u.Scope, "agent": u.Agent,
				"project": u.Project, "unit": u.Unit, "since": graph.UTC(u.since())})
		}
	}
	counted, err := graph.All[struct {
		N      int
		Amount float64
		Times  int64
	}](ctx, q, cypher.LimitsUsed, graph.Params{"limits": rows})
	for _, c := range counted {
		used[uses[c.N].key()].Add(c.Amount, c.Times)
	}
	return used, err
}

// Held are the limits that a transaction has locked.
type Held struct {
	tx     *graph.Tx
	used   map[key]*Sum // before the transaction
	stored []Use        // in it
}

// Hold locks the limits of acts until the transaction ends, and counts their uses. It must be the first call in the
// transaction, so that all processes take locks in the same order. Acts that are Free cost no statement.
func Hold(ctx context.Context, tx *graph.Tx, acts []Act) (*Held, error) {
	held, uses, locks := &Held{tx: tx}, []Use{}, []string{}
	for _, act := range acts {
		for _, u := range act.Uses {
			uses, locks = append(uses, u), append(locks, u.lock())
		}
	}
	if len(uses) == 0 {
		return held, nil
	}
	slices.Sort(locks)
	err := tx.Run(ctx, cypher.LimitsLock, graph.Params{"locks": slices.Compact(locks)})
	if err == nil {
		held.used, err = count(ctx, tx, uses)
	}
	return held, err
}

// Admit counts an act, which the caller then stores in the transaction. If refused is an *Error or ErrGrant, the act is
// not counted and must not be stored as allowed; err ends the transaction.
func (h *Held) Admit(ctx context.Context, act Act) (refused, err error) {
	var over []Exceeded
	for _, u := range act.Uses {
		used := Sum{}
		used.Set(&h.used[u.key()].Rat)
		for _, stored := range h.stored {
			if u.covers(stored) {
				used.Add(stored.Amount, 1)
			}
		}
		total := used.Float()
		if !(Left(u.Most, total) >= u.Amount) { // negated, so that NaN is refused
			over = append(over, Exceeded{u, total})
		}
	}
	if over != nil {
		return &Error{over}, nil
	}
	if act.Grant != nil {
		if taken, err := act.Grant(ctx, h.tx); err != nil || !taken {
			return grantUsedError(), err
		}
	}
	sorted := slices.SortedStableFunc(slices.Values(act.Uses),
		func(a, b Use) int { return cmp.Compare(a.Rule, b.Rule) })
	h.stored = append(h.stored, slices.CompactFunc(sorted,
		func(a, b Use) bool { return a.Rule == b.Rule })...) // rules of one name count once
	return nil, nil
}

const lockCount = 256

// lock returns the name of the lock of a limit. Limits share a fixed number of locks, so that names of agents do not
// fill the graph with them.
func (u Use) lock() string {
	h := fnv.New32a()
	who := ""
	if u.Scope == OfAgent {
		who = u.Agent
	}
	_, _ = h.Write([]byte(who + "\x00" + u.Rule))
	return fmt.Sprintf("limits %d", h.Sum32()%lockCount)
}
