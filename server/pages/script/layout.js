// A worker that refines the server's layout: ForceAtlas2 from the server's positions, then noverlap. It has no randomness, so the same view
// has the same layout. Nodes of a later expansion are laid out around the earlier ones, which stay. Positions are in units of a virtual
// stage.
"use strict";

const stageHeight = 1000; // of the virtual stage
const slots = 10; // numbers per node in the matrix of ForceAtlas2: x, y, and at 6 its mass, at 8 its size, at 9 whether it is fixed

// Both libraries are CommonJS modules with global variables of the same names, so the second one is loaded after the first has finished.
function library(name) {
  self.module = {};
  importScripts(name);
  return self.module.exports;
}

let state = 1; // noverlap separates nodes at the same place by random numbers
Math.random = () => (state = (state * 16807) % 2147483647) / 2147483647;

const iterations = (nodes) => (nodes <= 300 ? 300 : nodes <= 800 ? 120 : 50);

self.addEventListener("message", ({ data: { nodes, edges, stage } }) => {
  const places = forced(nodes, edges);
  spread(nodes, places, stage[0] / stage[1]);
  apart(nodes, places, stage);
  self.postMessage(places);
});

// forced runs ForceAtlas2 for the nodes of each round, in order.
function forced(nodes, edges) {
  const iterate = library("forceatlas2.js"), places = nodes.map(({ x, y }) => [x, y]);
  const rounds = [...new Set(nodes.map((node) => node.round))].sort((a, b) => a - b);
  for (const round of rounds) {
    const members = nodes.flatMap((node, i) => (node.round <= round ? [i] : [])), index = new Map(members.map((i, at) => [i, at]));
    const links = edges.filter(([from, to]) => index.has(from) && index.has(to) && from !== to);
    if (round > rounds[0]) for (const i of members) if (nodes[i].round === round) follow(i, nodes, links, places, round);
    const matrix = new Float32Array(members.length * slots), mass = new Float32Array(nodes.length).fill(1);
    for (const [from, to] of links) { mass[from]++; mass[to]++; }
    members.forEach((i, at) => {
      const to = at * slots;
      [matrix[to], matrix[to + 1], matrix[to + 6], matrix[to + 7], matrix[to + 8], matrix[to + 9]] = [places[i][0] * 10, places[i][1] * 10, mass[i], 1, 1, nodes[i].round < round ? 1 : 0];
    });
    const lines = new Float32Array(links.flatMap(([from, to]) => [index.get(from) * slots, index.get(to) * slots, 1]));
    const options = { linLogMode: false, outboundAttractionDistribution: false, adjustSizes: false, edgeWeightInfluence: 0, scalingRatio: 8, strongGravityMode: false, gravity: 0.6, slowDown: 1 + Math.log(members.length), barnesHutOptimize: members.length > 400, barnesHutTheta: 0.7 };
    for (let n = iterations(members.length); n > 0; n--) iterate(options, matrix, lines);
    members.forEach((i, at) => { if (nodes[i].round === round) places[i] = [matrix[at * slots] / 10, matrix[at * slots + 1] / 10]; });
  }
  return places;
}

// follow moves a new node as far as its earlier neighbors were moved.
function follow(i, nodes, links, places, round) {
  let [dx, dy, n] = [0, 0, 0];
  for (const [from, to] of links) {
    const other = from === i ? to : to === i ? from : -1;
    if (other < 0 || nodes[other].round >= round) continue;
    dx += places[other][0] - nodes[other].x;
    dy += places[other][1] - nodes[other].y;
    n++;
  }
  if (n > 0) places[i] = [nodes[i].x + dx / n, nodes[i].y + dy / n];
}

// spread scales the layout so that the first round fills the virtual stage. It stretches one direction by at most a half more than the other.
function spread(nodes, places, wide) {
  const first = Math.min(...nodes.map((node) => node.round));
  const own = places.filter((_, i) => nodes[i].round === first);
  const extent = (axis) => { const all = own.map((at) => at[axis]).sort((a, b) => a - b), cut = Math.floor(all.length / 50); return [all[cut], Math.max(all[all.length - 1 - cut] - all[cut], 1e-6)]; };
  const [[left, width], [top, height]] = [extent(0), extent(1)];
  let [sx, sy] = [(stageHeight * wide) / width, stageHeight / height];
  if (own.length < 3) sx = sy = 150 / Math.max(width, height, 1);
  const maxStretch = 1.5;
  sx = Math.min(sx, sy * maxStretch);
  sy = Math.min(sy, sx * maxStretch);
  for (const at of places) [at[0], at[1]] = [(at[0] - left) * sx, (at[1] - top) * sy];
}

// apart moves nodes so that none covers another on a stage of the given pixels, on which the layout is drawn as large as it fits. Sizes are
// in pixels. Moving nodes makes the layout larger, and with it each node in its units, so a graph that can be read is moved several times.
function apart(nodes, places, stage) {
  const iterate = library("noverlap.js"), matrix = new Float32Array(nodes.length * 3), readable = nodes.length <= 600;
  const extent = (axis) => { const all = places.map((at) => at[axis]); return Math.max(...all) - Math.min(...all); };
  const gap = nodes.length > 150 ? 2 : 4; // pixels
  for (let turn = readable ? 8 : 1; turn > 0; turn--) {
    const unit = Math.max(extent(0) / stage[0], extent(1) / stage[1]); // of a pixel
    nodes.forEach(({ size }, i) => { [matrix[3 * i], matrix[3 * i + 1], matrix[3 * i + 2]] = [places[i][0], places[i][1], size * unit]; });
    const options = { gridSize: readable ? 20 : 60, margin: gap * unit, expansion: 1.1, ratio: 1, speed: 3 };
    for (let n = 0; n < 300 && !iterate(options, matrix).converged; n++);
    const moved = readable && finish(matrix, gap * unit);
    nodes.forEach((_, i) => { places[i] = [Math.round(matrix[3 * i] * 10) / 10, Math.round(matrix[3 * i + 1] * 10) / 10]; });
    if (turn < 8 && !moved) break;
  }
}

// finish moves the pairs apart that noverlap misses, because its grid has them in different cells. It reports whether there were any.
function finish(matrix, gap) {
  let moved = false;
  for (let n = 0, over = true; n < 100 && over; n++) {
    over = false;
    for (let a = 0; a < matrix.length; a += 3) for (let b = a + 3; b < matrix.length; b += 3) {
      const dx = matrix[b] - matrix[a], dy = matrix[b + 1] - matrix[a + 1], least = matrix[a + 2] + matrix[b + 2] + gap, far = Math.hypot(dx, dy);
      if (far >= least) continue;
      const by = (1.02 * least - far) / 2, [x, y] = far > 0 ? [dx / far, dy / far] : [1, 0];
      matrix[a] -= x * by; matrix[a + 1] -= y * by; matrix[b] += x * by; matrix[b + 1] += y * by;
      over = moved = true;
    }
  }
  return moved;
}
