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

// Schema describes a graph for authors of queries. Counts come from the server's statistics, properties from a sample
// of nodes.
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
		if len(q.Labels) == 0 || slices.ContainsFunc(i.LabelsOrTypes,
			func(l string) bool { return slices.Contains(q.Labels, l) }) {
			schema.Indexes = append(schema.Indexes, IndexInfo{i.Name, i.Type, i.LabelsOrTypes, i.Properties})
		}
	}
	return schema, nil
}

func (db *DB) sample(ctx context.Context, labels []LabelInfo) error {
	for i := range labels {
		// A label parameter cannot use an index, so the label is part of the text: quoted, and known to exist.
		statement := cypher.PropertiesOfLabel.With("`__LABEL__`", "`"+strings.ReplaceAll(labels[i].Label, "`", "``")+
			"`")
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
			t = &RelationshipInfo{Type: r.RelationshipType, From: []string{}, To: []string{},
				About: meanings[r.RelationshipType]}
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
			return apperr.Newf(apperr.NotFound, "Label '%s' not found", label).
				WithHint("Labels: %s", strings.Join(there, ", ")).With("labels", there)
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
	"SYS_Policy":                  "a rule of the organization; rules with active = true are evaluated; facet_key names a facet that the rule forbids",
	"SYS_Threshold":               "a number, text or boolean that code and rules read; domain_scope limits it to a scope",
	"SYS_DecisionTable":           "a decision table; hit_policy says which matching rows give the result",
	"SYS_DecisionRow":             "a row of a decision table: conditions in CEL, outputs as JSON",
	"SYS_Program":                 "what a program does that rules about commands should know: which of its arguments it reads, writes, deletes or sends",
	"SYS_FederationSource":        "a source of reference data",
	"SYS_Webhook":                 "how far events were sent to an address",
	"WebhookDelivery":             "a message to a webhook that failed",
	"SubjectConcept":              "a concept of the subject catalog",
	"Chunk":                       "a piece of memory: turns of a conversation, events of a session, or a decision; text holds its words",
	"ChunkEmbedding":              "vectors of a memory chunk or of a passage of the chunk",
	"LaterChunkPassage":           "an embedding of the second or a later passage of a chunk",
	"UnindexedChunk":              "a chunk without vectors; the indexer creates them",
	"Unremembered":                "a session or decision whose chunks are missing or outdated",
	"ForgottenChunk":              "a trace of a forgotten chunk: its hash and its position",
	"MemoryProject":               "the number of memory chunks of a project",
	"NEXT":                        "the next chunk of the same session",
	"FROM":                        "the source of a chunk: a session, its first event, or decisions",
	"Atlas":                       "a set of contexts for agents about one topic, with the actions that it describes; owned by the pack atlas:ID",
	"Context":                     "instructions that agents request when they need them",
	"ContextEmbedding":            "vectors of a context or of a passage of the context",
	"Intent":                      "an action that an agent announced, so that other agents can object",
	"Voice":                       "a vote of an agent, or of a server's guardrails, on an intent",
	"Peer":                        "another server: its address, its name and its card; tokens are not stored here",
	"PeerVerdict":                 "another server's verdict on an action that was also checked here",
	"PeerDecision":                "a decision that another server shared: title, outcome and other fields",
	"BESIDE":                      "the local verdict on the same action",
	"SENT_TO":                     "the server that received a shared decision, with the state that was sent",
	"ANNOUNCED_BY":                "the agent that announced an intent",
	"ON":                          "the intent of a vote",
	"Approval":                    "a request that a person approve an action of one agent with exactly these parameters",
	"UNDER":                       "the approval that an event used, or the verdict on an executed tool call",
	"ANSWERED_BY":                 "the person who approved or rejected a request",
	"Feedback":                    "an agent's rating of a context for a need",
	"ABOUT":                       "the context that feedback rates",
	"UnmetNeed":                   "a need for which agents found no context, with the number of times",
	"FOUND_NOTHING":               "an event in which an agent found no context for a need",
	"LinkChange":                  "an append-only entry: a link between two decisions was created, changed or removed",
	"LINKED_FROM":                 "the decision at the start of a changed link",
	"LINKED_TO":                   "the decision at the end of a changed link",
	"GAVE":                        "a context that an event gave to an agent, with the need and the score",
	"HAS_CONTEXT":                 "a context of an atlas",
	"SYS_Pack":                    "an applied pack of rules; OWNS leads to the nodes that it owns",
	"SYS_Change":                  "an append-only entry of the history: person, time, reason, and the versions before and after",
	"SYS_Version":                 "the content of a node of any kind at some time",
	"SYS_Revision":                "a complete rule set that verdicts were based on; hash identifies it",
	"Verdict":                     "the result of checking an action; results and inputs are JSON",
	"Execution":                   "a tool call that a coding agent executed; without UNDER it was not checked, and reason says why",
	"VerdictTally":                "the number of deleted verdicts of a day",
	"Token":                       "a caller over the network: name, permissions, and the hash of the secret",
	"SYS_Server":                  "an HTTP server, with the rate-limited callers that it serves",
	"SignOut":                     "a browser session that was signed out: the hash of its id, stored until its cookie has expired",
	"TokenUsage":                  "calls, denials, refused calls and bytes of a name, by day and operation",
	"SYS_PolicyVersion":           "the content of a policy at some time; hash is its SHA-256",
	"SYS_ThresholdVersion":        "the content of a threshold at some time; hash is its SHA-256",
	"SYS_DecisionTableVersion":    "the content of a decision table at some time",
	"SYS_ProgramVersion":          "the content of a program at some time",
	"SYS_FederationSourceVersion": "the content of a federation source at some time",
	"SubjectConceptVersion":       "the content of a subject concept at some time",
	"AtlasVersion":                "the content of an atlas at some time",
	"ContextVersion":              "the content of a context at some time",
	"SYS_Migration":               "an applied schema migration",
	"Decision":                    "a recorded decision; confidence and outcome may be absent; terms and facets serve search only",
	"Reason":                      "a reason for a decision: its type, text and strength",
	"Review":                      "an outcome of a decision; a later review supersedes an earlier one, which is still stored",
	"Revision":                    "a change of a decision's text or fields; changes is JSON with the values before and after",
	"Agent":                       "an agent or person; key is the name in lower case",
	"Project":                     "a project, as owner/repo",
	"Tag":                         "a topic of decisions",
	"Pattern":                     "an abstract pattern that decisions follow",
	"Session":                     "a session of an agent; head and count describe the end of its chain of events",
	"TraceEvent":                  "an event of a session; hash covers the event and the hash of the event before it",
	"Embedding":                   "vectors of a decision or of a passage of its text, for the text, its structure and its function",
	"LaterPassage":                "an embedding of the second or a later passage of a decision",
	"SYS_SearchIndex":             "the model that made the vectors of an index",
	"Unindexed":                   "a decision without vectors; the indexer creates them",
	"Uncounted":                   "a decision that the calibration counters do not yet include in its current state",
	"CalibrationCell":             "counters of a scope for all time or a day: recorded, reviewed; counts and sums are described in docs/concepts/calibration.md",
	"CircuitReset":                "a reset of a circuit breaker by a person",
	"Appeal":                      "a claim that a denial is wrong, with a person's answer; the verdict itself stays unchanged",
	"AGAINST":                     "the verdict that an appeal contests",
	"RESETS":                      "the breaker that was reset",
	"Preserved":                   "a decision that compaction shows in full, regardless of its age",
	"Retracted":                   "a retracted decision: stored, but hidden from searches and lists; retraction holds the reason",
	"MADE":                        "a decision that an agent made",
	"BECAUSE":                     "a reason for a decision; the reasons are ordered",
	"IN_PROJECT":                  "the project of a decision",
	"TAGGED":                      "a tag of a decision",
	"FOLLOWS":                     "the pattern that a decision follows",
	"RELATES_TO":                  "a related decision",
	"SUPERSEDES":                  "the decision that this one replaces",
	"DEPENDS_ON":                  "the decision that this one depends on",
	"CONTRADICTS":                 "a decision that is incompatible with this one",
	"BLOCKS":                      "a decision that this one prevents from being carried out",
	"HAS_REVIEW":                  "a review of a decision",
	"HAS_REVISION":                "a revision of a decision",
	"DELIBERATED_BY":              "a query, check or thought before a decision; they are ordered",
	"RECORDED":                    "an event of a session",
	"OF":                          "the decision, chunk or context of an embedding, or the agent of a token",
	"GOVERNED_BY":                 "the decision table that a policy belongs to",
	"USES_THRESHOLD":              "a threshold that a policy or table reads",
	"FEEDS_INTO":                  "the table that takes this table's result as an input",
	"OWNS":                        "a node that a pack created; applied holds the values that the pack set last, as JSON; mode was chosen when the pack was applied",
	"CHANGED":                     "an entry of a node's history",
	"HAS_VERSION":                 "a version of a node",
	"CURRENT_VERSION":             "the newest version of a node",
	"HAS_ROW":                     "a row of a decision table",
	"Proposal":                    "a proposed change of the rules: diff as a pack fragment, and the revision that it was replayed with",
	"Replay":                      "a stored replay of recorded actions; hash names the changed rules",
	"PROPOSED_BY":                 "the agent that proposed a change",
	"DECIDED_BY":                  "the person who approved or rejected a proposal",
	"CHANGES":                     "a policy, threshold or table that a proposal changes",
	"BECAUSE_OF":                  "a decision, verdict or review that a proposal is based on",
	"REPLAYED":                    "a replay of a proposal",
	"ProposalStep":                "a step of a proposal: its new state, the person, the time and the reason",
	"HAS_STEP":                    "a step of a proposal",
	"FAILED":                      "a message that the webhook could not deliver",
	"APPLIED":                     "the version of a rule that a verdict reports as violated; result says how",
	"INCLUDES":                    "a version that belongs to a rule set",
	"JUDGED":                      "the decision that a verdict is about",
}
