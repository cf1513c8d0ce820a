package archive

// WithBatches makes transactions of an import smaller; what it returns makes them as they were.
func WithBatches(nodes, relationships int) (restore func()) {
	n, r := maxNodes, maxRelationships
	maxNodes, maxRelationships = nodes, relationships
	return func() { maxNodes, maxRelationships = n, r }
}
