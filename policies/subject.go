package policies

// Kinds of nodes with a history. Policies and thresholds can be watched individually.
const (
	KindPolicy    = "policy"
	KindThreshold = "threshold"
	KindTable     = "table"
	KindAtlas     = "atlas"
	KindContext   = "context"
)

// LabelsOfKinds maps kinds to labels.
var LabelsOfKinds = map[string]string{KindPolicy: "SYS_Policy", KindThreshold: "SYS_Threshold",
	KindTable: "SYS_DecisionTable",
	KindAtlas: "Atlas", KindContext: "Context"}

// Subject identifies a node with a history.
type Subject struct {
	Kind string `json:"kind" jsonschema:"kind of the node" rule:"enum=policy|threshold|table|atlas|context"`
	Name string `json:"name" jsonschema:"name, or id of a table, atlas or context" rule:"minLength=1,maxLength=200"`
}

// Label returns the label of the subject's node.
func (s Subject) Label() string { return LabelsOfKinds[s.Kind] }
