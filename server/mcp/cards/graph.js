// The card of a graph: a node with what it is linked to. Nodes are shapes by kind, colored by outcome. Dragging moves, the wheel zooms, and a click
// selects a node, which can be expanded. The list below has the same nodes and actions.
import { attempt, call, body, el, say, start } from "./host.js";
import * as labeling from "./labels.js";
import { colors, cornersOf, factsOf, group, linkLook, nodeColor, readColors } from "./looks.js";
import { svg } from "./picture.js";

const most = 250; // drawn nodes; the list has all
const nodes = new Map(), edges = new Map(), places = new Map();
let center = "", chosen = "", camera = { x: 0, y: 0, zoom: 1 }, stage, panel, list;
const context = document.createElement("canvas").getContext("2d");
context.font = "12px system-ui, sans-serif";

const degree = (id) => [...edges.values()].filter((edge) => edge.source_id === id || edge.target_id === id).length;
const hiddenOf = (node) => Math.max(0, (node.in_degree ?? 0) + (node.out_degree ?? 0) - degree(node.id));
const radiusOf = (node) => 6 + Math.min(8, Math.sqrt((node.in_degree ?? 0) + (node.out_degree ?? 0)));
const drawn = () => [...nodes.values()].slice(0, most);

// add takes over the nodes and links of a result of get_graph or get_neighbors.
function add({ center_id, node_id, nodes: found = [], edges: links = [], neighbors = [] }) {
  center ||= center_id ?? node_id;
  for (const node of [...found, ...neighbors.map((one) => one.node)]) nodes.set(node.id, node);
  if (node_id && !nodes.has(node_id)) nodes.set(node_id, { id: node_id, title: node_id });
  for (const edge of [...links, ...neighbors.map((one) => one.edge)]) edges.set(`${edge.source_id} ${edge.edge_type} ${edge.target_id}`, edge);
  arrange();
}

// arrange gives new nodes places: beside a neighbor that has one, then moved by forces. Earlier nodes stay. The same result has the same picture.
function arrange() {
  const all = drawn(), ids = new Set(all.map(({ id }) => id)), fresh = all.filter(({ id }) => !places.has(id));
  const links = [...edges.values()].filter((edge) => ids.has(edge.source_id) && ids.has(edge.target_id));
  fresh.sort((a, b) => (b.id === center) - (a.id === center) || (a.distance ?? 1) - (b.distance ?? 1));
  fresh.forEach(({ id }, i) => {
    const near = links.map((edge) => (edge.source_id === id ? edge.target_id : edge.target_id === id ? edge.source_id : "")).find((other) => places.has(other));
    const from = places.get(near) ?? { x: 0, y: 0 }, turn = 2.4 * i, far = id === center ? 0 : 60 + 4 * i;
    places.set(id, { x: from.x + far * Math.cos(turn), y: from.y + far * Math.sin(turn) });
  });
  const wide = 90;
  for (let step = 0; step < 150; step++) {
    const moves = new Map(fresh.map(({ id }) => [id, { x: 0, y: 0 }]));
    const push = (id, x, y) => { const move = moves.get(id); if (move) { move.x += x; move.y += y; } };
    all.forEach((a, i) => all.slice(i + 1).forEach((b) => {
      const p = places.get(a.id), q = places.get(b.id), x = p.x - q.x || 0.1, y = p.y - q.y, far = Math.max(1, x * x + y * y), by = (wide * wide) / far;
      push(a.id, x * by, y * by); push(b.id, -x * by, -y * by);
    }));
    for (const { source_id: a, target_id: b } of links) {
      const p = places.get(a), q = places.get(b), x = q.x - p.x, y = q.y - p.y, by = Math.hypot(x, y) / wide;
      push(a, x * by, y * by); push(b, -x * by, -y * by);
    }
    const limit = 20 * (1 - step / 150);
    for (const [id, { x, y }] of moves) { if (id === center) continue; const far = Math.hypot(x, y) || 1, by = Math.min(limit, far) / far, place = places.get(id); place.x += x * by; place.y += y * by; }
  }
}

// size returns the width and height of the drawing, without the legend below it.
const size = () => ({ width: stage.clientWidth, height: stage.clientHeight - 38 });

// fit shows everything.
function fit() {
  const all = [...places.values()], { width, height } = size(), [left, right, top, bottom] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x }) => x)), Math.min(...all.map(({ y }) => y)), Math.max(...all.map(({ y }) => y))];
  camera = { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.min(1.5, (width - 120) / Math.max(1, right - left), (height - 90) / Math.max(1, bottom - top)) };
}

const onStage = ({ x, y }) => ({ x: size().width / 2 + (x - camera.x) * camera.zoom, y: size().height / 2 + (y - camera.y) * camera.zoom });

