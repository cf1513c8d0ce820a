// Package change writes rules. No other package changes policies, thresholds and tables.
//
// Store.Apply applies packs or previews the change; RemovePack removes one, and Packs lists the applied packs.
// SetThreshold, CreateThreshold, SetPolicyMode and SwitchPolicy change one node; Revert restores an earlier version.
// Each writes its entry of the history in the same transaction.
package change
