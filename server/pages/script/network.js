// A network of nodes and links drawn by sigma.js. The server computes the positions, so the same graph has the same layout. A page has at
// most one network.
import { color } from "./chart.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const many = 2500; // number of links above which links are thin lines and few labels are shown

// corners of each shape, as in server-rendered drawings. A fraction of .5 rotates the shape.
const corners = { policy: 4.5, threshold: 4, verdict: 3, session: 6.5, pattern: 5, agent: 8 };

export let renderer, graph, view, chosen = "";
let stage, acts, pointed = "", until = Infinity, colors;

function readColors() {
  colors = {};
  for (const name of ["text", "ground", "raised", "line", "faint", "link", "strong", "success", "partial", "failure", "abandoned", "pending"]) colors[name] = color(name);
}

const transparent = (rgb, alpha) => rgb.replace(/^rgba?\(([^,]+),([^,]+),([^,)]+).*$/, `rgba($1,$2,$3,${alpha})`);

function look(node) {
  if (!node.kind) return colors[node.outcome] ? node.outcome : "pending";
  return node.kind === "policy" || node.kind === "threshold" ? "strong" : "faint";
}

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

// hover draws the full label of the hovered or focused node.
function hover(context, node, settings) {
  const size = settings.labelSize;
  context.font = `600 ${size}px ${settings.labelFont}`;
  const text = node.words || node.label || "";
  const wide = context.measureText(text).width + 14, high = size + 12;
  const x = node.x + node.size + 4, y = node.y - high / 2;
  context.fillStyle = colors.raised;
  context.strokeStyle = colors.strong;
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(x, y, wide, high, 5);
  context.fill();
  context.stroke();
  context.fillStyle = colors.text;
  context.fillText(text, x + 7, node.y + size / 3);
}

let labels = []; // boxes of the labels drawn in this frame

// name draws a node's label below it unless it overlaps another label. An outline keeps it readable on top of links.
function name(context, node, settings) {
  if (!node.label || node.highlighted) return; // hover draws the label of a selected node
  context.font = `${settings.labelSize}px ${settings.labelFont}`;
  const half = context.measureText(node.label).width / 2, box = [node.x - half, node.y + node.size, node.x + half, node.y + node.size + settings.labelSize + 4];
  if (!node.forceLabel && labels.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return;
  labels.push(box);
  context.textAlign = "center";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = colors.raised;
  context.fillStyle = colors.text;
  const y = node.y + node.size + settings.labelSize;
  context.strokeText(node.label, node.x, y);
  context.fillText(node.label, node.x, y);
  context.textAlign = "start";
}

// shortened cuts a long label at a word or a part of a name, like server-rendered drawings.
function shortened(text) {
  if (text.length <= 26) return text;
  const cut = text.slice(0, 25), at = /[^\p{L}\p{M}\p{N}]/u.test(text[25]) ? 25 : cut.search(/[^\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}]*$/u);
  return cut.slice(0, at > 12 ? at : 25).replace(/[\s,;:\-_./]+$/, "") + "…";
}

function build(data) {
  const built = new graphology.MultiDirectedGraph();
  for (const node of data.nodes) {
    built.addNode(node.id, {
      node, x: node.x, y: -node.y, size: (data.edges.length > many ? 0.4 : 1) * (4 + 8 * Math.max(0, Math.min(1, node.size))), label: shortened(node.title) + (node.hidden ? `  +${node.hidden}` : ""),
      words: node.title.slice(0, 120) + (node.hidden ? `  (+${node.hidden} hidden)` : ""), corners: corners[node.kind] ?? 0,
      ring: node.id === data.center ? 1 : node.strong ? 2 : 0, type: "shape", forceLabel: node.id === data.center, at: Date.parse(node.date ?? "") || 0,
    });
  }
  for (const edge of data.edges) {
    if (built.hasNode(edge.source_id) && built.hasNode(edge.target_id)) {
      built.addDirectedEdge(edge.source_id, edge.target_id, { edge, size: edge.strong ? 4 : 1.2 + (edge.weight > 0.8 ? 0.6 : 0) });
    }
  }
  return built;
}

const isGone = (id) => graph.getNodeAttribute(id, "at") > until;
const isNear = (id) => !pointed || id === pointed || graph.areNeighbors(id, pointed);

function nodeReducer(id, node) {
  if (node.at > until) return { ...node, hidden: true };
  const faded = node.node.superseded || node.node.retracted;
  const rgb = colors[look(node.node)];
  const shown = { ...node, color: !isNear(id) ? transparent(rgb, 0.15) : faded ? transparent(rgb, 0.5) : rgb };
  if (!isNear(id)) shown.label = "";
  if (id === chosen) { shown.ring = 2; shown.highlighted = true; }
  return shown;
}

function edgeReducer(id, edge) {
  const [from, to] = graph.extremities(id);
  if (isGone(from) || isGone(to)) return { ...edge, hidden: true };
  const kind = edge.edge.edge_type;
  let rgb = kind === "blocks" || kind === "contradicts" ? colors.failure : kind === "supersedes" ? colors.partial : colors.faint;
  if (edge.edge.strong) rgb = colors.link;
  const near = !pointed || from === pointed || to === pointed;
  return { ...edge, color: transparent(rgb, near ? (graph.size > many ? 0.35 : 0.75) : 0.06) };
}

