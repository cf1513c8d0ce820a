package graph

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/internal/apperr"
)

// SchemaQuery selects labels of the schema.
type SchemaQuery struct {
	Labels []string `json:"labels,omitempty" jsonschema:"filter by labels; always includes their properties" rule:"maxItems=50"`
}

// Schema describes a graph for authors of queries. Counts come from the server's statistics, properties from a sample of
// nodes.
type Schema struct {
	Labels        []LabelInfo        `json:"labels"`
	Relationships []RelationshipInfo `json:"relationships"`
	Indexes       []IndexInfo        `json:"indexes"`
	Note          string             `json:"note,omitempty"`
}

// LabelInfo is a label with its number of nodes and their properties.
type LabelInfo struct {
	Label      string            `json:"label"`
	Count      int64             `json:"count"`
	About      string            `json:"about,omitempty"`
	Properties map[string]string `json:"properties,omitempty" jsonschema:"type by property name; several types if nodes differ; ? if some nodes lack it"`
}

// RelationshipInfo is a relationship type with the labels at its ends.
type RelationshipInfo struct {
	Type  string   `json:"type"`
	Count int64    `json:"count"`
	From  []string `json:"from"`
	To    []string `json:"to"`
	About string   `json:"about,omitempty"`
}

// IndexInfo is an index that queries can use.
type IndexInfo struct {
	Name       string   `json:"name"`
	Type       string   `json:"type" jsonschema:"RANGE, TEXT, POINT, FULLTEXT or VECTOR"`
	On         []string `json:"on" jsonschema:"labels or relationship types"`
	Properties []string `json:"properties"`
}

const (
	sampledNodes = 100
	sampleLabels = 25 // with more labels, properties are listed only for labels requested by name
)

// Schema reads the schema from the server's statistics and a sample of each label, so its cost does not depend on the
// size of the graph. For an unknown label it returns not_found with the existing labels.
func (db *DB) Schema(ctx context.Context, q SchemaQuery) (Schema, error) {
	counts, err := One[counts](ctx, db, cypher.Counts, nil)
	if err != nil {
		return Schema{}, err
	}
	schema := Schema{Labels: counts.labels(), Relationships: counts.types(), Indexes: []IndexInfo{}}
	if err := schema.project(q.Labels); err != nil {
		return Schema{}, err
	}
	if len(q.Labels) == 0 && len(schema.Labels) > sampleLabels {
		schema.Note = "Properties are left out, since there are many labels: name some in labels"
	} else if err := db.sample(ctx, schema.Labels); err != nil {
		return Schema{}, err
	}
	indexes, err := All[struct {
		Name, Type                string
		LabelsOrTypes, Properties []string
	}](ctx, db, cypher.Indexes, nil)
	if err != nil {
		return Schema{}, err
	}
	for _, i := range indexes {
		if len(q.Labels) == 0 || slices.ContainsFunc(i.LabelsOrTypes, func(l string) bool { return slices.Contains(q.Labels, l) }) {
			schema.Indexes = append(schema.Indexes, IndexInfo{i.Name, i.Type, i.LabelsOrTypes, i.Properties})
		}
	}
	return schema, nil
}

func (db *DB) sample(ctx context.Context, labels []LabelInfo) error {
	for i := range labels {
		// A label parameter cannot use an index, so the label is part of the text: quoted, and known to exist.
		statement := cypher.PropertiesOfLabel.With("`__LABEL__`", "`"+strings.ReplaceAll(labels[i].Label, "`", "``")+"`")
		found, err := All[struct {
			Name  string
			Types []string
			Nodes int64
		}](ctx, db, statement, Params{"sample": sampledNodes})
		if err != nil {
			return err
		}
		labels[i].Properties = map[string]string{}
		for _, p := range found {
			slices.Sort(p.Types)
			text := strings.Join(p.Types, " | ")
			if p.Nodes < min(labels[i].Count, sampledNodes) {
				text += " ?"
			}
			labels[i].Properties[p.Name] = text
		}
	}
	return nil
}

// counts are the server's statistics.
type counts struct {
	Nodes []struct {
		Label string
		Count int64
	}
	Relationships []struct {
		RelationshipType string `mapstructure:"relationshipType"`
		StartLabel       string `mapstructure:"startLabel"`
		EndLabel         string `mapstructure:"endLabel"`
		Count            int64
	}
}

func (c counts) labels() []LabelInfo {
	labels := make([]LabelInfo, len(c.Nodes))
	for i, n := range c.Nodes {
		labels[i] = LabelInfo{Label: n.Label, Count: n.Count, About: meanings[n.Label]}
	}
	slices.SortFunc(labels, func(a, b LabelInfo) int { return cmp.Compare(a.Label, b.Label) })
	return labels
}

