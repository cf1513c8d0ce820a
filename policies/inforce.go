package policies

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/graph"
)

// inForce is the rule set as it was read: all active guardrails and the thresholds that they read. Several checks may judge
// by it at once.
type inForce struct {
	rules      []guardrail
	contents   []content           // of the rules and thresholds that the revision is made of
	thresholds map[string][]stored // by the name under which a rule asks
	revision   string              // SHA-256, in hex, of the sorted versions of all contents
	recorded   string              // the revision that was recorded last; "" where something was recorded since
	now        time.Time           // the database's clock
}

// asked are the names of thresholds that the rules read when they were read last. It only saves a round trip: where a rule
// has come to ask for more, the rules are read again.
type asked struct{ plain, scoped []string }

// rulesInForce gives the rules as they were read after the caller asked.
func (s *Store) rulesInForce(ctx context.Context) (*inForce, error) {
	return s.reading.do(ctx, struct{}{})
}

// readRules reads the rules and their thresholds, in one round trip as long as no rule is new.
func (s *Store) readRules(ctx context.Context, _ []struct{}) (*inForce, error) {
	ctx, cancel := context.WithTimeout(ctx, s.checkTimeout())
	defer cancel()
	names := asked{plain: []string{}, scoped: []string{}}
	if known := s.asked.Load(); known != nil {
		names = *known
	}
	for {
		read, err := graph.One[struct {
			Rules, Links, Thresholds []any
			Recorded                 string
			Now                      time.Time
		}](ctx, s.graph, cypher.RulesInForce, graph.Params{"names": names.plain, "scoped": names.scoped})
		if err != nil {
			return nil, err
		}
		force := &inForce{now: read.Now.UTC(), recorded: read.Recorded}
		wanted := s.takeRules(force, read.Rules, read.Links)
		if !covers(names.plain, wanted.plain) || !covers(names.scoped, wanted.scoped) {
			names = wanted
			continue
		}
		s.asked.Store(&wanted)
		s.takeThresholds(force, read.Thresholds, wanted)
		return force, nil
	}
}

// takeRules reads the rules and tells which thresholds they ask for.
func (s *Store) takeRules(f *inForce, nodes, links []any) asked {
	wanted := asked{plain: []string{}, scoped: []string{}}
	f.rules = make([]guardrail, len(nodes))
	named := map[string][]int{}
	if room := 2 * len(nodes); room > remembered { // read in one order again and again, one too many would forget all
		s.digests.Resize(room)
	}
	for i, node := range nodes {
		c, rule := s.digest(node, links[i], "SYS_Policy")
		if rule.Name == "" {
			rule.Name = c.ID
			rule.Broken = fmt.Errorf("the SYS_Policy node has no name")
		}
		plain, scoped := rule.thresholds()
		wanted.plain, wanted.scoped = append(append(wanted.plain, plain...), scoped...), append(wanted.scoped, scoped...)
		named[rule.Name] = append(named[rule.Name], i)
		f.rules[i], f.contents = rule, append(f.contents, c)
	}
	for name, rules := range named {
		if f.sameScope(rules) {
			for _, i := range rules {
				f.rules[i].Broken = fmt.Errorf("%d SYS_Policy nodes are called '%s'", len(rules), name)
			}
		}
	}
	slices.SortStableFunc(f.rules, func(a, b guardrail) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(wanted.plain)
	slices.Sort(wanted.scoped)
	return asked{slices.Compact(wanted.plain), slices.Compact(wanted.scoped)}
}

// sameScope tells whether two of the rules are for one scope. Rules of one name for different scopes are variants.
func (f *inForce) sameScope(rules []int) bool {
	scopes := map[string]bool{}
	for _, i := range rules {
		scopes[f.contents[i].scope()] = true
	}
	return len(scopes) < len(rules)
}

// digested is what was worked out of a node's content: its version, and the rule that it states. It saves working it out
// again while the content is the same, and is never taken for the content.
type digested struct {
	content
	rule guardrail
}

// digest reads a node of the rule set with the links of its version.
func (s *Store) digest(raw, links any, label string) (content, guardrail) {
	node, _ := raw.(neo4j.Node) // the statement gives nodes
	c := content{ID: node.ElementId, Label: label, Properties: node.Props}
	c.Name, _ = c.Properties["name"].(string)
	c.Links, _ = links.([]any)
	if known, there := s.digests.Get(c.ID); there && equal(known.Properties, c.Properties) && equal(known.Links, c.Links) {
		c.hash = known.hash
		return c, known.rule
	}
	c.hash = c.version()
	d := digested{content: c}
	if label == "SYS_Policy" {
		d.rule = guardrailOf(c.Properties)
		d.rule.Version = c.hash
		d.rule.link(linkedThresholds(c.Links))
	}
	s.digests.Add(c.ID, d)
	return c, d.rule
}

// equal compares what Bolt gives; what it does not know is different.
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

func (s *Store) takeThresholds(f *inForce, nodes []any, wanted asked) {
	f.thresholds = make(map[string][]stored, len(wanted.plain))
	for _, node := range nodes {
		c, _ := s.digest(node, []any{}, "SYS_Threshold")
		if !wanted.reads(c.Name) { // a rule that is gone read it
			continue
		}
		f.contents = append(f.contents, c)
		node := stored{ID: c.ID, Properties: c.Properties}
		f.thresholds[c.Name] = append(f.thresholds[c.Name], node)
		for _, name := range wanted.scoped {
			if strings.HasPrefix(c.Name, name+"_") {
				f.thresholds[name] = append(f.thresholds[name], node)
			}
		}
	}
	versions := make([]string, len(f.contents))
	for i, c := range f.contents {
		versions[i] = c.version()
	}
	slices.Sort(versions)
	sum := sha256.Sum256([]byte(strings.Join(versions, "\n")))
	f.revision = hex.EncodeToString(sum[:])
}

func (a asked) reads(name string) bool {
	_, plain := slices.BinarySearch(a.plain, name)
	return plain || slices.ContainsFunc(a.scoped, func(scoped string) bool { return strings.HasPrefix(name, scoped+"_") })
}

// threshold gives the live value of a threshold to a rule, and keeps which node it was.
func (j *judge) threshold(name, scope string) (any, error) {
	node, err := chosen(name, scope, j.force.thresholds[name])
	if err == nil {
		err = node.readable(name)
	}
	if err != nil {
		return nil, err
	}
	if j.read == nil {
		j.read = map[string]*stored{}
	}
	j.read[name] = node
	return node.Properties["value"], nil
}

// numbers gives the live values of the thresholds that the rule's pattern sees, by name.
func (j *judge) numbers(rule *guardrail) (map[string]any, error) {
	values := map[string]any{}
	for _, name := range rule.numbers() {
		value, err := j.threshold(name, "")
		if err != nil {
			return nil, err
		}
		if _, is := numeric(value); !is {
			return nil, fmt.Errorf("SYS_Threshold node '%s' holds a %s, and $threshold takes numbers", name, jsonType(value))
		}
		values[name] = value
	}
	if rule.Circuit != nil {
		return values, rule.Circuit.accept(values)
	}
	return values, nil
}

// use gives a threshold as it was read last.
func (j *judge) use(name string) (ThresholdUse, bool) {
	node, known := j.read[name]
	if !known {
		return ThresholdUse{}, false
	}
	return ThresholdUse{graph.JSON(node.Properties["value"]), Version(node.Properties, nil)}, true
}
