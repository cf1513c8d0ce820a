// The connection of a card to its host: the messages of MCP Apps (JSON-RPC) by postMessage. Recorded text is only ever set as text.
const waiting = new Map();
let last = 0, given = {}, shown, capabilities = {};

const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
export const request = (method, params) => new Promise((done, fail) => { waiting.set(++last, [done, fail]); post({ id: last, method, params }); });

// el makes an element. Children are elements, texts and lists of them; nothing is made of undefined, null, false and "".
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (typeof value === "function") made.addEventListener(key, value); else if (value !== false && value != null) made.setAttribute(key, value);
  made.append(...children.flat(Infinity).filter((child) => child != null && child !== false && child !== ""));
  return made;
}
const main = document.querySelector("main");
export const body = (...children) => main.replaceChildren(...children.flat(Infinity).filter(Boolean));
const status = document.querySelector("[role=status]");

// say shows a sentence below the card, which screen readers announce.
export const say = (words) => { status.textContent = words; };

// call calls a tool of the server through the host. An error of the tool is thrown with its message and hint.
export async function call(name, args) {
  const result = await request("tools/call", { name, arguments: args });
  if (!result.isError) return result;
  const text = result.content?.[0]?.text ?? "";
  let problem = {};
  try { problem = JSON.parse(text); } catch { /* a host's own text */ }
  throw new Error([problem.message ?? text, problem.hint].filter(Boolean).join(". "));
}

// attempt runs an action of a button and shows its error.
export async function attempt(act) {
  say("");
  try { await act(); } catch (problem) { say(problem.message || "The host did not answer"); }
}

// can reports whether the host has a capability, such as openLinks.
export const can = (name) => capabilities[name] !== undefined;

function themed({ theme, styles }) {
  const root = document.documentElement;
  if (theme) root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) if (name.startsWith("--") && value) root.style.setProperty(name, value);
  dispatchEvent(new Event("recolored"));
}

function notified(method, params) {
  if (method === "ui/notifications/tool-input") given = params.arguments ?? {};
  else if (method === "ui/notifications/tool-cancelled") say("The call was canceled");
  else if (method === "ui/notifications/host-context-changed") themed(params);
  else if (method === "ui/notifications/tool-result") {
    const value = params.structuredContent;
    if (params.isError || !value) body(el("p", { class: "text" }, params.content?.[0]?.text ?? "No result"));
    else shown(value, given, params._meta ?? {});
    document.body.dataset.done = "";
  }
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params = {}, result, error } = data;
  if (method && id === undefined) notified(method, params);
  else if (method) post({ id, ...(method === "ping" || method === "ui/resource-teardown" ? { result: {} } : { error: { code: -32601, message: "Unknown method" } }) });
  else if (waiting.has(id)) {
    const [done, fail] = waiting.get(id);
    waiting.delete(id);
    if (error) fail(new Error(error.message)); else done(result);
  }
});

// start connects the card. show(value, input, meta) draws a result of its tool: the structured content, the arguments of the call, and _meta.
export async function start(name, show) {
  shown = show;
  const answer = await request("ui/initialize", { appInfo: { name: `nomograph-${name}`, version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] }, protocolVersion: "2026-01-26" });
  capabilities = answer.hostCapabilities ?? {};
  themed(answer.hostContext ?? {});
  post({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(() => { const { width, height } = document.body.getBoundingClientRect(); post({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } }); }).observe(document.body);
}
