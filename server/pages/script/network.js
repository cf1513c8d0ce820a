// A network of nodes and links drawn by sigma.js. A worker computes positions from seeds, so the same graph has the same layout. A page has at
// most one network.
import * as labeling from "./labels.js";
import { colors, cornersOf, factsOf, group, linkLook, nodeColor, readColors } from "./looks.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const many = 2500; // number of links above which links are thin lines and few labels are shown
const hubs = 8; // number of the most linked nodes, which always have a label

export let renderer, graph, view, chosen = "";
let stage, acts, pointed = "", until = Infinity, card, labels = [], hidden = new Set(), dragged = "", clusters = [], ranks = new Map(), shows = 0;

const transparent = (rgb, alpha) => rgb.replace(/^rgba?\(([^,]+),([^,]+),([^,)]+).*$/, `rgba($1,$2,$3,${alpha})`);

// onGround mixes a color with the background. Transparent links would add up to white where they cross: sigma's shaders do not premultiply.
const onGround = (rgb, share) => { const [from, to] = [colors.raised, rgb].map((text) => text.match(/[\d.]+/g).map(Number)); return `rgb(${[0, 1, 2].map((i) => Math.round(from[i] + (to[i] - from[i]) * share)).join()})`; };

// shapes returns a sigma node program that draws polygons with a ring.
function shapes() {
  const { FLOAT, UNSIGNED_BYTE, POINTS } = WebGLRenderingContext;
  return class extends Sigma.rendering.NodeProgram {
    getDefinition() {
      return {
        VERTICES: 1, METHOD: POINTS, UNIFORMS: ["u_sizeRatio", "u_pixelRatio", "u_matrix"],
        ATTRIBUTES: [{ name: "a_position", size: 2, type: FLOAT }, { name: "a_size", size: 1, type: FLOAT }, { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
          { name: "a_id", size: 4, type: UNSIGNED_BYTE, normalized: true }, { name: "a_form", size: 2, type: FLOAT }],
        VERTEX_SHADER_SOURCE: `
attribute vec2 a_position, a_form;
attribute float a_size;
attribute vec4 a_color, a_id;
uniform mat3 u_matrix;
uniform float u_sizeRatio, u_pixelRatio;
varying vec4 v_color;
varying vec2 v_form;
varying float v_pixel;
void main() {
  gl_Position = vec4((u_matrix * vec3(a_position, 1)).xy, 0, 1);
  gl_PointSize = max(3.0, 2.4 * a_size / u_sizeRatio * u_pixelRatio);
  v_pixel = 2.0 / gl_PointSize;
  v_form = a_form;
#ifdef PICKING_MODE
  v_color = a_id;
#else
  v_color = a_color;
#endif
  v_color.a *= 255.0 / 254.0;
}`,
        FRAGMENT_SHADER_SOURCE: `
precision mediump float;
varying vec4 v_color;
varying vec2 v_form;
varying float v_pixel;
void main() {
  vec2 at = gl_PointCoord * 2.0 - 1.0;
  float far = length(at), n = floor(v_form.x);
  if (n > 2.5) {
    float part = 6.2831853 / n, turn = atan(at.x, -at.y) + (fract(v_form.x) > 0.25 ? 0.0 : 0.5 * part);
    far = cos(floor(0.5 + turn / part) * part - turn) * far / cos(0.5 * part);
  }
  if (far > 1.0) discard;
#ifdef PICKING_MODE
  gl_FragColor = v_color;
#else
  vec4 fill = v_color;
  if (v_form.y > 0.5 && far > 0.7) fill = v_form.y > 1.5 ? vec4(0.2, 0.4, 0.95, 1.0) : vec4(0.88, 0.62, 0.0, 1.0);
  float edge = clamp((1.0 - far) / (1.5 * v_pixel), 0.0, 1.0);
  gl_FragColor = vec4(fill.rgb * fill.a, fill.a) * edge;
#endif
}`,
      };
    }
    processVisibleItem(id, at, node) {
      const to = this.array;
      to[at++] = node.x; to[at++] = node.y; to[at++] = node.size; to[at++] = Sigma.utils.floatColor(node.color); to[at++] = id; to[at++] = node.corners; to[at++] = node.ring;
    }
    setUniforms({ sizeRatio, pixelRatio, matrix }, { gl, uniformLocations }) {
      gl.uniform1f(uniformLocations.u_pixelRatio, pixelRatio);
      gl.uniform1f(uniformLocations.u_sizeRatio, sizeRatio);
      gl.uniformMatrix3fv(uniformLocations.u_matrix, false, matrix);
    }
  };
}

// write draws the labels of a frame.
function write(of) {
  const { width, height } = of.getDimensions(), camera = of.getCamera(), context = of.getCanvases().labels.getContext("2d"), font = "12px system-ui, sans-serif", widths = new Map();
  context.font = font;
  const measure = (text, strong) => { if (!widths.has(text)) widths.set(text, context.measureText(text).width); return widths.get(text) * (strong ? 1.12 : 1); };
  const nodes = camera.ratio < 0.4 || pointed ? [] : clusters.slice(0, (width * height) / 20_000).map(({ at, ...cluster }) => ({ ...cluster, ...of.graphToViewport(at), radius: 0, must: true, strong: true, rank: -4 }));
  graph.forEachNode((id, node) => {
    if (gone(id) || !isNear(id)) return;
    const first = id === chosen || id === pointed ? -3 : id === view.center ? -2 : 0, rank = ranks.get(id);
    nodes.push({ id, ...of.graphToViewport(node), radius: 1.2 * of.scaleSize(node.size), title: node.node.title, after: node.node.hidden && `+${node.node.hidden}`, must: first < 0 || !clusters.length && rank < hubs, rank: first || (node.node.strong ? -1 : rank) });
  });
  const limit = graph.order > 600 ? 60 : 150;
  labels = labeling.place(nodes, { width, height, zoom: 1 / camera.ratio, measure, limit });
  labeling.draw(context, labels, { font, text: colors.text, ground: colors.raised, strong: colors.link, chosen });
}

// sizeOf returns the radius of a node in pixels.
const sizeOf = (node, { nodes, edges }) => (edges.length > many ? 0.4 : nodes.length > 150 ? 0.65 : 1) * (nodes.length > 150 && innerWidth < 640 ? 0.6 : 1) * (4 + 8 * Math.max(0, Math.min(1, node.size)));

// rank orders nodes by their number of links, shown or not, and finds the clusters: the most linked node names each.
function rank(data, places) {
  const linked = ({ id, hidden = 0 }) => graph.degree(id) + hidden, sorted = data.nodes.toSorted((a, b) => linked(b) - linked(a) || (a.id < b.id ? -1 : 1)), groups = new Map();
  ranks = new Map(sorted.map(({ id }, i) => [id, i]));
  const clusterOf = new Map(data.nodes.map(({ id }, i) => [id, places?.[i][2]]));
  for (const node of sorted) { const name = clusterOf.get(node.id); if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), node]); }
  const middle = (members, axis) => members.map(({ id }) => graph.getNodeAttribute(id, axis)).sort((a, b) => a - b)[members.length >> 1];
  clusters = [...groups.values()].filter((members) => members.length >= Math.max(10, graph.order / 100)).sort((a, b) => b.length - a.length)
    .map((members) => ({ id: `cluster:${members[0].id}`, title: members[0].title, after: `· ${members.length}`, at: { x: middle(members, "x"), y: middle(members, "y") } }));
}

