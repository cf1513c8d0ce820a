// Package policies holds the core types of rules: the SYS_Policy, SYS_Threshold and SYS_DecisionTable nodes.
// Subpackages read, evaluate and change them.
//
// A node is read as a Stored and returned as a Node with its Reading. Pick finds the node for a name and a scope,
// Version is the content hash, a Subject names a node in its history, and a Page selects a part of a list. Packs
// holds the text of the shipped packs.
//
// Nodes that others wrote are read as they are: mixed value types, missing properties, duplicate names. Packs, changes
// and versions are nodes of their own, so foreign nodes are never rewritten.
package policies
