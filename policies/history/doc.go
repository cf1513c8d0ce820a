// Package history records every change of a policy, threshold or table, and tells what each said when.
//
// Store.Record, RecordObserved and RecordRemoved append a Change in the transaction that makes it, or for what was changed past
// Nomograph. Store.Of reads the history of a subject, AsOf what it said at a time or in a version, and Compare what became
// otherwise between two of them. Sync looks through the whole graph for what was changed past Nomograph.
package history