function build(data, places) {
  const built = new graphology.MultiDirectedGraph();
  data.nodes.forEach((node, i) => {
    built.addNode(node.id, {
      node, x: places[i][0], y: -places[i][1], size: sizeOf(node, data), corners: cornersOf(node.kind), ring: node.id === data.center ? 1 : node.strong ? 2 : 0, type: "shape", at: Date.parse(node.date ?? "") || 0,
    });
  });
  for (const edge of data.edges) {
    if (built.hasNode(edge.source_id) && built.hasNode(edge.target_id)) {
      built.addDirectedEdge(edge.source_id, edge.target_id, { edge, size: edge.strong ? 4 : linkLook(edge.edge_type).size });
    }
  }
  return built;
}

const gone = (id) => { const node = graph.getNodeAttributes(id); return node.at > until || id !== view.center && hidden.has(group(node.node)); };
const isNear = (id) => !pointed || id === pointed || graph.areNeighbors(id, pointed);

function nodeReducer(id, node) {
  if (gone(id)) return { ...node, hidden: true };
  const faded = node.node.superseded || node.node.retracted;
  const rgb = nodeColor(node.node);
  const shown = { ...node, color: !isNear(id) ? transparent(rgb, 0.15) : faded ? transparent(rgb, 0.5) : rgb };
  if (id === chosen) shown.ring = 2;
  return shown;
}

