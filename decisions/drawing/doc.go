// Package drawing computes a layout for the nodes of a graph and renders it as SVG. The layout is deterministic: it
// uses no random numbers and does not depend on the order of nodes and edges. It reads no graph.
//
//	places := drawing.Place(nodes, edges)   // in units of one edge length
//	svg := drawing.Picture{Nodes: nodes, Edges: edges, Places: places}.SVG()
package drawing
