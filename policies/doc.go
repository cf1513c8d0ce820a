// Package policies reads and changes the guardrails of an organisation: SYS_Policy, SYS_Threshold, SYS_DecisionTable,
// SYS_FederationSource and SubjectConcept nodes, and the packs (YAML) that bring them into the graph.
//
// Nodes that others wrote are read as they are: mixed value types, missing properties, two nodes of one name. What is ours
// (packs, changes, versions) stands on nodes of its own, so nothing foreign is rewritten.
package policies
