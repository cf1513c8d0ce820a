// Completion of a query by what the graph has: labels and types after ":", properties after ".".

import { done } from "./chart.js";

const field = document.querySelector("#q"), list = document.querySelector("#words");
let words, offers = [], chosen = 0, from = 0;

function close() {
  offers = [];
  list.hidden = true;
  field.removeAttribute("aria-activedescendant");
}

function show() {
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
  try {
    words ??= await fetch("/query/words").then((answer) => (answer.ok ? answer.json() : { labels: [], types: [], properties: [] }));
  } catch {
    return close();
  }
  const inBrackets = before.lastIndexOf("[") > before.lastIndexOf("]");
  const kind = found[1] === "." ? words.properties : inBrackets ? words.types : words.labels;
  from = before.length - found[2].length;
  offers = kind.filter((word) => word.toLowerCase().startsWith(found[2].toLowerCase()) && word !== found[2]).slice(0, 8);
  chosen = 0;
  if (offers.length) show(); else close();
}

function pressed(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    field.form.requestSubmit();
  } else if (!offers.length) {
    return;
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : offers.length - 1)) % offers.length;
    show();
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
done();
