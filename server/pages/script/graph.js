// The graph page: the network with its panel, filters, timeline and downloads.
import { done } from "./chart.js";
import { empty, plural, tell } from "./panel.js";
import { choose, chosen, graph, grow, renderer, show as draw, view, whole, zoom } from "./network.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");

// show draws a view and resets the timeline.
export function show(data) {
  draw(stage, data, { select, expand, center });
  timeline();
  return renderer;
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
    const problem = page.querySelector(".problem p")?.textContent;
    return problem ? fail(problem) : location.assign(to);
  }
  if (keep) history.pushState(null, "", to);
  for (const id of ["graph-title", "panel", "list", "notes", "legend", "asking"]) $(id)?.replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
  page.querySelectorAll("a.keep").forEach((link, i) => { document.querySelectorAll("a.keep")[i].href = link.getAttribute("href"); });
  document.title = page.title;
  choose(new URL(to, location.href).searchParams.get("select") ?? "");
  opened();
  show(JSON.parse(said.textContent));
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

// opened adds the close button to a panel that the server rendered with the page.
function opened() {
  if (chosen && $("panel")?.querySelector("h2")) tell($("panel"), Array.from($("panel").childNodes), () => select(""));
  else empty($("panel"));
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
    if (chosen === id) tell($("panel"), new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes, () => select(""));
  } catch {
    fail("The server does not respond. Try again in a moment.");
  }
}

const expand = (id) => load(addressed((p) => { if (!p.getAll("expand").includes(id)) p.append("expand", id); p.set("node", view.center); p.delete("find"); p.set("select", id); }), true);
const center = (id) => load(addressed((p) => { p.set("node", id); p.delete("expand"); p.delete("find"); p.delete("to"); p.set("select", id); }), true);
const path = (id) => load(addressed((p) => { p.set("node", view.center); p.delete("find"); p.set("to", id); }), true);

$("panel")?.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-act]");
  if (!link || !renderer || event.ctrlKey || event.metaKey) return;
  const id = link.dataset.id;
  event.preventDefault();
  ({ center, expand, path, select: (which) => (graph.hasNode(which) ? select(which) : expand(chosen)) })[link.dataset.act](id);
});

$("asking")?.addEventListener("submit", (event) => {
  if (!renderer) return;
  event.preventDefault();
  const to = new URL("/graph", location.href);
  for (const [name, value] of new FormData($("asking"))) if (value !== "") to.searchParams.append(name, value);
  load(to, true);
});

addEventListener("popstate", () => load(address(), false));

// Timeline: hides decisions that were made later.
let moments = [], playing;
function timeline() {
  clearInterval(playing);
  moments = graph.mapNodes((id, node) => node.at).filter(Boolean).sort((a, b) => a - b);
  const slider = $("time");
  slider.disabled = $("replay").disabled = moments.length < 2;
  slider.value = slider.max = Math.max(1, moments.length);
  tellTime();
}
const moment = () => moments[Math.max(0, Number($("time").value) - 1)];
function tellTime() { $("time-said").textContent = moments.length ? new Date(moment()).toISOString().slice(0, 10) : ""; }
function wind() {
  tellTime();
  grow(Number($("time").value) >= moments.length ? Infinity : moment());
}
$("time")?.addEventListener("input", () => { clearInterval(playing); wind(); });
$("replay")?.addEventListener("click", () => {
  clearInterval(playing);
  const slider = $("time"), by = Math.max(1, Math.round(moments.length / 60));
  slider.value = 1;
  wind();
  playing = setInterval(() => {
    slider.value = Number(slider.value) + by;
    wind();
    if (Number(slider.value) >= moments.length) clearInterval(playing);
  }, 120);
});
$("closer")?.addEventListener("click", () => zoom(1 / 1.5));
$("farther")?.addEventListener("click", () => zoom(1.5));
$("whole")?.addEventListener("click", whole);

// PNG download: the browser converts the SVG of the server.
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
    link.download = `graph-${view.center}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }, "image/png");
});

// begin draws the view of the page. Without WebGL, it reloads the page with a server-rendered drawing.
function begin() {
  const said = $("data");
  if (!stage || !said) return done();
  choose(address().searchParams.get("select") ?? "");
  try {
    show(JSON.parse(said.textContent));
  } catch (problem) {
    console.info(problem);
    return location.replace(addressed((p) => p.set("plain", "1")));
  }
  opened();
  $("tools").hidden = false;
  $("png").hidden = false;
  done();
}
begin();
