package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"golang.org/x/sync/errgroup"

	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/history"
	"nomograph/policies/rule"
)

// Compiler compiles nodes to rule sets and caches compiled rules. Patterns query its graph.
type Compiler struct {
	graph   *graph.DB // nil if rules have no patterns
	digests *lru.Cache[string, cachedRule]
	planned *lru.Cache[string, struct{}] // patterns of circuit breakers that were queried before
}

const minCacheSize = 5000 // minimum size of the cache

// NewCompiler returns a compiler. Without a graph, patterns cannot be evaluated.
func NewCompiler(db *graph.DB) *Compiler {
	digests, err := lru.New[string, cachedRule](minCacheSize)
	if err != nil { // cannot happen: the size is positive
		panic(err)
	}
	planned, err := lru.New[string, struct{}](minCacheSize)
	if err != nil { // cannot happen: the size is positive
		panic(err)
	}
	return &Compiler{graph: db, digests: digests, planned: planned}
}

// RuleSet builds a rule set from policies and thresholds with the links of their versions, as read by the statement.
func (m *Compiler) RuleSet(policies, links, thresholds []any, now time.Time) *RuleSet {
	set := &RuleSet{Now: now, compiler: m, circuits: newCircuits()}
	set.asked = m.compileRules(set, policies, links)
	m.addThresholds(set, thresholds)
	return set
}

// cachedRule is the cached result for a node's content: its version and its rule. It is used only if the content is equal.
type cachedRule struct {
	history.Content
	rule rule.Guardrail
}

// digest compiles a node with the links of its version.
func (m *Compiler) digest(raw, links any, label string) (history.Content, rule.Guardrail) {
	node, _ := raw.(neo4j.Node) // the statement returns nodes
	c := history.Content{ID: node.ElementId, Label: label, Properties: node.Props}
	c.Name, _ = c.Properties["name"].(string)
	c.Links, _ = links.([]any)
	if known, ok := m.digests.Get(c.ID); ok && equal(known.Properties, c.Properties) && equal(known.Links, c.Links) {
		c.Hash = known.Hash
		return c, known.rule
	}
	c.Hash = c.Version()
	d := cachedRule{Content: c}
	if label == "SYS_Policy" {
		d.rule = rule.GuardrailOf(c.Properties)
		d.rule.Version = c.Hash
		d.rule.Link(rule.LinkedThresholds(c.Links))
	}
	m.digests.Add(c.ID, d)
	return c, d.rule
}

// compileRules compiles the rules and returns which thresholds they read.
func (m *Compiler) compileRules(set *RuleSet, nodes, links []any) thresholdNames {
	wanted := thresholdNames{plain: []string{}, scoped: []string{}}
	set.rules = make([]rule.Guardrail, len(nodes))
	named := map[string][]int{}
	if room := 2 * len(nodes); room > minCacheSize { // a cyclic scan larger than the cache would evict everything
		m.digests.Resize(room)
	}
	var compiling errgroup.Group // a new process compiles all rules
	compiling.SetLimit(runtime.GOMAXPROCS(0))
	set.contents = make([]history.Content, len(nodes))
	for i, node := range nodes {
		compiling.Go(func() (err error) {
			defer func() {
				if problem := recover(); problem != nil {
					err = fmt.Errorf("a rule: %v", problem)
				}
			}()
			set.contents[i], set.rules[i] = m.digest(node, links[i], "SYS_Policy")
			return nil
		})
	}
	if err := compiling.Wait(); err != nil { // a panic here ends this batch only, not the server
		panic(err)
	}
	for i, c := range set.contents {
		rule := &set.rules[i]
		if rule.Name == "" {
			rule.Name = c.ID
			rule.Broken = fmt.Errorf("the SYS_Policy node has no name")
		}
		plain, scoped := rule.Thresholds()
		wanted.plain, wanted.scoped = append(append(wanted.plain, plain...), scoped...), append(wanted.scoped, scoped...)
		named[rule.Name] = append(named[rule.Name], i)
		set.consensus = set.consensus || asksConsensus(rule)
	}
	for name, rules := range named {
		if set.sameScope(rules) {
			for _, i := range rules {
				set.rules[i].Broken = fmt.Errorf("%d SYS_Policy nodes are called '%s'", len(rules), name)
			}
		}
	}
	slices.SortStableFunc(set.rules, func(a, b rule.Guardrail) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(wanted.plain)
	slices.Sort(wanted.scoped)
	return thresholdNames{plain: slices.Compact(wanted.plain), scoped: slices.Compact(wanted.scoped)}
}

// addThresholds adds the thresholds that the rules read.
func (m *Compiler) addThresholds(set *RuleSet, nodes []any) {
	set.thresholds = make(map[string][]policies.Stored, len(set.asked.plain))
	for _, node := range nodes {
		c, _ := m.digest(node, []any{}, "SYS_Threshold")
		if !set.asked.reads(c.Name) { // only a removed rule read it
			continue
		}
		set.contents = append(set.contents, c)
		node := policies.Stored{ID: c.ID, Properties: c.Properties}
		set.thresholds[c.Name] = append(set.thresholds[c.Name], node)
		for _, name := range set.asked.scoped {
			if strings.HasPrefix(c.Name, name+"_") {
				set.thresholds[name] = append(set.thresholds[name], node)
			}
		}
	}
	versions := make([]string, len(set.contents))
	for i, c := range set.contents {
		versions[i] = c.Version()
	}
	slices.Sort(versions)
	sum := sha256.Sum256([]byte(strings.Join(versions, "\n")))
	set.revision = hex.EncodeToString(sum[:])
}

// equal compares values from Bolt; unknown types are never equal.
func equal(a, b any) bool {
	switch x := a.(type) {
	case string:
		y, same := b.(string)
		return same && x == y
	case int64:
		y, same := b.(int64)
		return same && x == y
	case float64:
		y, same := b.(float64)
		return same && x == y
	case bool:
		y, same := b.(bool)
		return same && x == y
	case []any:
		y, same := b.([]any)
		return same && slices.EqualFunc(x, y, equal)
	case map[string]any:
		y, same := b.(map[string]any)
		return same && maps.EqualFunc(x, y, equal)
	}
	return false
}

// unplanned reports whether this process has not queried the rule's circuit yet. Its pattern is long, and a database may
// take seconds to plan it.
func (m *Compiler) unplanned(r *rule.Guardrail) bool {
	return r.Circuit != nil && !m.planned.Contains(r.Pattern)
}
