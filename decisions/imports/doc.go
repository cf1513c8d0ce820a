// Package imports brings decisions that were made elsewhere into the graph and updates them when they are imported
// again.
//
// Store.Import takes entries of package records one by one, with Options, and reports in Imported how many were
// created, updated and unchanged. No rule is evaluated for imported decisions, because they were made already.
package imports
