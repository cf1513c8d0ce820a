package cypher

// Statements of graph/archive: export and import of all data.
var (
	PacksLock                   = writes("archive/packs_lock")
	ArchiveSize                 = reads("archive/size")
	ArchiveNodes                = reads("archive/nodes")
	ArchiveVectors              = reads("archive/vectors")
	ArchiveRelationships        = reads("archive/relationships")
	ArchiveFind                 = reads("archive/find")
	ArchiveNameless             = reads("archive/nameless")
	ArchiveNodesByUID           = reads("archive/nodes_by_uid")
	ArchiveBetween              = reads("archive/between")
	ArchiveSingleRelationships  = reads("archive/single_relationships")
	ArchiveNodesCreate          = writes("archive/nodes_create")
	ArchiveNodesReplace         = writes("archive/nodes_replace")
	ArchiveStartRemove          = writes("archive/start_remove")
	ArchiveVectorsCreate        = writes("archive/vectors_create")
	ArchiveRelationshipsCreate  = writes("archive/relationships_create")
	ArchiveRelationshipsReplace = writes("archive/relationships_replace")
	ArchiveRelationshipsRemove  = writes("archive/relationships_remove")
)
