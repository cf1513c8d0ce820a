package check

import (
	"sync/atomic"
	"time"

	"nomograph/graph"
	"nomograph/policies/condition"
	"nomograph/policies/history"
	"nomograph/trace"
)

// Store evaluates the rules of one graph and stores verdicts there. A cached result, such as a compiled condition, is
// used only if what was just read equals its source.
type Store struct {
	// Settings can be changed until the store is first used.
	Settings Settings
	Trace    *trace.Log // for CheckInSession

	graph   *graph.DB
	history *history.Store
	asked   atomic.Pointer[thresholdNames]
	// Number of lost connections at the last evaluated check and the last stored verdict, plus 1; 0 before the first.
	// After a further loss, the database may have to plan their statements again.
	evaluated, stored atomic.Int64
	reading           *graph.Batcher[struct{}, *RuleSet]
	drifts            *graph.Batcher[*RuleSet, struct{}]
	verdicts          *graph.Batcher[map[string]any, struct{}]
	limited           *graph.Batcher[*pendingVerdict, struct{}] // verdicts to be stored under limits
	compiler          *Compiler
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB) *Store {
	s := &Store{graph: db, history: history.NewStore(db), compiler: NewCompiler(db)}
	s.reading, s.drifts, s.verdicts = graph.NewBatcher(s.readRules), graph.NewBatcher(s.recordDrift),
		graph.NewBatcher(s.writeVerdicts)
	s.limited = graph.NewBatcher(s.storeLimited)
	return s
}

// Settings configure checks. The zero value is the default.
type Settings struct {
	Project          string         // default project
	Workspace        string         // working directory: with the agent, it selects the ambient session
	CheckTimeout     time.Duration  // for reading and evaluating the rules of one check; 0 means CheckTimeout
	Retention        InputRetention // what a verdict stores of the action; empty means RetainFull
	AllowedRetention time.Duration  // how long verdicts that allow are stored; 0 means forever
	DeniedRetention  time.Duration  // how long denials are stored; 0 means forever
	Effects          Effects
}

// Effects returns the params of an action with what it does, for rules to read: the places that a command deletes, for
// example. cwd is the directory of the action, "" if unknown, and programs are the properties of SYS_Program nodes.
// Nil adds nothing.
type Effects func(name string, params map[string]any, cwd string, programs []map[string]any) map[string]any

// Add adds the effects of an action to its params.
func (effects Effects) Add(c *ActionCheck, action *condition.Action, programs []map[string]any) {
	if effects != nil {
		cwd, _ := c.Context["cwd"].(string)
		c.Params = effects(c.Name, c.Params, cwd, programs)
		action.Params = c.Params
	}
}
