package archive

// WithBatches makes the transactions of an import smaller until restore is called.
func WithBatches(nodes, relationships int) (restore func()) {
	n, r := maxNodes, maxRelationships
	maxNodes, maxRelationships = nodes, relationships
	return func() { maxNodes, maxRelationships = n, r }
}
