// Completion in the query editor: labels and relationship types after ":", properties after ".". Also draws the result as a network.

import { done } from "./chart.js";
import { empty, plural, fill } from "./panel.js";
import { choose, graph, show as draw } from "./network.js";

const field = document.querySelector("#q"), list = document.querySelector("#words");
const known = new Map(); // completions by requested labels
let offers = [], chosen = 0, from = 0;

// wordsFor returns {labels, types, properties}. The properties are those of nodes with the given labels.
async function wordsFor(labels) {
  const asked = new URLSearchParams(labels.map((label) => ["label", label])).toString();
  if (!known.has(asked)) {
    const answer = await fetch(`/query/words?${asked}`);
    known.set(asked, answer.ok ? await answer.json() : { labels: [], types: [], properties: [] });
  }
  return known.get(asked);
}

function close() {
  offers = [];
  list.hidden = true;
  field.removeAttribute("aria-activedescendant");
}

function present() {
  list.replaceChildren(...offers.map((word, i) => {
    const option = document.createElement("li");
    option.id = `word-${i}`;
    option.role = "option";
    option.textContent = word;
    option.ariaSelected = String(i === chosen);
    option.addEventListener("mousedown", (event) => { event.preventDefault(); chosen = i; take(); });
    return option;
  }));
  list.hidden = false;
  field.setAttribute("aria-activedescendant", `word-${chosen}`);
}

function take() {
  const at = field.selectionStart, word = offers[chosen];
  const text = /^\w+$/.test(word) ? word : `\`${word.replaceAll("`", "``")}\``;
  field.setRangeText(text, from, at, "end");
  close();
}

async function offer() {
  const before = field.value.slice(0, field.selectionStart);
  const found = /([:.|])(\w*)$/.exec(before);
  if (!found) return close();
  let words;
  try {
    words = await wordsFor(found[1] === "." ? [...new Set([...before.matchAll(/:(\w+)/g)].map((match) => match[1]))].slice(0, 20) : []);
  } catch {
    return close();
  }
  if (field.value.slice(0, field.selectionStart) !== before) return; // the text changed in the meantime
  const inBrackets = before.lastIndexOf("[") > before.lastIndexOf("]");
  const kind = found[1] === "." ? words.properties : inBrackets ? words.types : words.labels;
  from = before.length - found[2].length;
  offers = kind.filter((word) => word.toLowerCase().startsWith(found[2].toLowerCase()) && word !== found[2]).slice(0, 8);
  chosen = 0;
  if (offers.length) present(); else close();
}

function pressed(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    field.form.requestSubmit();
  } else if (!offers.length) {
    return;
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : offers.length - 1)) % offers.length;
    present();
  } else if (event.key === "Tab" && !event.shiftKey) {
    take();
  } else if (event.key === "Escape") {
    close();
  } else {
    return;
  }
  event.preventDefault();
}

if (field) {
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", "words");
  field.addEventListener("input", offer);
  field.addEventListener("keydown", pressed);
  field.addEventListener("blur", close);
}

// element creates an element with texts or elements as children.
function element(name, ...parts) {
  const made = document.createElement(name);
  made.append(...parts);
  return made;
}

// select shows a node of the result in the panel.
function select(id) {
  choose(id);
  if (!id) return empty(document.querySelector("#panel"));
  const node = graph.getNodeAttribute(id, "node"), facts = element("dl", ...node.facts.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
  facts.className = "facts";
  const shown = [element("h2", node.title || node.labels), element("p", node.labels), facts];
  if (node.link) {
    const link = element("a", "Open page");
    link.href = node.link;
    shown.splice(2, 0, element("p", link));
  }
  fill(document.querySelector("#panel"), shown, () => select(""));
  document.querySelector("#spoken").textContent = `${node.labels}: ${node.title}. ${plural(graph.degree(id), "link")} shown`;
}

const stage = document.querySelector("#stage");
if (stage) {
  try {
    await draw(stage, JSON.parse(document.querySelector("#data").textContent), { select });
  } catch (problem) { // no WebGL: use the drawing of the server
    console.info(problem);
    location.replace(`${location.search}&plain=1`);
  }
}
done();
