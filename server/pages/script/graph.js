// The graph page: the network with its panel, filters, legend, time axis and downloads. The address holds the whole view.
import { done } from "./chart.js";
import { empty, plural, fill } from "./panel.js";
import { cornersOf, group, linkLook, nodeColor } from "./looks.js";
import { choose, chosen, graph, grow, hide, renderer, scene, see, show as draw, view, whole, zoom } from "./network.js";
import { download, outline, png, svg } from "./picture.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");

// show draws a view and resets the time axis and the legend.
async function show(data) {
  if (!(await draw(stage, data, { select: clicked, expand, center, pin, pins, recolored: legend }))) return;
  axis();
  legend();
  hide(address().searchParams.getAll("hide"));
  $("release").hidden = pins().length === 0;
  const camera = renderer.getCamera(), [x, y, ratio] = (address().searchParams.get("camera") ?? "0.5,0.5,1").split(",").map(Number);
  if (ratio > 0 && Number.isFinite(x) && Number.isFinite(y)) camera.setState({ x, y, ratio: camera.getBoundedRatio(ratio), angle: 0 });
  camera.on("updated", looked);
}

// The URL contains the whole state of the view.
const address = () => new URL(location.href);

function addressed(change) {
  const to = address();
  change(to.searchParams);
  return to;
}

// load opens another view. The server renders its page; the script replaces everything except the stage.
async function load(to, keep) {
  stage.setAttribute("aria-busy", "true");
  delete document.body.dataset.done;
  let answer, page;
  try {
    answer = await fetch(to, { headers: { Accept: "text/html" } });
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return fail("The server does not respond. Try again in a moment.");
  } finally {
    stage.removeAttribute("aria-busy");
  }
  const said = page.getElementById("data");
  if (!answer.ok || answer.redirected || !said) {
    const problem = !answer.ok && (page.querySelector(".problem strong") ?? page.querySelector("h1"))?.textContent; // the heading of a long message is its class
    return problem ? fail(problem) : location.assign(to);
  }
  if (keep) history.pushState(null, "", to);
  for (const id of ["graph-title", "panel", "nodes", "list", "notes", "legend", "asking"]) $(id)?.replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
  page.querySelectorAll("a.keep").forEach((link, i) => { document.querySelectorAll("a.keep")[i].href = link.getAttribute("href"); });
  document.title = page.title;
  choose(new URL(to, location.href).searchParams.get("select") ?? "");
  const data = JSON.parse(said.textContent);
  opened(data.center);
  await show(data);
  speak(`${plural(view.nodes.length, "node")}, ${plural(view.edges.length, "link")}`);
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

// detail fills the panel. For the center it removes the buttons Center and Path from center, which would do nothing.
function detail(children, center) {
  fill($("panel"), children, () => select(""));
  for (const link of $("panel").querySelectorAll(".acts a:is([data-act=center], [data-act=path])")) if (link.dataset.id === center) link.remove();
}

// opened adds the close button to a panel that the server rendered with the page.
function opened(center) {
  if (chosen && $("panel")?.querySelector("h2")) detail(Array.from($("panel").childNodes), center);
  else empty($("panel"));
}

// noted changes the parts of the address that only the script reads, without a request.
const noted = (change) => history.replaceState(null, "", addressed(change));

// clicked selects a node, or takes it as an end of a path.
let ends = null;
function clicked(id) {
  if (!ends || !id) return select(id);
  ends.push(id);
  choose(id);
  if (ends.length < 2) return speak("Select the second node of the path");
  const [from, to] = ends;
  between(false);
  load(addressed((p) => { p.set("node", view.center); p.delete("find"); p.set("from", from); p.set("to", to); }), true);
}

function between(on) {
  ends = on ? [] : null;
  $("between").setAttribute("aria-pressed", String(on));
  if (on) speak("Select the first node of the path");
}
$("between")?.addEventListener("click", () => between(!ends));

// Pins: nodes that were dragged, as ID,x,y in the address.
const pins = () => address().searchParams.getAll("pin").flatMap((text) => { const found = /^(.+),(-?\d+),(-?\d+)$/.exec(text); return found ? [[found[1], [Number(found[2]), Number(found[3])]]] : []; });
function pin(id, x, y) {
  noted((p) => { const others = p.getAll("pin").filter((text) => !text.startsWith(`${id},`)); p.delete("pin"); for (const text of [...others, `${id},${x},${y}`]) p.append("pin", text); });
  $("release").hidden = false;
  speak("Pinned");
}
$("release")?.addEventListener("click", () => load(addressed((p) => p.delete("pin")), true));

let looking;
function looked() {
  clearTimeout(looking);
  looking = setTimeout(() => {
    const { x, y, ratio } = renderer.getCamera().getState(), at = [x, y, ratio].map((n) => n.toFixed(3)).join(",");
    noted((p) => (at === "0.500,0.500,1.000" ? p.delete("camera") : p.set("camera", at)));
  }, 200);
}

const speak = (words) => { $("spoken").textContent = words; };

async function select(id) {
  choose(id);
  history.replaceState(null, "", addressed((p) => (id ? p.set("select", id) : p.delete("select"))));
  if (!id) return empty($("panel"));
  const node = graph.getNodeAttribute(id, "node");
  speak(`${node.kind || "decision"}: ${node.title}. ${node.outcome || ""} ${plural(graph.degree(id), "link")} shown${node.hidden ? `, ${node.hidden} hidden` : ""}`);
  try {
    const answer = await fetch(`/graph/panel?select=${encodeURIComponent(id)}`);
    if (!answer.ok) return fail((await answer.json()).message ?? "The server does not respond. Try again in a moment.");
    if (chosen === id) detail(new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes, view.center);
  } catch {
    fail("The server does not respond. Try again in a moment.");
  }
}

const expand = (id) => load(addressed((p) => { if (!p.getAll("expand").includes(id)) p.append("expand", id); p.set("node", view.center); p.delete("find"); p.set("select", id); }), true);
const center = (id) => load(addressed((p) => { for (const name of ["camera", "pin", "from"]) p.delete(name); p.set("node", id); p.delete("expand"); p.delete("find"); p.delete("to"); p.set("select", id); }), true);
const path = (id) => load(addressed((p) => { p.set("node", view.center); p.delete("find"); p.delete("from"); p.set("to", id); }), true);

for (const place of ["panel", "nodes"]) $(place)?.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-act]");
  if (!link || !renderer || event.ctrlKey || event.metaKey) return;
  const id = link.dataset.id;
  event.preventDefault();
  ({ center, expand, path, select: (which) => { if (!graph.hasNode(which)) return expand(chosen); see(which); return clicked(which); } })[link.dataset.act](id);
});

