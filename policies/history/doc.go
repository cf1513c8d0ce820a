// Package history records every change of a policy, threshold or table and reads earlier versions.
//
// Store.Record, RecordObserved and RecordRemoved append a Change in the transaction that makes the change, or for a
// manual edit. Store.Entries reads the history of a subject, AsOf its content at a time or in a version, and Compare
// the difference between two versions. Sync detects manual edits in the whole graph.
package history
