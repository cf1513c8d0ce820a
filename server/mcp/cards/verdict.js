// The card of a verdict: what was violated, the values and limits, and what would pass.
import { attempt, body, call, el, start } from "./host.js";

const shows = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const facts = ["description", "name", "category", "stakes", "confidence", "context", "params", "tags", "project"];

// changed returns the action with the facts that the conditions name, such as action.context.percent <= 25; null if none names one.
function changed(action, conditions) {
  const next = structuredClone(action), words = [];
  for (const condition of conditions) {
    const found = /^action\.(?:(context|params)\.)?(\w+) (?:<=|>=|==) (-?\d+(?:\.\d+)?|true|false|"[^"\\]*")$/.exec(condition);
    if (!found || !found[1] && !["stakes", "confidence", "category", "name"].includes(found[2])) continue;
    const [, group, name, text] = found, value = JSON.parse(text);
    if (group) next[group] = { ...next[group], [name]: value }; else next[name] = value;
    words.push(`${name} ${shows(value)}`);
  }
  return words.length > 0 && [next, words.join(", ")];
}

function violation({ guardrail_id: name, severity, mode, message, error, values, thresholds, would_pass: passes, alternatives }) {
  const rows = [...Object.entries(values ?? {}).map(([fact, value]) => [fact, value === null ? "absent" : shows(value)]), ...Object.entries(thresholds ?? {}).map(([limit, use]) => [`${limit} (limit)`, `${shows(use.value)} ${use.unit ?? ""}`])];
  return el("article", {}, el("h2", {}, name, " ", el("span", { class: "small" }, mode === "shadow" ? "shadow" : severity)),
    el("p", { class: "text" }, message), error && el("p", { class: "failure" }, `Evaluation failed: ${error}`),
    rows.length > 0 && el("table", {}, el("tbody", {}, rows.map(([fact, value]) => el("tr", {}, el("th", { scope: "row" }, fact), el("td", {}, value))))),
    (passes?.length > 0 || alternatives?.length > 0) && [el("h2", {}, "Try with"), el("ul", {}, (passes ?? []).map((way) => el("li", {}, el("code", {}, way))), (alternatives ?? []).map((way) => el("li", { class: "text" }, way)))]);
}

function show(value, input) {
  const action = Object.fromEntries(Object.entries(input.action ?? input).filter(([name]) => facts.includes(name)));
  const results = value.violations ?? value.guardrail_results ?? [], others = [...(value.warnings ?? []), ...(value.shadow ?? [])];
  const passing = !value.allowed && changed(action, results.flatMap((one) => one.would_pass ?? []));
  body(el("h1", { class: value.allowed ? "success" : "failure" }, value.allowed ? "Allowed" : "Denied"), el("p", { class: "text" }, action.description),
    results.map(violation),
    passing && el("div", { class: "row" }, el("button", { type: "button", click: () => attempt(async () => show((await call("check_action", passing[0])).structuredContent, passing[0])) }, `Check with ${passing[1]}`)),
    others.length > 0 && [el("h2", {}, "Not blocking"), others.map(violation)],
    value.notes?.map((note) => el("p", { class: "small text" }, note)),
    el("p", { class: "small" }, `${value.evaluated} rules evaluated, verdict ${value.verdict_id}`));
}
start("verdict", show);
