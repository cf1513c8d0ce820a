// Package change writes rules: it is the only room that changes what policies, thresholds and tables say.
//
// Store.Apply brings packs into the graph, or shows what it would do; RemovePack takes one away, and Packs lists those that
// were applied. SetThreshold, CreateThreshold, SetPolicyMode and SwitchPolicy change one node, and Revert goes back to an
// earlier version. Each writes its entry of the history in the same transaction, or nothing.
package change
