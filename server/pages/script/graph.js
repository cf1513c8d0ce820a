// The graph: drawn by sigma.js where the server put each node, so that the same graph has the same picture.
import { colour, done } from "./chart.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const many = 2500; // links from which on they are thin lines, and labels are few

// corners of the shapes, as the server draws them; half of one turns the shape.
const corners = { policy: 4.5, threshold: 4, verdict: 3, session: 6.5, pattern: 5, agent: 8 };

let renderer, graph, view, chosen = "", pointed = "", until = Infinity, colours;

function readColours() {
  colours = {};
  for (const name of ["text", "ground", "raised", "line", "faint", "link", "strong", "success", "partial", "failure", "abandoned", "pending"]) colours[name] = colour(name);
}

const transparent = (rgb, alpha) => rgb.replace(/^rgba?\(([^,]+),([^,]+),([^,)]+).*$/, `rgba($1,$2,$3,${alpha})`);

function look(node) {
  if (!node.kind) return colours[node.outcome] ? node.outcome : "pending";
  return node.kind === "policy" || node.kind === "threshold" ? "strong" : "faint";
}

// shapes is a program for sigma that draws points with corners and a ring.
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

// hover writes the whole label of the node that a pointer or the keyboard is on.
function hover(context, node, settings) {
  const size = settings.labelSize;
  context.font = `600 ${size}px ${settings.labelFont}`;
  const text = node.words || node.label || "";
  const wide = context.measureText(text).width + 14, high = size + 12;
  const x = node.x + node.size + 4, y = node.y - high / 2;
  context.fillStyle = colours.ground;
  context.strokeStyle = colours.strong;
  context.lineWidth = 1.5;
  context.beginPath();
  context.roundRect(x, y, wide, high, 5);
  context.fill();
  context.stroke();
  context.fillStyle = colours.text;
  context.fillText(text, x + 7, node.y + size / 3);
}

// name writes a node's label below it, so that a link that runs under it leaves it readable.
function name(context, node, settings) {
  if (!node.label) return;
  context.font = `${settings.labelSize}px ${settings.labelFont}`;
  context.textAlign = "center";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = colours.ground;
  context.fillStyle = colours.text;
  const y = node.y + node.size + settings.labelSize;
  context.strokeText(node.label, node.x, y);
  context.fillText(node.label, node.x, y);
  context.textAlign = "start";
}

const shortened = (text) => (text.length > 24 ? text.slice(0, 23) + "…" : text);

