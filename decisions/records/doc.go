// Package records reads decision records that others wrote, in the forms there are, into one neutral Entry. It only parses:
// it knows no graph.
//
// Nothing of a record is lost on the way. What has no place of its own is kept in Entry.Extra, or as a section of
// Entry.Context.
package records
