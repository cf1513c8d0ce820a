// Package live reads the current policies, thresholds and reference data and notifies watchers of changes.
//
// Store.Policy and Store.Threshold read one name. Policies, Thresholds, FederationSources and SubjectConcepts are
// lists, ExportThresholds returns thresholds for scripts, and Duplicates the names that several nodes have. Subscribe
// notifies of changes of one name.
package live
