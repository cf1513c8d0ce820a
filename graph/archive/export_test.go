package archive

// WithBatches makes the transactions of an import smaller until restore is called.
func WithBatches(nodes, relationships int) (restore func()) {
	n, r := maxNodes, maxRelationships
	maxNodes, maxRelationships = nodes, relationships
	return func() { maxNodes, maxRelationships = n, r }
}

// Lines of a file, and the conversion of properties between its form and Bolt's types.
type (
	Line         = line
	Node         = node
	Relationship = relationship
)

var (
	EncodeProperties = encodeProperties
	DecodeProperties = decodeProperties
	ToFloat32        = toFloat32
)
