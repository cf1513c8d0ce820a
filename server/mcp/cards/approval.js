// The card of an approval: the action with its parameters, earlier answers, and two equal buttons. Only a person may answer: the answering tool is
// hidden from the model and needs a secret from _meta, which hosts keep from the model. Without a secret, the card links to the approval page.
import { attempt, body, call, can, el, request, say, start } from "./host.js";

const at = (time) => new Date(time).toLocaleString();
let timer;

function parameters(text) {
  let values = {};
  try { values = JSON.parse(text || "{}"); } catch { return el("p", { class: "text" }, text); }
  const rows = Object.entries(values);
  if (rows.length === 0) return el("p", { class: "small" }, "No parameters.");
  return el("table", {}, el("tbody", {}, rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, typeof value === "string" ? value : JSON.stringify(value))))));
}

const outcomes = ({ done = [] }) => done.flatMap(({ outcomes: all = [] }) => all).map(({ outcome }) => outcome).filter(Boolean).join(", ");

// precedents lists earlier answers. Agents without the right to see them get none.
function precedents(list = []) {
  return list.length > 0 && [el("h2", {}, "Earlier answers"), el("ul", {}, list.map((one) => el("li", {}, `${one.state} by ${one.answered_by}`, one.answered_at && ` ${at(one.answered_at)}`, one.reason && `: ${one.reason}`, outcomes(one) && ` (outcome: ${outcomes(one)})`)))];
}

function elsewhere(a, meta) {
  const page = meta["nomograph/page"];
  if (!page) return el("p", {}, "To answer, run ", el("code", {}, "nomograph open"), " or ", el("code", {}, `nomograph approval approve ${a.approval_id} REASON`), ".");
  return el("div", { class: "row" }, can("openLinks") ? el("button", { type: "button", click: () => attempt(() => request("ui/open-link", { url: page })) }, "Open the approval page") : el("span", {}, `Answer at ${page}`));
}

// answer sends the person's answer with the secret of this state. The next state has another.
const answer = (a, secret, action, more) => attempt(async () => {
  const { structuredContent, _meta = {} } = await call("answer_approval", { approval_id: a.approval_id, action, secret, ...more });
  draw({ ...a, answered_by: undefined, effective_at: undefined, ...structuredContent }, _meta);
  const told = { approve: "The user approved it. Report the action again once the approval is in effect.", reject: "The user rejected it. Do not do it." }[action] ?? "The user took the approval back. It is pending again.";
  say(told.replace("The user", "You"));
  if (can("updateModelContext")) await request("ui/update-model-context", { content: [{ type: "text", text: `Approval ${a.approval_id}: ${told}` }] });
});

function form(a, secret) {
  const field = el("input", { maxlength: "2000", placeholder: "Reason", "aria-label": "Reason" });
  const time = el("select", { "aria-label": "An approval is valid for" }, [["", a.grant_seconds ? "the time in the rule" : "one use"], ["3600", "1 hour"], ["28800", "8 hours"], ["604800", "1 week"]].map(([value, words]) => el("option", { value }, words)));
  const send = (action) => { // no form: a host's sandbox may forbid them
    if (!field.value.trim()) { field.focus(); return say("Give a reason first"); }
    return answer(a, secret, action, { reason: field.value, ...(action === "approve" && time.value ? { for_seconds: Number(time.value) } : {}) });
  };
  return el("div", { class: "row" }, field, time, el("button", { type: "button", id: "approve", click: () => send("approve") }, "Approve"), el("button", { type: "button", id: "reject", click: () => send("reject") }, "Reject"));
}

function acts(a, meta) {
  const secret = meta["nomograph/secret"];
  clearTimeout(timer);
  if (a.state === "waiting") return [secret ? form(a, secret) : elsewhere(a, meta), el("p", { class: "small" }, `An approval covers exactly this action with these parameters. The request expires ${at(a.expires_at)}.`)];
  const words = el("p", {}, el("strong", { class: a.state === "rejected" ? "failure" : "success" }, a.state), a.answered_by && ` by ${a.answered_by}`, a.reason && `: ${a.reason}`);
  if (a.state !== "approving") return words;
  timer = setTimeout(() => draw({ ...a, state: "approved" }, {}), Math.max(0, new Date(a.effective_at) - Date.now()));
  return [words, el("p", { class: "small" }, `It takes effect ${at(a.effective_at)}. Until then, it can be undone.`), secret && el("div", { class: "row" }, el("button", { type: "button", click: () => answer(a, secret, "undo") }, "Undo"))];
}

function draw(a, meta) {
  body(el("h1", {}, a.agent_id, " requests ", el("code", {}, a.action), a.project && ` in ${a.project}`), parameters(a.params),
    a.hidden?.length > 0 && el("p", { class: "partial" }, `Hidden values: ${a.hidden.join(", ")}. An approval covers the true values.`),
    el("p", { class: "text" }, `Reason of the rules: ${a.message || "none"}`), a.risk_tier && el("p", {}, `Declared risk: ${a.risk_tier}`),
    precedents(a.precedents), acts(a, meta));
}

function show(value, input, meta) {
  const a = meta["nomograph/approval"] ?? value;
  if (a.action) return draw(a, meta);
  body(el("h1", { class: value.decision === "approved" ? "success" : "failure" }, value.decision), el("p", {}, el("code", {}, input.action)), el("p", { class: "text" }, value.reason),
    (value.alternatives ?? []).map((way) => el("p", { class: "text" }, `Try with: ${way}`)));
}
start("approval", show);
