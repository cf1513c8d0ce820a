// Package policies is the ground of the rooms that read, judge and change the rules of an organization: what SYS_Policy,
// SYS_Threshold and SYS_DecisionTable nodes are. It does nothing with them; each folder beside it is one thing that is done.
//
// A node is read as a Stored and answered as a Node with its Reading. Pick and Chosen find the one that a name and a scope
// mean, Version is the hash of what it says, a Subject names it where its history is asked for, and a Page is how much of a
// list is wanted. Packs holds the text of the shipped packs.
//
// Nodes that others wrote are read as they are: mixed value types, missing properties, two nodes of one name. What is ours
// (packs, changes, versions) stands on nodes of its own, so nothing foreign is rewritten.
package policies
