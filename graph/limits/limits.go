// Package limits enforces limits of rules in the transaction that stores the counted node. Many processes share the
// graph, so each locks a limit in the graph before it counts.
package limits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// Use is the amount of a limit that one act consumes. A limit sums the uses of one rule and agent in the Seconds before At.
type Use struct {
	Rule    string
	Agent   string // in the normalized spelling under which verdicts count
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
	return apperr.New(apperr.Conflict, "Another action used the approval at the same time").WithHint("Report the action again").Because(ErrGrant)
}

// Error lists the limits that prevent storing an act as allowed.
type Error struct{ Limits []Exceeded }

// Error names the first limit.
func (e *Error) Error() string {
	return fmt.Sprintf("the limit of the rule '%s' is exceeded", e.Limits[0].Rule)
}

// key identifies uses that count together: those of one rule and agent within one window.
type key struct {
	rule, agent string
	seconds     int64
	at          int64
}

func (u Use) key() key { return key{u.Rule, u.Agent, u.Seconds, u.At.UnixNano()} }

func (u Use) since() time.Time { return u.At.Add(-time.Duration(u.Seconds) * time.Second) }

// Held are the limits that a transaction has locked.
type Held struct {
	tx     *graph.Tx
	used   map[key]float64 // before the transaction
	stored []Use           // in it
}

// Hold locks the limits of acts until the transaction ends, and counts their uses. It must be the first call in the
// transaction, so that all processes take locks in the same order. Acts that are Free cost no statement.
func Hold(ctx context.Context, tx *graph.Tx, acts []Act) (*Held, error) {
	held, keys, rows, locks := &Held{tx: tx, used: map[key]float64{}}, []key{}, []any{}, []string{}
	for _, act := range acts {
		for _, u := range act.Uses {
			if _, ok := held.used[u.key()]; !ok {
				held.used[u.key()] = 0
				rows = append(rows, map[string]any{"n": len(keys), "agent": u.Agent, "rule": u.Rule, "since": graph.UTC(u.since())})
				keys, locks = append(keys, u.key()), append(locks, u.lock())
			}
		}
	}
	if len(rows) == 0 {
		return held, nil
	}
	slices.Sort(locks)
	counted, err := graph.All[struct {
		N    int
		Used float64
	}](ctx, tx, cypher.LimitsHold, graph.Params{"locks": slices.Compact(locks), "limits": rows})
	if err == nil && len(counted) != len(rows) {
		err = apperr.New(apperr.Internal, "Cannot count the action toward its limits").WithHint("Try again")
	}
	for _, c := range counted {
		held.used[keys[c.N]] = c.Used
	}
	return held, err
}

// Admit counts an act, which the caller then stores in the transaction. If refused is an *Error or ErrGrant, the act is
// not counted and must not be stored as allowed; err ends the transaction.
func (h *Held) Admit(ctx context.Context, act Act) (refused, err error) {
	var over []Exceeded
	for _, u := range act.Uses {
		total := h.used[u.key()]
		for _, s := range h.stored {
			if s.Rule == u.Rule && s.Agent == u.Agent && s.At.After(u.since()) {
				total += s.Amount
			}
		}
		if room := total+u.Amount <= u.Most; !room { // negated, so that NaN is refused
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
	sorted := slices.SortedStableFunc(slices.Values(act.Uses), func(a, b Use) int { return cmp.Compare(a.Rule, b.Rule) })
	h.stored = append(h.stored, slices.CompactFunc(sorted, func(a, b Use) bool { return a.Rule == b.Rule })...) // rules of one name count once
	return nil, nil
}

const lockCount = 256

// lock returns the name of the lock of a limit. Limits share a fixed number of locks, so that names of agents do not
// fill the graph with them.
func (u Use) lock() string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(u.Agent + "\x00" + u.Rule))
	return fmt.Sprintf("limits %d", h.Sum32()%lockCount)
}
