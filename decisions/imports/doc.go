// Package imports brings decisions that were made elsewhere into the graph, and brings them up to date when they are brought
// again.
//
// Store.Import takes the entries of package records, one after another, by Options, and tells in Imported what was created,
// updated and left alone. Imported decisions are judged by no rule: they were made already.
package imports
