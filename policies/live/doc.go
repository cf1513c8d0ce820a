// Package live reads policies, thresholds and what else is there to be looked up, as it stands now, and tells whoever watches
// when it changes.
//
// Store.Policy and Store.Threshold answer for one name; Policies, Thresholds, FederationSources and SubjectConcepts are
// lists, ExportThresholds gives thresholds to scripts, and Duplicates the names that several nodes have. A Watcher has one
// poller for all of its subscribers.
package live
