package policies

// The kinds of what has a history. A table cannot be watched.
const (
	KindPolicy    = "policy"
	KindThreshold = "threshold"
	KindTable     = "table"
)

// LabelsOfKinds are the labels of nodes by kind.
var LabelsOfKinds = map[string]string{KindPolicy: "SYS_Policy", KindThreshold: "SYS_Threshold", KindTable: "SYS_DecisionTable"}

// Subject names what has a history.
type Subject struct {
	Kind string `json:"kind" jsonschema:"what has the history" rule:"enum=policy|threshold|table"`
	Name string `json:"name" jsonschema:"its name; of a table its id" rule:"minLength=1,maxLength=200"`
}

// Label is the label of the subject's node.
func (s Subject) Label() string { return LabelsOfKinds[s.Kind] }