$("asking")?.addEventListener("submit", (event) => {
  if (!renderer) return;
  event.preventDefault();
  const to = new URL("/graph", location.href);
  for (const [name, value] of new FormData($("asking"))) if (value !== "") to.searchParams.append(name, value);
  load(to, true);
});

addEventListener("popstate", () => load(address(), false));

// The legend has a button for each outcome, kind and link type in the view, which hides and shows it.
let keys = [];
function legend() {
  const found = new Map();
  for (const node of view.nodes) { const name = group(node); if (!found.has(name)) found.set(name, { name, color: nodeColor(node), corners: cornersOf(node.kind), order: node.kind ? 1 : 0 }); }
  for (const { edge_type: name } of view.edges) if (!found.has(name)) found.set(name, { name, ...linkLook(name), line: linkLook(name).size, order: 2 });
  keys = [...found.values()].sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1)).map((key) => ({ ...key, words: key.name.replaceAll("_", " ") }));
  const off = address().searchParams.getAll("hide");
  $("keys").replaceChildren(...keys.map((key) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet key" });
    const glyph = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    for (const [name, value] of Object.entries({ width: 18, height: 14, viewBox: "0 0 18 14", "aria-hidden": "true" })) glyph.setAttribute(name, value);
    path.setAttribute("d", key.line ? "M0 7h18" : outline(key.corners, 9, 7, 6));
    path.setAttribute(key.line ? "stroke" : "fill", key.color);
    if (key.line) path.setAttribute("stroke-width", key.line);
    glyph.append(path);
    button.append(glyph, ` ${key.words}`);
    button.setAttribute("aria-pressed", String(!off.includes(key.name)));
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") === "true", rest = address().searchParams.getAll("hide").filter((name) => name !== key.name);
      if (shown) rest.push(key.name);
      button.setAttribute("aria-pressed", String(!shown));
      noted((p) => { p.delete("hide"); for (const name of rest) p.append("hide", name); });
      hide(rest);
    });
    return button;
  }));
  $("keys").hidden = false;
  document.querySelector("#legend .shapes")?.remove();
}

