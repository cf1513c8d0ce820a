package check

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/policies"
	"nomograph/policies/history"
	"nomograph/policies/rule"
)

// Compiler compiles nodes to rule sets and caches compiled rules. Patterns query its graph.
type Compiler struct {
	graph   *graph.DB // nil if rules have no patterns
	digests *lru.Cache[string, cachedRule]
	planned sync.Map // patterns of circuit breakers that were queried before
}

const minCacheSize = 5000 // minimum size of the cache

// NewCompiler returns a compiler. Without a graph, patterns cannot be evaluated.
func NewCompiler(db *graph.DB) *Compiler {
	digests, _ := lru.New[string, cachedRule](minCacheSize) // cannot fail: the size is positive
	return &Compiler{graph: db, digests: digests}
}

// RuleNode is a policy or threshold of a rule set.
type RuleNode struct {
	ID         string           `json:"id"`
	Properties graph.Parameters `json:"properties"`
	Links      []string         `json:"links,omitempty"` // the links of its version
}

// Name is the node's name; empty if it has none.
func (n RuleNode) Name() string { return graph.Text(n.Properties, "name") }

// RuleNodes are the nodes of a rule set. They can be changed, or evaluated without a database.
type RuleNodes struct {
	Policies   []RuleNode `json:"policies"`
	Thresholds []RuleNode `json:"thresholds"`
}

// nodesOf returns nodes with their links, which are pairs of a node's element id and a link.
func nodesOf(read, links []any) []RuleNode {
	byID := map[string][]string{}
	for _, pair := range links {
		if p := graph.Texts(pair); len(p) == 2 {
			byID[p[0]] = append(byID[p[0]], p[1])
		}
	}
	nodes := make([]RuleNode, len(read))
	for i, raw := range read {
		node, _ := raw.(neo4j.Node) // the statement returns nodes
		nodes[i] = RuleNode{node.ElementId, node.Props, byID[node.ElementId]}
	}
	return nodes
}

// Compile builds a rule set from nodes.
func (m *Compiler) Compile(nodes RuleNodes, now time.Time) *RuleSet {
	set := &RuleSet{Now: now, compiler: m, limit: FirstTimeout}
	m.compileRules(set, nodes.Policies)
	m.addThresholds(set, nodes.Thresholds)
	return set
}

// cachedRule is the cached result for a node's content: its version and its rule. It is used only if the content is
// equal.
type cachedRule struct {
	history.Content
	rule rule.Guardrail
}

// digest compiles a node.
func (m *Compiler) digest(node RuleNode, label string) cachedRule {
	known, ok := m.digests.Get(node.ID)
	if ok && reflect.DeepEqual(known.Properties, map[string]any(node.Properties)) &&
		slices.Equal(graph.Texts(known.Links), node.Links) {
		return known
	}
	d := cachedRule{Content: history.Content{ID: node.ID, Label: label, Name: node.Name(), Properties: node.Properties,
		Links: graph.List(node.Links)}}
	d.Hash = d.Version()
	if label == "SYS_Policy" {
		d.rule = rule.GuardrailOf(d.Properties)
		d.rule.Version = d.Hash
		d.rule.Link(rule.LinkedThresholds(d.Links))
	}
	m.digests.Add(d.ID, d)
	return d
}

// compileRules compiles the rules.
func (m *Compiler) compileRules(set *RuleSet, nodes []RuleNode) {
	if room := 2 * len(nodes); room > minCacheSize { // a cyclic scan larger than the cache would evict everything
		m.digests.Resize(room)
	}
	set.contents, set.rules = make([]history.Content, len(nodes)), make([]rule.Guardrail, len(nodes))
	// A new process compiles all rules.
	if err := progress.Each(context.Background(), "", len(nodes), func(i int) (err error) {
		defer func() {
			if problem := recover(); problem != nil {
				err = fmt.Errorf("a rule: %v", problem)
			}
		}()
		d := m.digest(nodes[i], "SYS_Policy")
		set.contents[i], set.rules[i] = d.Content, d.rule
		return nil
	}); err != nil { // a panic here ends this batch only, not the server
		panic(err)
	}
	named := map[string][]int{}
	for i, c := range set.contents {
		rule := &set.rules[i]
		if rule.Name == "" {
			rule.Name = c.ID
			rule.Broken = fmt.Errorf("the SYS_Policy node has no name")
		}
		plain, scoped := rule.Thresholds()
		set.asked.plain, set.asked.scoped = append(append(set.asked.plain, plain...), scoped...),
			append(set.asked.scoped, scoped...)
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
	for _, names := range []*[]string{&set.asked.plain, &set.asked.scoped} {
		*names = append([]string{}, lists.Union(*names)...)
	}
}

// addThresholds adds the thresholds that the rules read.
func (m *Compiler) addThresholds(set *RuleSet, nodes []RuleNode) {
	set.thresholds = make(map[string][]policies.Stored, len(set.asked.plain))
	for _, n := range nodes {
		c := m.digest(n, "SYS_Threshold").Content
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
	versions := lists.Map(set.contents, history.Content.Version)
	slices.Sort(versions)
	set.revision = policies.Hash(strings.Join(versions, "\n"))
}

// unplanned reports whether this process has not queried the rule's circuit yet. Its pattern is long, and a database
// may take seconds to plan it.
func (m *Compiler) unplanned(r *rule.Guardrail) bool {
	_, known := m.planned.Load(r.Pattern)
	return r.Circuit != nil && !known
}