function build(data) {
  const built = new graphology.MultiDirectedGraph();
  for (const node of data.nodes) {
    built.addNode(node.id, {
      node, x: node.x, y: -node.y, size: (data.edges.length > many ? 0.4 : 1) * (4 + 8 * Math.max(0, Math.min(1, node.size))), label: shortened(node.title) + (node.hidden ? `  +${node.hidden}` : ""),
      words: node.title.slice(0, 120) + (node.hidden ? `  (+${node.hidden} more)` : ""), corners: corners[node.kind] ?? 0,
      ring: node.id === data.centre ? 1 : node.strong ? 2 : 0, type: "shape", forceLabel: node.id === data.centre, at: Date.parse(node.date ?? "") || 0,
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
  const rgb = colours[look(node.node)];
  const shown = { ...node, color: !isNear(id) ? transparent(rgb, 0.15) : faded ? transparent(rgb, 0.5) : rgb };
  if (!isNear(id)) shown.label = "";
  if (id === chosen) { shown.ring = 2; shown.highlighted = true; }
  return shown;
}

function edgeReducer(id, edge) {
  const [from, to] = graph.extremities(id);
  if (isGone(from) || isGone(to)) return { ...edge, hidden: true };
  const kind = edge.edge.edge_type;
  let rgb = kind === "blocks" || kind === "contradicts" ? colours.failure : kind === "supersedes" ? colours.partial : colours.faint;
  if (edge.edge.strong) rgb = colours.link;
  const near = !pointed || from === pointed || to === pointed;
  return { ...edge, color: transparent(rgb, near ? (graph.size > many ? 0.35 : 0.75) : 0.06) };
}

// show draws a view.
export function show(data) {
  view = data;
  graph = build(data);
  const large = graph.size > many;
  const settings = {
    nodeProgramClasses: { shape: shapes() }, edgeProgramClasses: { thin: Sigma.rendering.EdgeLineProgram, arrow: Sigma.rendering.EdgeArrowProgram },
    defaultNodeType: "shape", defaultEdgeType: large ? "thin" : "arrow", nodeReducer, edgeReducer, defaultDrawNodeHover: hover, defaultDrawNodeLabel: name, zIndex: true, labelFont: "system-ui, sans-serif", labelSize: 12,
    labelColor: { color: colours.text }, labelDensity: large ? 0.3 : 1, labelGridCellSize: 110, labelRenderedSizeThreshold: large ? 9 : 3, stagePadding: 60, minCameraRatio: 0.02, maxCameraRatio: 4, allowInvalidContainer: true,
  };
  const camera = renderer?.getCamera().getState();
  renderer?.kill();
  renderer = new Sigma(graph, stage, settings);
  if (camera && data.nodes.length > 1) renderer.getCamera().setState(camera);
  renderer.on("clickNode", ({ node }) => select(node));
  renderer.on("doubleClickNode", (event) => { event.preventSigmaDefault(); expand(event.node); });
  renderer.on("clickStage", () => select(""));
  glide(renderer);
  if (!large) { // where there are many, each node and link would be looked at again to tell apart what is around a pointer
    renderer.on("enterNode", ({ node }) => point(node));
    renderer.on("leaveNode", () => point(""));
  }
  timeline();
  return renderer;
}

// glide moves what is drawn along with a graph that moves, where drawing it anew takes longer than a frame may, as without a graphics card. What
// comes in at the borders is drawn when the graph rests, also while a button is still held.
function glide(of) {
  const frame = 25, rest = 150; // milliseconds
  const camera = of.getCamera(), mouse = of.getMouseCaptor(), touch = of.getTouchCaptor(), canvases = of.getCanvases();
  const drawn = ["edges", "nodes", "labels", "hovers", "hoverNodes"].map((name) => canvases[name]);
  const draw = of.scheduleRender.bind(of), pick = of.getNodeAtPosition.bind(of);
  const moving = () => camera.isAnimated() || mouse.isMoving || mouse.currentWheelDirection || touch.isMoving;
  const corners = () => { const at = of.framedGraphToViewport({ x: 0, y: 0 }), to = of.framedGraphToViewport({ x: 1, y: 0 }); return { ...at, side: Math.hypot(to.x - at.x, to.y - at.y) }; };
  let slow = of.getGraph().size > many, from = corners(), asked = false, resting;

  // How long a drawing takes is known when the graphics have come to what stands behind it.
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
    for (const [name, inverse] of [["matrix", false], ["invMatrix", true]]) of[name] = Sigma.utils.matrixFromCamera(state, dimensions, graphDimensions, of.getStagePadding(), inverse); // what a zoom counts with
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
  of.getNodeAtPosition = (at) => (slow && moving() ? undefined : pick(at)); // it would wait for the graphics
  let began = 0;
  of.on("beforeRender", () => { began = performance.now(); for (const canvas of drawn) canvas.style.transform = ""; });
  of.on("afterRender", () => { from = corners(); if (!moving()) measure(began); });
}

function point(id) {
  pointed = id;
  stage.classList.toggle("pointing", id !== "");
  renderer.refresh({ skipIndexation: true });
}

// The address says what is shown.
const address = () => new URL(location.href);

function addressed(change) {
  const to = address();
  change(to.searchParams);
  return to;
}

// load goes to another view: the server renders its page, of which everything but the stage is taken over.
async function load(to, keep) {
  stage.setAttribute("aria-busy", "true");
  delete document.body.dataset.done;
  let answer, page;
  try {
    answer = await fetch(to, { headers: { Accept: "text/html" } });
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return fail("The server does not answer. Look again in a moment.");
  } finally {
    stage.removeAttribute("aria-busy");
  }
  const said = page.getElementById("data");
  if (!answer.ok || answer.redirected || !said) {
    const problem = page.querySelector(".problem p")?.textContent;
    return problem ? fail(problem) : location.assign(to);
  }
  if (keep) history.pushState(null, "", to);
  for (const id of ["graph-title", "panel", "list", "notes", "legend", "asking"]) $(id)?.replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
  page.querySelectorAll("a.keep").forEach((link, i) => { document.querySelectorAll("a.keep")[i].href = link.getAttribute("href"); });
  document.title = page.title;
  until = Infinity;
  pointed = "";
  chosen = new URL(to, location.href).searchParams.get("select") ?? "";
  show(JSON.parse(said.textContent));
  speak(`${view.nodes.length} nodes, ${view.edges.length} links`);
  done();
}

function fail(why) {
  const note = document.createElement("p");
  note.className = "problem";
  note.setAttribute("role", "alert");
  note.textContent = why;
  $("notes").replaceChildren(note);
  done();
}

const speak = (words) => { $("spoken").textContent = words; };

async function select(id) {
  chosen = id;
  history.replaceState(null, "", addressed((p) => (id ? p.set("select", id) : p.delete("select"))));
  renderer.refresh({ skipIndexation: true });
  if (!id) return;
  const node = graph.getNodeAttribute(id, "node");
  speak(`${node.kind || "decision"}: ${node.title}. ${node.outcome || ""} ${graph.degree(id)} links here${node.hidden ? `, ${node.hidden} more` : ""}`);
  try {
    const answer = await fetch(`/graph/panel?select=${encodeURIComponent(id)}`);
    if (answer.ok && chosen === id) $("panel").replaceChildren(...new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes);
  } catch {
    fail("The server does not answer. Look again in a moment.");
  }
}

const expand = (id) => load(addressed((p) => { if (!p.getAll("expand").includes(id)) p.append("expand", id); p.set("node", view.centre); p.delete("find"); p.set("select", id); }), true);
const centre = (id) => load(addressed((p) => { p.set("node", id); p.delete("expand"); p.delete("find"); p.delete("to"); p.set("select", id); }), true);
const path = (id) => load(addressed((p) => { p.set("node", view.centre); p.delete("find"); p.set("to", id); }), true);

$("panel")?.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-act]");
  if (!link || !renderer || event.ctrlKey || event.metaKey) return;
  const to = new URL(link.href).searchParams, id = link.dataset.id ?? to.get("node");
  event.preventDefault();
  ({ centre, expand, path, select: (which) => (graph.hasNode(which) ? select(which) : expand(chosen)) })[link.dataset.act](id);
});