// Time axis: a histogram of decisions by date; the slider hides those that were made later.
const steps = 1000, bars = 48;
let first = 0, last = 0, playing;
function axis() {
  clearInterval(playing);
  const moments = graph.mapNodes((id, node) => node.at).filter(Boolean);
  [first, last] = [Math.min(...moments), Math.max(...moments)];
  const slider = $("time"), one = moments.length < 2 || first === last;
  slider.disabled = $("replay").disabled = one;
  const counts = new Array(bars).fill(0);
  for (const at of moments) counts[one ? 0 : Math.min(bars - 1, Math.floor(((at - first) / (last - first)) * bars))]++;
  const maximum = Math.max(...counts, 1);
  $("histogram").replaceChildren(...counts.flatMap((count, i) => {
    if (!count || one) return [];
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect"), high = Math.max(2, (26 * count) / maximum);
    for (const [name, value] of Object.entries({ x: i * 5, y: 28 - high, width: 4, height: high })) bar.setAttribute(name, value);
    return [bar];
  }));
  const wanted = Date.parse(address().searchParams.get("time") ?? "");
  slider.value = one || Number.isNaN(wanted) ? steps : Math.max(0, Math.min(steps, ((wanted - first) / (last - first)) * steps));
  wind();
}
const moment = () => first + ((last - first) * Number($("time").value)) / steps;
function wind() {
  const day = Number.isFinite(first) ? new Date(moment()).toISOString().slice(0, 10) : "", at = Number($("time").value) / steps;
  $("time-shown").textContent = day;
  $("time").setAttribute("aria-valuetext", day);
  for (const bar of $("histogram").children) bar.classList.toggle("later", Number(bar.getAttribute("x")) / 240 > at);
  grow(at >= 1 ? Infinity : moment());
}
const timed = () => noted((p) => (Number($("time").value) >= steps ? p.delete("time") : p.set("time", new Date(moment()).toISOString().slice(0, 19) + "Z")));
$("time")?.addEventListener("input", () => { clearInterval(playing); wind(); });
$("time")?.addEventListener("change", timed);
$("replay")?.addEventListener("click", () => {
  clearInterval(playing);
  const slider = $("time");
  slider.value = 0;
  wind();
  playing = setInterval(() => {
    slider.value = Number(slider.value) + steps / 60;
    wind();
    if (Number(slider.value) >= steps) clearInterval(playing);
  }, 120);
});
$("closer")?.addEventListener("click", () => zoom(1 / 1.5));
$("farther")?.addEventListener("click", () => zoom(1.5));
$("whole")?.addEventListener("click", whole);

// Files of what the stage shows: SVG, and PNG at the resolution of the screen. Without the script, the server's SVG has the whole graph.
const file = () => svg({ ...scene(), title: document.title, legend: keys.filter((key) => !address().searchParams.getAll("hide").includes(key.name)) });
document.querySelector("a.keep[data-format=svg]")?.addEventListener("click", (event) => {
  if (!renderer) return;
  event.preventDefault();
  download(new Blob([file()], { type: "image/svg+xml" }), `graph-${view.center}.svg`);
});
$("png")?.addEventListener("click", async () => download(await png(file()), `graph-${view.center}.png`));

// begin draws the view of the page. Without WebGL, it reloads the page with a server-rendered drawing.
async function begin() {
  const said = $("data");
  if (!stage || !said) return done();
  choose(address().searchParams.get("select") ?? "");
  $("tools").hidden = false;
  try {
    await show(JSON.parse(said.textContent));
  } catch (problem) {
    console.info(problem);
    return location.replace(addressed((p) => p.set("plain", "1")));
  }
  opened(view.center);
  $("png").hidden = false;
  done();
}
begin();
