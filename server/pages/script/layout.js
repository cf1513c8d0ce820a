// A worker that computes layouts: ForceAtlas2 from fixed starting points, then nodes that cover each other are moved apart. Its random numbers
// are seeded, so the same view has the same layout. Nodes of a later expansion are laid out around the earlier ones, which stay. Graphs of
// many nodes are divided into clusters (Louvain), which their layout shows.
"use strict";
self.DOMParser = self.Document = class {}; // the library's readers of XML look for them
importScripts("graphology.umd.min.js", "graphology-library.min.js");
const { layoutForceAtlas2: forces, layoutNoverlap: noverlap, communitiesLouvain: louvain } = graphologyLibrary;

const many = 1000; // nodes from which clusters are shown
const readable = 600; // nodes up to which none may cover another
const stageHeight = 1000; // of the virtual stage of positions
let state = 1;
const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
Math.random = random;

self.addEventListener("message", ({ data: { id, nodes, edges, stage } }) => {
  state = 1;
  const graph = new graphology.UndirectedGraph();
  nodes.forEach(({ round, size }, i) => graph.addNode(i, { x: 10 * Math.sqrt(i) * Math.cos(2.4 * i), y: 10 * Math.sqrt(i) * Math.sin(2.4 * i), round, size, weight: 1 })); // nearest nodes first: a spiral
  for (const [from, to] of edges) if (from !== to) graph.mergeEdge(from, to, { weight: 1 });
  if (nodes.length >= many) {
    louvain.assign(graph, { rng: random, getEdgeWeight: null, nodeCommunityAttribute: "cluster" });
    graph.updateEachEdgeAttributes((_, edge, from, to, a, b) => ({ weight: a.cluster === b.cluster ? 1 : 0.05 }));
  }
  arrange(graph);
  spread(graph, stage[0] / stage[1]);
  apart(graph, stage);
  self.postMessage({ id, places: graph.mapNodes((_, { x, y, cluster }) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10, cluster]) });
});

// arrange runs ForceAtlas2 for the nodes of each round, in order.
function arrange(graph) {
  const rounds = [...new Set(graph.mapNodes((_, { round }) => round))].sort((a, b) => a - b);
  for (const round of rounds) {
    const part = new graphology.UndirectedGraph();
    graph.forEachNode((i, node) => { if (node.round <= round) part.addNode(i, { ...node, fixed: node.round < round }); });
    graph.forEachEdge((_, edge, from, to) => { if (part.hasNode(from) && part.hasNode(to)) part.addEdge(from, to, edge); });
    if (round > rounds[0]) part.forEachNode((i, node) => { // new nodes start near their earlier neighbors
      const near = node.fixed ? [] : part.filterNeighbors(i, (_, other) => other.fixed).map((other) => part.getNodeAttributes(other));
      if (near.length) part.mergeNodeAttributes(i, { x: near.reduce((sum, { x }) => sum + x, 0) / near.length + random(), y: near.reduce((sum, { y }) => sum + y, 0) / near.length + random() });
    });
    const iterations = part.order <= 300 ? 400 : part.order <= 800 ? 200 : part.order <= 3000 ? 100 : 40;
    forces.assign(part, { iterations, settings: { scalingRatio: 8, gravity: 0.6, edgeWeightInfluence: 1, slowDown: 1 + Math.log(part.order), barnesHutOptimize: part.order > 400, barnesHutTheta: 0.7 } });
    part.forEachNode((i, { x, y, fixed }) => { if (!fixed) graph.mergeNodeAttributes(i, { x, y }); });
  }
}

// extent returns the first and the last position on an axis.
const extent = (nodes, axis) => [Math.min(...nodes.map((node) => node[axis])), Math.max(...nodes.map((node) => node[axis]))];

// spread scales the layout so that the first round fills the virtual stage. It stretches one direction by at most a half more than the other.
function spread(graph, wide) {
  const all = graph.mapNodes((_, node) => node), first = Math.min(...all.map(({ round }) => round)), own = all.filter(({ round }) => round === first);
  const [[left, right], [top, bottom]] = [extent(own, "x"), extent(own, "y")], stretch = 1.5;
  let [sx, sy] = [(stageHeight * wide) / Math.max(right - left, 1e-6), stageHeight / Math.max(bottom - top, 1e-6)];
  if (own.length < 3) sx = sy = 150 / Math.max(right - left, bottom - top, 1);
  sx = Math.min(sx, sy * stretch);
  sy = Math.min(sy, sx * stretch);
  graph.updateEachNodeAttributes((_, node) => ({ ...node, x: (node.x - left) * sx, y: (node.y - top) * sy }));
}

// apart moves nodes so that none covers another on a stage of the given pixels, on which the layout is drawn as large as it fits. Sizes are
// in pixels. Moving nodes makes the layout larger, and with it each node in its units, so nodes are moved several times.
function apart(graph, stage) {
  for (let turn = 0, moved = true; moved && turn < (graph.order > readable ? 1 : 12); turn++) {
    const nodes = graph.mapNodes((_, node) => node), [[left, right], [top, bottom]] = [extent(nodes, "x"), extent(nodes, "y")];
    const unit = Math.max((right - left) / stage[0], (bottom - top) / stage[1]), gap = (graph.order > 150 ? 2 : 4) * unit;
    if (graph.order > readable) return noverlap.assign(graph, { maxIterations: 60, inputReducer: (_, { x, y, size }) => ({ x, y, size: size * unit }), settings: { gridSize: 60, margin: gap, expansion: 1.1, ratio: 1, speed: 3 } });
    moved = false;
    for (let n = 0, over = true; n < 100 && over; n++) {
      over = false;
      nodes.forEach((a, i) => nodes.slice(i + 1).forEach((b) => {
        const dx = b.x - a.x, dy = b.y - a.y, least = (a.size + b.size) * unit + gap, far = Math.hypot(dx, dy);
        if (far >= least) return;
        const by = (1.02 * least - far) / 2, [x, y] = far > 0 ? [dx / far, dy / far] : [1, 0];
        a.x -= x * by; a.y -= y * by; b.x += x * by; b.y += y * by;
        over = moved = true;
      }));
    }
  }
}
