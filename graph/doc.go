// Package graph is the only room that speaks Bolt. It connects to the Neo4j at NEO4J_URI or to the managed engine, brings
// the schema up to date, runs the named statements of package cypher, and turns rows into structs and driver errors into
// faults.
//
// Open returns at once: the connection is made in the background, and a call that comes too early waits for it, with
// progress. A connection that is lost is made again by the next call.
package graph
