package drawing

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

const gap = 1.2 // between connected components

// PlaceComponents places the nodes of a graph without a center. It places each connected component around its node
// with the most links, and the components in rows, largest first.
func PlaceComponents(nodes []Node, edges []Edge) []Point {
	parts := partsOf(nodes, edges)
	places := make([]Point, len(nodes))
	type box struct {
		of   []int
		at   []Point
		w, h float64
	}
	var boxes []box
	area := 0.0
	for _, of := range parts {
		own, links := make([]Node, len(of)), []Edge{}
		place, degree := map[int]int{}, make([]int, len(of))
		for i, n := range of {
			own[i], place[n] = nodes[n], i
			own[i].Center, own[i].Round = false, 0
		}
		for _, e := range edges {
			from, inside := place[e.From]
			if to, also := place[e.To]; inside && also {
				links = append(links, Edge{From: from, To: to})
				degree[from]++
				degree[to]++
			}
		}
		center := 0
		for i := range own {
			if cmp.Or(degree[center]-degree[i], strings.Compare(own[i].ID, own[center].ID)) < 0 {
				center = i
			}
		}
		own[center].Center = true
		at := Place(own, links)
		low, high := bounds(at)
		for i := range at {
			at[i] = Point{at[i].X - low.X, at[i].Y - low.Y}
		}
		b := box{of, at, high.X - low.X + gap, high.Y - low.Y + gap}
		area += b.w * b.h
		boxes = append(boxes, b)
	}
	wide := 1.4 * math.Sqrt(area)
	x, y, tall := 0.0, 0.0, 0.0
	for _, b := range boxes {
		if x > 0 && x+b.w > wide {
			x, y, tall = 0, y+tall, 0
		}
		for i, n := range b.of {
			places[n] = Point{math.Round((x+b.at[i].X)*1000) / 1000, math.Round((y+b.at[i].Y)*1000) / 1000}
		}
		x, tall = x+b.w, max(tall, b.h)
	}
	return places
}

// partsOf returns the connected components, largest first, by indices in the order of their ids.
func partsOf(nodes []Node, edges []Edge) [][]int {
	root := make([]int, len(nodes))
	for i := range root {
		root[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if root[i] != i {
			root[i] = find(root[i])
		}
		return root[i]
	}
	for _, e := range edges {
		root[find(e.From)] = find(e.To)
	}
	by := map[int][]int{}
	for i := range nodes {
		by[find(i)] = append(by[find(i)], i)
	}
	var parts [][]int
	for _, part := range by {
		slices.SortFunc(part, func(a, b int) int { return strings.Compare(nodes[a].ID, nodes[b].ID) })
		parts = append(parts, part)
	}
	slices.SortFunc(parts, func(a, b []int) int {
		return cmp.Or(len(b)-len(a), strings.Compare(nodes[a[0]].ID, nodes[b[0]].ID))
	})
	return parts
}