function edgeReducer(id, edge) {
  const [from, to] = graph.extremities(id);
  const kind = edge.edge.edge_type;
  if (hidden.has(kind) || gone(from) || gone(to)) return { ...edge, hidden: true };
  const rgb = edge.edge.strong ? colors.link : linkLook(kind).color;
  const near = !pointed || from === pointed || to === pointed;
  return { ...edge, color: onGround(rgb, near ? (graph.size > many ? 0.5 : 0.9) : 0.1), zIndex: near ? 1 : 0 };
}

// positions asks the worker for the layout of a view: [x, y, cluster] of each node.
let worker;
const asked = new Map();
function positions(data) {
  if (!worker) {
    worker = new Worker(new URL("./layout.js", import.meta.url));
    worker.addEventListener("message", ({ data: { id, places } }) => { asked.get(id)?.[0](places); asked.delete(id); });
    worker.addEventListener("error", ({ message }) => { for (const [, fail] of asked.values()) fail(new Error(message)); });
  }
  const index = new Map(data.nodes.map((node, i) => [node.id, i])), narrow = stage.clientWidth < stage.clientHeight * 1.1;
  return new Promise((done, fail) => {
    asked.set(shows, [done, fail]);
    worker.postMessage({
      id: shows, nodes: data.nodes.map((node) => ({ round: node.round ?? 0, size: 1.2 * sizeOf(node, data) })), stage: narrow ? [270, 380] : [780, 460], // pixels within the padding: of a phone, and of a window of 1280 by 800
      edges: data.edges.flatMap((edge) => (index.has(edge.source_id) && index.has(edge.target_id) ? [[index.get(edge.source_id), index.get(edge.target_id)]] : [])),
    });
  });
}