$("asking")?.addEventListener("submit", (event) => {
  if (!renderer) return;
  event.preventDefault();
  const to = new URL("/graph", location.href);
  for (const [name, value] of new FormData($("asking"))) if (value !== "") to.searchParams.append(name, value);
  load(to, true);
});

addEventListener("popstate", () => load(address(), false));

// The keyboard: from a node to the nearest one in the direction of an arrow.
function step(dx, dy) {
  const from = graph.hasNode(chosen) ? chosen : view.centre;
  const here = graph.getNodeAttributes(from);
  let best = "", least = Infinity;
  graph.forEachNode((id, to) => {
    if (id === from || to.at > until) return;
    const x = to.x - here.x, y = to.y - here.y, along = x * dx + y * dy, across = Math.abs(x * dy - y * dx);
    if (along > 0 && along + 2 * across < least) [best, least] = [id, along + 2 * across];
  });
  select(best || from);
}

const keys = {
  ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, 1), ArrowDown: () => step(0, -1), Enter: () => select(chosen || view.centre),
  e: () => expand(chosen || view.centre), c: () => centre(chosen || view.centre), "+": () => zoom(1 / 1.5), "=": () => zoom(1 / 1.5), "-": () => zoom(1.5), 0: () => whole(), Escape: () => select(""),
};
stage?.addEventListener("keydown", (event) => {
  const act = keys[event.key];
  if (!act || !renderer || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
});

function move(to) {
  const camera = renderer.getCamera();
  if (still.matches) camera.setState(to); else camera.animate(to, { duration: 200 });
}
const zoom = (by) => move({ ratio: renderer.getCamera().getBoundedRatio(renderer.getCamera().ratio * by) });
const whole = () => move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });

// Time: what was decided later is left out.
let moments = [];
function timeline() {
  moments = graph.mapNodes((id, node) => node.at).filter(Boolean).sort((a, b) => a - b);
  const slider = $("time");
  slider.disabled = moments.length < 2;
  slider.value = slider.max = Math.max(1, moments.length);
  tell();
}
function tell() {
  const n = Number($("time").value), last = n >= moments.length;
  until = last ? Infinity : moments[Math.max(0, n - 1)];
  $("time-said").textContent = moments.length ? new Date(moments[Math.max(0, n - 1)]).toISOString().slice(0, 10) : "";
}
$("time")?.addEventListener("input", () => { tell(); renderer.refresh({ skipIndexation: false }); });
let playing;
$("replay")?.addEventListener("click", () => {
  clearInterval(playing);
  const slider = $("time");
  slider.value = 1;
  const by = Math.max(1, Math.round(moments.length / 60));
  playing = setInterval(() => {
    slider.value = Number(slider.value) + by;
    slider.dispatchEvent(new Event("input"));
    if (Number(slider.value) >= moments.length) clearInterval(playing);
  }, 120);
});
$("closer")?.addEventListener("click", () => zoom(1 / 1.5));
$("farther")?.addEventListener("click", () => zoom(1.5));
$("whole")?.addEventListener("click", whole);

// The server's drawing becomes a PNG in the browser.
$("png")?.addEventListener("click", async () => {
  const svg = document.querySelector("a.keep[data-format=svg]");
  const picture = new Image();
  const drawn = URL.createObjectURL(new Blob([await (await fetch(svg.href)).text()], { type: "image/svg+xml" }));
  picture.src = drawn;
  await picture.decode();
  const canvas = document.createElement("canvas"), scale = Math.min(2, 8000 / Math.max(picture.width, picture.height));
  canvas.width = picture.width * scale;
  canvas.height = picture.height * scale;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(drawn);
  canvas.toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `graph-${view.centre}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }, "image/png");
});

dark.addEventListener("change", () => { readColours(); if (renderer) { renderer.setSetting("labelColor", { color: colours.text }); renderer.refresh(); } });

// begin draws what the page came with. Where there is no WebGL, the server draws.
function begin() {
  const said = $("data");
  if (!stage || !said) return done();
  readColours();
  chosen = address().searchParams.get("select") ?? "";
  try {
    show(JSON.parse(said.textContent));
  } catch (problem) {
    console.info(problem);
    return location.replace(addressed((p) => p.set("plain", "1")));
  }
  $("tools").hidden = false;
  $("png").hidden = false;
  done();
}
begin();