// show draws a view {center, nodes, edges} in an element and handles its pointer and keyboard events. act is {select, expand, center}; expand and
// center are optional. It throws without WebGL.
export function show(element, data, act) {
  if (!colors) readColors();
  if (stage !== element) element.addEventListener("keydown", pressed);
  [stage, acts, view, graph, pointed, until] = [element, act, data, build(data), "", Infinity];
  const large = graph.size > many;
  const settings = {
    nodeProgramClasses: { shape: shapes() }, edgeProgramClasses: { thin: Sigma.rendering.EdgeLineProgram, arrow: Sigma.rendering.EdgeArrowProgram },
    defaultNodeType: "shape", defaultEdgeType: large ? "thin" : "arrow", nodeReducer, edgeReducer, defaultDrawNodeHover: hover, defaultDrawNodeLabel: name, zIndex: true, labelFont: "system-ui, sans-serif", labelSize: 12,
    labelColor: { color: colors.text }, labelDensity: large ? 0.3 : 1, labelGridCellSize: 110, labelRenderedSizeThreshold: large ? 9 : 3, stagePadding: 60, minCameraRatio: 0.02, maxCameraRatio: 4, allowInvalidContainer: true,
  };
  stage.hidden = false; // hidden without JavaScript, where it would be an empty frame
  const camera = renderer?.getCamera().getState();
  renderer?.kill();
  renderer = new Sigma(graph, stage, settings);
  if (camera && data.nodes.length > 1) renderer.getCamera().setState(camera);
  renderer.on("clickNode", ({ node }) => acts.select(node));
  renderer.on("doubleClickNode", (event) => { event.preventSigmaDefault(); acts.expand?.(event.node); });
  renderer.on("clickStage", () => acts.select(""));
  glide(renderer);
  if (!large) { // in large graphs, highlighting neighbors would redraw too many nodes and links
    renderer.on("enterNode", ({ node }) => point(node));
    renderer.on("leaveNode", () => point(""));
  }
  return renderer;
}

// choose marks a node as selected; "" clears the selection.
export function choose(id) {
  chosen = id;
  renderer?.refresh({ skipIndexation: true });
}

// grow hides nodes after a time in milliseconds.
export function grow(to) {
  until = to;
  renderer?.refresh();
}

// glide moves the drawn canvases with CSS transforms while the graph moves, if a redraw takes longer than a frame, for example without a graphics
// card. Areas that enter the viewport are drawn when the movement pauses, even if a mouse button is still held.
function glide(of) {
  const frame = 25, rest = 150; // milliseconds
  const camera = of.getCamera(), mouse = of.getMouseCaptor(), touch = of.getTouchCaptor(), canvases = of.getCanvases();
  const drawn = ["edges", "nodes", "labels", "hovers", "hoverNodes"].map((name) => canvases[name]);
  const draw = of.scheduleRender.bind(of), pick = of.getNodeAtPosition.bind(of);
  const moving = () => camera.isAnimated() || mouse.isMoving || mouse.currentWheelDirection || touch.isMoving;
  const corners = () => { const at = of.framedGraphToViewport({ x: 0, y: 0 }), to = of.framedGraphToViewport({ x: 1, y: 0 }); return { ...at, side: Math.hypot(to.x - at.x, to.y - at.y) }; };
  let slow = of.getGraph().size > many, from = corners(), asked = false, resting;

  // The drawing time is known when the GPU has reached a fence after the drawing commands.
  const measure = (began) => {
    const gl = canvases.edges.getContext("webgl2"), fence = gl?.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl?.flush();
    const look = () => {
      if (of !== renderer || !fence) return;
      if (gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) return void setTimeout(look, 4);
      slow = performance.now() - began > frame;
      gl.deleteSync(fence);
    };
    setTimeout(look);
  };
  const put = () => {
    asked = false;
    if (of !== renderer) return;
    const state = camera.getState(), dimensions = of.getDimensions(), graphDimensions = of.getGraphDimensions();
    for (const [name, inverse] of [["matrix", false], ["invMatrix", true]]) of[name] = Sigma.utils.matrixFromCamera(state, dimensions, graphDimensions, of.getStagePadding(), inverse); // zooming uses these matrices
    const to = corners(), scale = to.side / from.side;
    for (const canvas of drawn) canvas.style.transform = `translate(${to.x - from.x * scale}px, ${to.y - from.y * scale}px) scale(${scale})`;
    clearTimeout(resting);
    resting = setTimeout(() => of === renderer && of.scheduleRender(), rest);
  };
  of.scheduleRender = () => {
    if (!slow || !moving()) return draw();
    if (!asked) { asked = true; requestAnimationFrame(put); }
    return of;
  };
  of.getNodeAtPosition = (at) => (slow && moving() ? undefined : pick(at)); // picking would wait for the GPU
  let began = 0;
  of.on("beforeRender", () => { labels = []; began = performance.now(); for (const canvas of drawn) canvas.style.transform = ""; });
  of.on("afterRender", () => { from = corners(); if (!moving()) measure(began); });
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
    if (id === from || to.at > until) return;
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

function pressed(event) {
  const act = keys[event.key];
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

dark.addEventListener("change", () => { readColors(); if (renderer) { renderer.setSetting("labelColor", { color: colors.text }); renderer.refresh(); } });
