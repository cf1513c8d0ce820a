// Package records parses decision records written by others, in the common formats, into one neutral Entry. It reads no
// graph.
//
// The whole record is preserved. Parts without a field of their own are stored in Entry.Extra or as a section of
// Entry.Context.
package records
