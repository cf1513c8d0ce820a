// Package counters aggregates outcomes in the background and reads the aggregates.
//
// Store.Wake starts the aggregation of dirty decisions, and Close ends it. Stats, ReasonStats, Drift and Plot read
// counters. RebuildStats recomputes them. OfCategory, DriftAlerts, Profile, PatternsOf
// and ConfirmedPatterns serve other packages of the domain. Package calibration has the arithmetic.
package counters