function draw() {
  const { width, height } = size(), shown = new Map();
  for (const node of drawn()) shown.set(node.id, { ...onStage(places.get(node.id)), id: node.id, radius: radiusOf(node), color: nodeColor(node), corners: cornersOf(node.kind), title: `${node.title} (${factsOf(node)})`, ring: node.id === chosen ? colors.link : node.id === center ? "#e09e00" : "" });
  const drawnEdges = [...edges.values()].filter((edge) => shown.has(edge.source_id) && shown.has(edge.target_id)).map((edge) => ({ from: shown.get(edge.source_id), to: shown.get(edge.target_id), radius: shown.get(edge.target_id).radius + 2, words: edge.edge_type.replaceAll("_", " "), ...linkLook(edge.edge_type) }));
  const named = [...shown.values()].map((place) => { const node = nodes.get(place.id); return { ...place, title: node.title, after: hiddenOf(node) > 0 && `+${hiddenOf(node)}`, must: place.id === chosen || place.id === center, rank: place.id === chosen ? -2 : place.id === center ? -1 : node.distance ?? 9 }; });
  const labels = labeling.place(named, { width, height, zoom: Math.max(1, camera.zoom), measure: (text) => context.measureText(text).width, limit: 60 });
  const legend = new Map(drawn().map((node) => [group(node), { words: group(node).replaceAll("_", " "), color: nodeColor(node), corners: cornersOf(node.kind) }]));
  const file = new DOMParser().parseFromString(svg({ width, height, nodes: [...shown.values()], edges: drawnEdges, labels, legend: [...legend.values()], colors, title: `Graph around ${nodes.get(center)?.title ?? center}` }), "image/svg+xml");
  stage.replaceChildren(document.importNode(file.documentElement, true));
}

const expand = (id) => attempt(async () => {
  const before = nodes.size;
  add((await call("get_graph", { node_id: id, depth: 1, limit: 50 })).structuredContent);
  select(id);
  say(`${nodes.size - before} nodes added`);
});

function select(id) {
  chosen = id;
  const node = nodes.get(id);
  panel.replaceChildren(...(node ? [el("strong", {}, node.title), el("span", { class: "small" }, `${factsOf(node)}${hiddenOf(node) ? `, ${hiddenOf(node)} links not shown` : ""}`), el("button", { type: "button", click: () => expand(id) }, "Expand")] : [el("span", { class: "small" }, "Click a node to see it.")]));
  draw();
  rows();
}

// rows writes the list: each node with its links in words.
function rows() {
  const title = (id) => nodes.get(id)?.title ?? id;
  list.replaceChildren(...[...nodes.values()].map((node) => el("li", {}, el("button", { type: "button", "aria-pressed": String(node.id === chosen), click: () => select(node.id) }, node.title), el("span", { class: "small" }, ` ${factsOf(node)}`),
    el("ul", {}, [...edges.values()].filter((edge) => edge.source_id === node.id).map((edge) => el("li", { class: "small" }, `${edge.edge_type.replaceAll("_", " ")} ${title(edge.target_id)}`))))));
}

function pointers() {
  let from = null, moved = false;
  stage.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY }; moved = false; stage.setPointerCapture(event.pointerId); });
  stage.addEventListener("pointermove", (event) => {
    if (!from) return;
    const x = event.clientX - from.x, y = event.clientY - from.y;
    if (!moved && Math.hypot(x, y) < 4) return;
    moved = true;
    camera = { ...camera, x: camera.x - x / camera.zoom, y: camera.y - y / camera.zoom };
    from = { x: event.clientX, y: event.clientY };
    draw();
  });
  stage.addEventListener("pointerup", (event) => {
    from = null;
    if (moved) return;
    const box = stage.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const hit = drawn().map((node) => { const place = onStage(places.get(node.id)); return [Math.hypot(place.x - x, place.y - y) - radiusOf(node), node.id]; }).sort((a, b) => a[0] - b[0])[0];
    select(hit && hit[0] < 6 ? hit[1] : "");
  });
  stage.addEventListener("wheel", (event) => { event.preventDefault(); zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2); }, { passive: false });
}
const zoom = (by) => { camera = { ...camera, zoom: Math.max(0.05, Math.min(8, camera.zoom * by)) }; draw(); };
addEventListener("recolored", () => { readColors(); if (stage) draw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("recolored")));
addEventListener("resize", () => { if (stage) draw(); });

async function show(value) {
  if (value.diagram) value = (await call("get_graph", { node_id: value.center_id, depth: value.depth })).structuredContent;
  [stage, panel, list] = [el("div", { id: "stage", role: "img", "aria-label": "The graph; the list below has the same nodes" }), el("div", { class: "row", id: "panel" }), el("ul", { id: "list" })];
  const button = (words, act) => el("button", { type: "button", click: act }, words);
  body(stage, el("div", { class: "row" }, button("Zoom in", () => zoom(1.3)), button("Zoom out", () => zoom(1 / 1.3)), button("Show all", () => { fit(); draw(); })), panel,
    el("details", {}, el("summary", {}, "List of nodes"), list), value.truncated && el("p", { class: "small" }, "The limit left out nodes."), (value.notes ?? []).map((note) => el("p", { class: "small text" }, note)));
  add(value);
  pointers();
  fit();
  select("");
}
start("graph", show);
