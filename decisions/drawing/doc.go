// Package drawing puts the nodes of a graph in their places on a plane, and draws them as SVG. The same graph has the same picture each time: nothing
// is left to chance, and the order in which nodes and links are given does not matter. It knows no graph.
//
//	places := drawing.Place(nodes, edges)   // of the size of one distance between neighbors
//	places = drawing.PlaceApart(nodes, edges)   // without a center, possibly disconnected
//	svg := drawing.Picture{Nodes: nodes, Edges: edges, Places: places}.SVG()
package drawing
