"use strict";

const byID = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "class") element.className = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function headers() {
  const token = byID("token").value.trim();
  return token ? { Authorization: "Bearer " + token } : {};
}

async function load() {
  const state = byID("state");
  state.textContent = "Loading";
  byID("operations").replaceChildren();
  try {
    const answer = await fetch("/openapi.json", { headers: headers() });
    const said = await answer.json();
    if (!answer.ok) {
      state.textContent = said.message + (said.hint ? ". " + said.hint : "");
      return;
    }
    show(said);
  } catch (error) {
    state.textContent = "The server does not answer: " + error.message;
  }
}

function show(api) {
  const groups = new Map((api.tags || []).map((tag) => [tag.name, { tag, operations: [] }]));
  let count = 0;
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = (operation.tags || [])[0] || "other"; // a description may leave a tag unexplained
      if (!groups.has(name)) groups.set(name, { tag: { name, description: "" }, operations: [] });
      groups.get(name).operations.push(entry(path, method, operation));
      count++;
    }
  }
  for (const { tag, operations } of groups.values()) {
    byID("operations").append(make("section", {}, make("h2", {}, tag.name), make("p", {}, tag.description), ...operations));
  }
  byID("state").textContent = count + " operations";
  filter();
}

function entry(path, method, operation) {
  const inputs = [];
  const fields = (operation.parameters || []).map((parameter) => {
    const input = control(parameter);
    inputs.push([parameter, input]);
    return make("label", { class: "field" },
      make("span", {}, parameter.name + (parameter.required ? " *" : ""), make("br"), make("small", {}, parameter.in)),
      make("span", {}, input, make("small", {}, parameter.description || "")));
  });
  let body;
  const content = operation.requestBody && operation.requestBody.content["application/json"];
  if (content) {
    body = make("textarea", { spellcheck: "false", "aria-label": "body" });
    body.value = JSON.stringify(content.example || {}, null, 2);
    const takes = Object.entries(content.schema.properties || {}).map(([name, s]) =>
      make("li", {}, make("code", {}, name), " " + (s.type || (s.types || []).join(" or ") || "") + (s.description ? ": " + s.description : "")));
    fields.push(make("div", {}, body, make("details", {}, make("summary", {}, "what the body takes"), make("ul", {}, ...takes))));
  }
  const result = make("pre", { hidden: true });
  const form = make("form", {}, make("p", {}, operation.description), ...fields, make("button", {}, "Send"), result);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(path, method, inputs, body, result);
  });
  const details = make("details", { class: "operation" },
    make("summary", {}, make("span", { class: "method" }, method.toUpperCase()), make("code", {}, path), " " + operation.summary), form);
  details.dataset.text = (path + " " + operation.operationId + " " + operation.summary + " " + operation.description).toLowerCase();
  return details;
}

function control(parameter) {
  const choices = parameter.schema.enum || (parameter.schema.type === "boolean" ? ["true", "false"] : null);
  if (!choices) {
    const hint = parameter.schema.default;
    return make("input", { placeholder: hint === undefined ? undefined : String(hint) });
  }
  return make("select", {}, make("option", { value: "" }, ""), ...choices.map((choice) => make("option", {}, choice)));
}

async function send(path, method, inputs, body, result) {
  const query = new URLSearchParams();
  const sent = headers();
  for (const [parameter, input] of inputs) {
    const value = input.value;
    if (parameter.in === "path") path = path.replace("{" + parameter.name + "}", encodeURIComponent(value));
    else if (value === "") continue;
    else if (parameter.in === "header") sent[parameter.name] = value;
    else if (parameter.schema.type === "object") {
      for (const [field, inner] of Object.entries(JSON.parse(value))) query.append(parameter.name + "[" + field + "]", inner);
    } else query.append(parameter.name, value);
  }
  const request = { method: method.toUpperCase(), headers: sent };
  if (body) {
    sent["Content-Type"] = "application/json";
    request.body = body.value;
  }
  result.hidden = false;
  result.textContent = "...";
  try {
    const text = query.toString();
    const answer = await fetch(path + (text ? "?" + text : ""), request);
    if ((answer.headers.get("Content-Type") || "").startsWith("text/event-stream")) { // it does not end by itself
      result.textContent = answer.status + " " + answer.statusText + "\n\n";
      for await (const part of answer.body.pipeThrough(new TextDecoderStream())) result.textContent += part;
      return;
    }
    const said = await answer.text();
    let shown = said;
    try { shown = JSON.stringify(JSON.parse(said), null, 2); } catch { /* no JSON: as it is */ }
    result.textContent = answer.status + " " + answer.statusText + "\n\n" + shown;
  } catch (error) {
    result.textContent = error.message;
  }
}

function filter() {
  const wanted = byID("find").value.toLowerCase();
  for (const details of document.querySelectorAll("details.operation")) details.hidden = !details.dataset.text.includes(wanted);
  for (const section of document.querySelectorAll("section")) section.hidden = !section.querySelector("details.operation:not([hidden])");
}

for (const id of ["who", "finding"]) byID(id).hidden = false;
byID("who").addEventListener("submit", (event) => { event.preventDefault(); load(); });
byID("find").addEventListener("input", filter);
load();
