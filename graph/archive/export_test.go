package archive

// WithBatches makes transactions of an import smaller; what it returns makes them as they were.
func WithBatches(nodes, relationships int) (restore func()) {
	n, r := mostNodes, mostRelationships
	mostNodes, mostRelationships = nodes, relationships
	return func() { mostNodes, mostRelationships = n, r }
}