// show draws a view {center, nodes, edges} in an element and handles its pointer and keyboard events. act is {select, expand, center, recolored};
// all except select are optional. recolored is called when the color scheme has changed. It throws without WebGL, and returns nothing if another view
// was asked for meanwhile.
export async function show(element, data, act) {
  const turn = ++shows;
  if (!colors.text) readColors();
  if (stage !== element) element.addEventListener("keydown", pressed);
  [stage, acts] = [element, act];
  stage.hidden = false; // hidden without JavaScript, where it would be an empty frame
  const places = await positions(data);
  if (turn !== shows) return;
  [view, graph, pointed, until, dragged] = [data, build(data, places), "", Infinity, ""];
  for (const [id, [x, y]] of acts.pins?.() ?? []) if (graph.hasNode(id)) graph.mergeNodeAttributes(id, { x, y: -y });
  rank(data, places);
  const large = graph.size > many;
  const settings = {
    nodeProgramClasses: { shape: shapes() }, edgeProgramClasses: { thin: Sigma.rendering.EdgeLineProgram, arrow: Sigma.rendering.EdgeArrowProgram },
    defaultNodeType: "shape", defaultEdgeType: large ? "thin" : "arrow", nodeReducer, edgeReducer, defaultDrawNodeHover: () => {}, renderLabels: false, hideEdgesOnMove: large, zIndex: true, stagePadding: 40, minCameraRatio: 0.02, maxCameraRatio: 4, allowInvalidContainer: true,
  };
  const camera = renderer?.getCamera().getState();
  renderer?.kill();
  renderer = new Sigma(graph, stage, settings);
  if (camera && data.nodes.length > 1) renderer.getCamera().setState(camera);
  renderer.on("clickNode", ({ node }) => { if (!dragged) acts.select(node); });
  renderer.on("doubleClickNode", (event) => { event.preventSigmaDefault(); acts.expand?.(event.node); });
  renderer.on("clickStage", () => acts.select(""));
  renderer.on("afterRender", () => write(renderer));
  drags(renderer);
  const over = (id) => {
    if (id && renderer.getMouseCaptor().isMouseDown) return; // it passes under the pointer while the graph moves
    describe(id);
    if (!large) point(id); // in large graphs, highlighting neighbors would redraw too many nodes and links
  };
  renderer.on("enterNode", ({ node }) => over(node));
  renderer.on("leaveNode", () => over(""));
  return renderer;
}

// drags lets the pointer move nodes. act.pin is called when a node is dropped.
function drags(of) {
  let node = "";
  of.on("downNode", (event) => { node = event.node; dragged = ""; });
  of.on("downStage", () => { dragged = ""; });
  of.on("moveBody", ({ event }) => {
    if (!node || !acts.pin) return;
    if (!of.getCustomBBox()) of.setCustomBBox(of.getBBox());
    dragged = node;
    describe("");
    graph.mergeNodeAttributes(node, of.viewportToGraph(event));
    event.preventSigmaDefault();
    event.original.preventDefault();
    event.original.stopPropagation();
  });
  const drop = () => { if (node && dragged === node) pinned(node); node = ""; };
  of.on("upNode", drop);
  of.on("upStage", drop);
}

function pinned(id) {
  const { x, y } = graph.getNodeAttributes(id);
  acts.pin?.(id, Math.round(x), Math.round(-y));
}

// describe shows a card beside a node; "" hides it.
function describe(id) {
  card ??= Object.assign(document.createElement("div"), { className: "card-over", ariaHidden: "true" });
  if (card.parentNode !== stage) stage.append(card);
  card.hidden = !id || dragged !== "";
  if (card.hidden) return;
  const { node, size } = graph.getNodeAttributes(id), at = renderer.graphToViewport(graph.getNodeAttributes(id)), { width, height } = renderer.getDimensions();
  const row = (text, name) => Object.assign(document.createElement(name ?? "span"), { textContent: text });
  const count = graph.degree(id);
  card.replaceChildren(row(node.title.slice(0, 200), "strong"), row(factsOf(node)), row(`${count} link${count === 1 ? "" : "s"}${node.hidden ? `, ${node.hidden} hidden` : ""}`));
  const far = 1.2 * renderer.scaleSize(size) + 8, right = at.x + far + card.offsetWidth < width;
  card.style.left = `${Math.max(4, right ? at.x + far : at.x - far - card.offsetWidth)}px`;
  card.style.top = `${Math.max(4, Math.min(height - card.offsetHeight - 4, at.y - card.offsetHeight / 2))}px`;
}

// hide leaves out nodes and links of some groups of the legend.
export function hide(groups) {
  hidden = new Set(groups);
  renderer?.refresh();
}

