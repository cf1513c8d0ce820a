// The search page: filters apply while they change, and searches can be saved in this browser.
import { done } from "./chart.js";

const $ = (id) => document.getElementById(id);
const form = $("searching");
let asked = new AbortController(), waiting;

// address returns the URL of the search in the form.
function address() {
  const to = new URL("/search", location.href);
  for (const [name, value] of new FormData(form)) if (value.trim() !== "") to.searchParams.append(name, value);
  return to;
}

// load replaces the results by those of another address. It ends an earlier search, so that the server stops it too.
async function load(to, keep) {
  asked.abort();
  const { signal } = asked = new AbortController();
  $("results").setAttribute("aria-busy", "true");
  delete document.body.dataset.done;
  try {
    const answer = await fetch(to, { headers: { Accept: "text/html" }, signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (signal.aborted) return;
    const found = page.getElementById("results");
    if (!found || answer.redirected) return location.assign(to);
    if (keep) history.replaceState(null, "", to);
    $("results").replaceChildren(...found.childNodes);
  } catch {
    if (signal.aborted) return;
    $("results").textContent = "The server does not respond. Try again in a moment.";
  }
  $("results").removeAttribute("aria-busy");
  ready();
}

const soon = (delay) => { clearTimeout(waiting); waiting = setTimeout(() => load(address(), true), delay); };

form.addEventListener("input", (event) => soon(event.target.matches("select") ? 0 : 300));
form.addEventListener("submit", (event) => { event.preventDefault(); soon(0); });

// Saved searches: names and queries in this browser's storage.
const stored = "nomograph.searches";

function saved() {
  try {
    const all = JSON.parse(localStorage.getItem(stored) ?? "[]");
    return Array.isArray(all) ? all.filter((one) => typeof one?.name === "string" && typeof one?.query === "string") : [];
  } catch {
    return [];
  }
}

function save(all) {
  try { localStorage.setItem(stored, JSON.stringify(all)); } catch { /* storage is disabled */ }
  list();
}

function list() {
  const all = saved();
  $("saved-searches").hidden = all.length === 0;
  $("saved").replaceChildren(...all.map((one, i) => {
    const row = document.createElement("li"), link = document.createElement("a"), drop = document.createElement("button");
    link.href = `/search?${new URLSearchParams(one.query)}`;
    link.textContent = one.name;
    drop.type = "button";
    drop.className = "quiet";
    drop.textContent = "Remove";
    drop.setAttribute("aria-label", `Remove ${one.name}`);
    drop.addEventListener("click", () => { save(saved().filter((_, at) => at !== i)); $("q").focus(); });
    row.append(link, " ", drop);
    return row;
  }));
}

function ready() {
  const saving = $("saving");
  if (saving) {
    saving.hidden = false;
    saving.addEventListener("submit", (event) => {
      event.preventDefault();
      const name = $("saved-name").value.trim();
      if (name) save([...saved().filter((one) => one.name !== name), { name, query: location.search.slice(1) }]);
      $("saved-name").value = "";
    });
  }
  done();
}

list();
if (!location.search) $("q").focus();
ready();