func (c counts) types() []RelationshipInfo {
	byType := map[string]*RelationshipInfo{}
	for _, r := range c.Relationships {
		t := byType[r.RelationshipType]
		if t == nil {
			t = &RelationshipInfo{Type: r.RelationshipType, From: []string{}, To: []string{}, About: meanings[r.RelationshipType]}
			byType[r.RelationshipType] = t
		}
		switch {
		case r.StartLabel != "":
			t.From = append(t.From, r.StartLabel)
		case r.EndLabel != "":
			t.To = append(t.To, r.EndLabel)
		default:
			t.Count = r.Count
		}
	}
	types := make([]RelationshipInfo, 0, len(byType))
	for _, t := range byType {
		slices.Sort(t.From)
		slices.Sort(t.To)
		types = append(types, *t)
	}
	slices.SortFunc(types, func(a, b RelationshipInfo) int { return cmp.Compare(a.Type, b.Type) })
	return types
}

// project selects labels and the relationships at them.
func (s *Schema) project(labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	for _, label := range labels {
		if !slices.ContainsFunc(s.Labels, func(l LabelInfo) bool { return l.Label == label }) {
			there := make([]string, len(s.Labels))
			for i, l := range s.Labels {
				there[i] = l.Label
			}
			return apperr.Newf(apperr.NotFound, "Label '%s' not found", label).WithHint("Labels: %s", strings.Join(there, ", ")).With("labels", there)
		}
	}
	s.Labels = slices.DeleteFunc(s.Labels, func(l LabelInfo) bool { return !slices.Contains(labels, l.Label) })
	touches := func(label string) bool { return slices.Contains(labels, label) }
	s.Relationships = slices.DeleteFunc(s.Relationships, func(r RelationshipInfo) bool {
		return !slices.ContainsFunc(r.From, touches) && !slices.ContainsFunc(r.To, touches)
	})
	return nil
}

// ModelNames returns the labels and relationship types of our model. Relationship types have no lower-case letters.
func ModelNames() iter.Seq[string] { return maps.Keys(meanings) }