// scene returns what is drawn, for picture.js.
export function scene() {
  const { width, height } = renderer.getDimensions(), places = new Map();
  graph.forEachNode((id, node) => {
    if (gone(id)) return;
    const at = renderer.graphToViewport(node), faded = node.node.superseded || node.node.retracted;
    places.set(id, { ...at, radius: 1.2 * renderer.scaleSize(node.size), color: faded ? transparent(nodeColor(node.node), 0.5) : nodeColor(node.node), corners: node.corners, title: node.node.title, ring: id === chosen || node.ring === 2 ? colors.link : node.ring === 1 ? "#e09e00" : "" });
  });
  const edges = [];
  graph.forEachDirectedEdge((_, { edge, size }, from, to) => {
    if (!places.has(from) || !places.has(to) || hidden.has(edge.edge_type)) return;
    edges.push({ from: places.get(from), to: places.get(to), color: edge.strong ? colors.link : linkLook(edge.edge_type).color, size, radius: places.get(to).radius + 2, words: edge.edge_type.replaceAll("_", " ") });
  });
  return { width, height, nodes: [...places.values()], edges, labels, colors };
}

// choose marks a node as selected; "" clears the selection.
export function choose(id) {
  chosen = id;
  renderer?.refresh({ skipIndexation: true });
}

// grow hides the nodes that are later than a time in milliseconds.
export function grow(to) {
  until = to;
  renderer?.refresh();
}

function point(id) {
  pointed = id;
  stage.classList.toggle("pointing", id !== "");
  renderer.refresh({ skipIndexation: true });
}

// step selects the nearest node in the direction of an arrow key.
function step(dx, dy) {
  const from = current();
  if (!from) return;
  const here = graph.getNodeAttributes(from);
  let best = "", least = Infinity;
  graph.forEachNode((id, to) => {
    if (id === from || gone(id)) return;
    const x = to.x - here.x, y = to.y - here.y, along = x * dx + y * dy, across = Math.abs(x * dy - y * dx);
    if (along > 0 && along + 2 * across < least) [best, least] = [id, along + 2 * across];
  });
  acts.select(best || from);
}

const current = () => (graph.hasNode(chosen) ? chosen : graph.hasNode(view.center) ? view.center : graph.nodes()[0]);

const keys = {
  ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, 1), ArrowDown: () => step(0, -1), Enter: () => acts.select(current()), Escape: () => acts.select(""),
  e: () => acts.expand?.(current()), c: () => acts.center?.(current()), "+": () => zoom(1 / 1.5), "=": () => zoom(1 / 1.5), "-": () => zoom(1.5), 0: () => whole(),
};

// nudge moves and pins the chosen node: the keyboard's way to drag.
function nudge(dx, dy) {
  const id = current();
  if (!id || !acts.pin) return;
  if (!renderer.getCustomBBox()) renderer.setCustomBBox(renderer.getBBox());
  graph.updateNodeAttribute(id, "x", (x) => x + 20 * dx);
  graph.updateNodeAttribute(id, "y", (y) => y + 20 * dy);
  pinned(id);
}
const nudges = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function pressed(event) {
  const act = event.shiftKey && nudges[event.key] ? () => nudge(...nudges[event.key]) : keys[event.key];
  if (!act || !renderer || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
}

function move(to) {
  const camera = renderer.getCamera();
  if (still.matches) camera.setState(to); else camera.animate(to, { duration: 200 });
}
export const zoom = (by) => move({ ratio: renderer.getCamera().getBoundedRatio(renderer.getCamera().ratio * by) });
export const whole = () => move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });

// see moves the camera to a node that is outside the visible part.
export function see(id) {
  const { x, y } = renderer.graphToViewport(graph.getNodeAttributes(id)), { width, height } = renderer.getDimensions(), at = renderer.getNodeDisplayData(id);
  if (at && (x < 0 || y < 0 || x > width || y > height)) move({ x: at.x, y: at.y });
}

for (const query of [dark, matchMedia("print")]) query.addEventListener("change", () => { // paper is light
  readColors();
  if (!renderer) return;
  renderer.refresh();
  acts.recolored?.();
});
