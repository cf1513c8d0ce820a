// Package graph is the only package that speaks Bolt. It connects to the Neo4j at NEO4J_URI or to the managed engine,
// applies migrations, runs the named statements of package cypher, decodes rows into structs, and turns driver errors
// into apperr.Error values.
//
// Open returns immediately. The connection is made in the background; a call that comes earlier waits for it and
// reports progress. A lost connection is restored by the next call.
package graph