// meanings describes our model; foreign labels are described by their names only.
var meanings = map[string]string{
	"SYS_Policy":                  "a rule of the organization; in force only while active is true; facet_key names a facet it forbids",
	"SYS_Threshold":               "a number, text or boolean that code reads live; domain_scope limits it to a scope",
	"SYS_DecisionTable":           "a table of a decision process; hit_policy says which of its rows answer",
	"SYS_DecisionRow":             "a row of a decision table: conditions in CEL, outputs as JSON",
	"SYS_FederationSource":        "a source of reference data",
	"SubjectConcept":              "a concept of the subject catalog",
	"Chunk":                       "a piece of memory: turns of a conversation, events of a session, or a decision; text is what it says",
	"ChunkEmbedding":              "vectors of a chunk of memory, or of a passage of it",
	"LaterChunkPassage":           "an embedding that is not the first of its chunk",
	"UnindexedChunk":              "a chunk whose vectors are still to be made",
	"Unremembered":                "a session or a decision whose chunks are not as it is now",
	"ForgottenChunk":              "what is left of a chunk that was forgotten: its hash and its place",
	"MemoryProject":               "how many chunks memory has of a project",
	"NEXT":                        "the chunk behind it in its session",
	"FROM":                        "what a chunk holds: a session, its first event, decisions",
	"Atlas":                       "contexts for agents about one thing, and the actions it knows; owned by the pack atlas:ID",
	"Context":                     "what an agent is told when it needs it",
	"ContextEmbedding":            "vectors of a context, or of a passage of it",
	"Intent":                      "what an agent announced that it is about to do, for others to object",
	"Voice":                       "what an agent, or a server's guardrails, said to an intent",
	"Peer":                        "another server: its address, its name, its card; never a token",
	"PeerVerdict":                 "what another server said of an action, beside our verdict",
	"PeerDecision":                "what another server's owner shares of a decision: title, outcome and the like",
	"BESIDE":                      "our verdict on the same action",
	"SENT_TO":                     "the server that a shared decision was sent to, and as of when",
	"ANNOUNCED_BY":                "whose intent it is",
	"ON":                          "the intent that a voice is about",
	"Approval":                    "what a person is asked to allow: an action with its parameters, of one agent",
	"UNDER":                       "the approval that an event is about, or the verdict on an executed tool call",
	"ANSWERED_BY":                 "who approved or rejected a request",
	"Feedback":                    "what an agent said of a context that it had for a need",
	"ABOUT":                       "the context that feedback is on",
	"UnmetNeed":                   "a need for which an agent found no context, and how often",
	"FOUND_NOTHING":               "an event in which a need found no context",
	"LinkChange":                  "an append-only entry: a link between two decisions was made, changed or removed",
	"LINKED_FROM":                 "the decision from which a link leads that was made or removed",
	"LINKED_TO":                   "the decision to which it leads",
	"GAVE":                        "an event in which an agent was given a context: for which need, with which score",
	"HAS_CONTEXT":                 "an atlas's contexts",
	"SYS_Pack":                    "a pack of policies as code, and which nodes it owns",
	"SYS_Change":                  "an append-only entry of history: who changed what, when, why, from and to which version",
	"SYS_Version":                 "the content of a node at some time, whatever it is a version of",
	"SYS_Revision":                "a rule set as a whole, as verdicts came from it; hash identifies it",
	"Verdict":                     "the answer to whether an action is allowed; results and inputs are JSON",
	"Execution":                   "a tool call that a coding agent executed; without UNDER to a verdict it was not checked, and reason says why",
	"VerdictTally":                "how many verdicts of a day were deleted",
	"Token":                       "by which a caller over the network is known: name, rights, and the hash of its secret",
	"SYS_Server":                  "a server over HTTP, and the callers with a limited rate whom it answers",
	"SignOut":                     "a browser session that was signed out; the hash of its id, until its cookie has ended",
	"TokenUsage":                  "calls, denials, refusals and bytes under a name, by day and operation",
	"SYS_PolicyVersion":           "the content of a policy at some time; hash is its SHA-256",
	"SYS_ThresholdVersion":        "the content of a threshold at some time; hash is its SHA-256",
	"SYS_DecisionTableVersion":    "the content of a decision table at some time",
	"SYS_FederationSourceVersion": "the content of a federation source at some time",
	"SubjectConceptVersion":       "the content of a subject concept at some time",
	"AtlasVersion":                "the content of an atlas at some time",
	"ContextVersion":              "the content of a context at some time",
	"SYS_Migration":               "a schema migration that this graph has had",
	"Decision":                    "what was decided; confidence and outcome where there are any; terms and facets only serve search",
	"Reason":                      "a reason for a decision: its type, text and strength",
	"Review":                      "how a decision turned out; a later review supersedes an earlier one, which stays",
	"Revision":                    "a change of a decision's text or fields; changes is JSON with what stood before and after",
	"Agent":                       "who decides; key is the name in lower case",
	"Project":                     "a project, as owner/repo",
	"Tag":                         "what decisions are about",
	"Pattern":                     "an abstract pattern that decisions follow",
	"Session":                     "a run of an agent's work; head and count are the end of its chain of events",
	"TraceEvent":                  "what an agent did in a session; hash covers it and the hash of the event before",
	"Embedding":                   "vectors of a decision, or of a passage of its text: the text, what it looks like (structure), what it is for (function)",
	"LaterPassage":                "an embedding that is not the first of its decision",
	"SYS_SearchIndex":             "which model made the vectors of an index",
	"Unindexed":                   "a decision whose vectors are still to be made",
	"Uncounted":                   "a decision that the counters do not have as it is now",
	"CalibrationCell":             "counters of a scope for all time or a day: recorded, reviewed; counts and sums are described in docs/concepts/calibration.md",
	"CircuitReset":                "somebody closed a circuit breaker",
	"Appeal":                      "a claim that a denial is wrong, and the answer of a person; it changes no verdict",
	"AGAINST":                     "the verdict that an appeal is about",
	"RESETS":                      "the breaker that was closed",
	"Preserved":                   "a decision that compaction shows in full, whatever its age",
	"Retracted":                   "a retracted decision: stored, but hidden from searches and lists; retraction says why",
	"MADE":                        "who made a decision",
	"BECAUSE":                     "a decision's reasons, in order",
	"IN_PROJECT":                  "the project a decision is for",
	"TAGGED":                      "what a decision is about",
	"FOLLOWS":                     "the pattern a decision represents",
	"RELATES_TO":                  "decisions that have to do with each other",
	"SUPERSEDES":                  "a decision that takes another's place",
	"DEPENDS_ON":                  "a decision that stands on another",
	"CONTRADICTS":                 "a decision that cannot hold together with another",
	"BLOCKS":                      "a decision that keeps another from being carried out",
	"HAS_REVIEW":                  "how a decision turned out, every time somebody looked",
	"HAS_REVISION":                "what was changed of a decision",
	"DELIBERATED_BY":              "what was queried, checked and thought before a decision, in order",
	"RECORDED":                    "a session's events",
	"OF":                          "what an embedding is of",
	"GOVERNED_BY":                 "a policy belongs to a decision table",
	"USES_THRESHOLD":              "a policy or table reads a threshold",
	"FEEDS_INTO":                  "a table's outcome is another table's input",
	"OWNS":                        "a pack brought a node; applied is what it last gave it, as JSON; mode was chosen for it when the pack was applied",
	"CHANGED":                     "a node's history",
	"HAS_VERSION":                 "a node's contents so far",
	"CURRENT_VERSION":             "the content that was recorded last",
	"HAS_ROW":                     "a decision table's rows",
	"Proposal":                    "a proposed change of the rules: diff as a pack fragment, and the revision that it was replayed with",
	"Replay":                      "a stored replay of recorded actions; hash names the changed rules",
	"PROPOSED_BY":                 "the agent that proposed a change",
	"DECIDED_BY":                  "the person who approved or rejected a proposal",
	"CHANGES":                     "a policy, threshold or table that a proposal changes",
	"BECAUSE_OF":                  "a decision, verdict or review that a proposal follows from",
	"REPLAYED":                    "a replay of a proposal",
	"ProposalStep":                "a step of a proposal: its new state, the person, the time and the reason",
	"HAS_STEP":                    "the steps of a proposal so far",
	"APPLIED":                     "a rule, as it was then, that objected; result says how",
	"INCLUDES":                    "a version that is part of a rule set",
	"JUDGED":                      "what a verdict is about",
}
