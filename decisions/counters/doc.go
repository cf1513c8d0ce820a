// Package counters aggregates outcomes in the background and reads the aggregates.
//
// Store.Wake starts the aggregation of dirty decisions, and Close ends it. Stats, ReasonStats, Drift and Plot read
// counters. RebuildStats recomputes them. OfCategory, DriftAlerts and PatternsOf serve other
// packages of the domain, and ReadProfile, ReadConfirmedPatterns and ReadDriftAlerts give them parts of a joined statement. Package calibration has the arithmetic.
package counters
