// Package counters counts how decisions turned out, behind the answers, and reads what was counted.
//
// Store.Wake has marked decisions counted in the background, and Close ends that. Stats, ReasonStats, Drift and Plot answer from
// the counters; RebuildStats counts anew. OfCategory, Profile, DriftAlerts, ConfirmedPatterns and PatternsOf are for rooms that
// speak of the record. The arithmetic is that of package calibration.
package counters
