// Keeps the home page up to date, holds a rejection for ten seconds, and hides rows for a time. A row in which somebody types stays as it is.
import { done } from "./chart.js";

const pause = 500; // milliseconds, so that many events read the page once
const undoTime = 10; // seconds. An approval needs no such time: the server delays its effect, and anybody can undo it until then
let waiting = 0;

const $$ = (selector, root = document) => Array.from(root.querySelectorAll(selector));
const read = async (to) => new DOMParser().parseFromString(await (await fetch(to)).text(), "text/html");

const busy = (element) => element.contains(document.activeElement) && document.activeElement.matches("input, select, textarea, button")
  || element.matches("[data-held], :has(details[open])") || $$("input:not([type=hidden])", element).some((field) => field.type === "checkbox" ? field.checked : field.value);

function rows(list, fresh) {
  const now = Array.from(list.children);
  const next = Array.from(fresh.children, (row) => {
    const old = now.find((other) => other.id === row.id);
    return old && (busy(old) || old.dataset.html === row.innerHTML) ? old : row;
  });
  const kept = now.filter((row) => busy(row) && !next.includes(row)); // answered by somebody else: its form then says so
  list.replaceChildren(...next, ...kept);
}

async function again() {
  waiting = 0;
  if (document.hidden) return;
  try {
    const fresh = await read(location.href);
    const groups = document.getElementById("inboxes"), now = fresh.getElementById("inboxes");
    if (!groups || !now) return;
    effective(fresh); // before its rows move into this page
    for (const old of Array.from(groups.children)) if (!fresh.getElementById(old.id) && !busy(old)) old.remove();
    let ahead = null;
    for (const section of Array.from(now.children)) {
      const old = document.getElementById(section.id);
      if (!old && ahead) ahead.after(section);
      else if (!old) groups.prepend(section);
      ahead = old ?? section;
      if (!old) continue;
      old.className = section.className;
      for (const part of Array.from(old.children)) if (!part.matches(".items") && !busy(part)) part.remove();
      const list = old.querySelector(".items"), before = Array.from(section.children);
      rows(list, section.querySelector(".items"));
      const at = before.findIndex((part) => part.matches(".items"));
      before.forEach((part, i) => { if (i !== at && !old.querySelector(`form#${part.id || "none"}`)) list.insertAdjacentElement(i < at ? "beforebegin" : "afterend", part); });
    }
    document.getElementById("nothing").replaceChildren(...fresh.getElementById("nothing").childNodes);
    const badge = document.getElementById("pending"), count = fresh.getElementById("pending");
    if (badge && count) badge.replaceChildren(...count.childNodes);
    else if (badge) badge.remove();
    else if (count) document.querySelector(".top nav a")?.append(count);
    prepare();
  } catch { // server unavailable: keep the page
  }
}

function soon(delay = pause) { if (!waiting) waiting = setTimeout(again, delay); }

// effective reads the page again when the next approval takes effect: milliseconds after the server rendered the page, because the clock
// of the browser may be wrong.
function effective(page) {
  const times = $$("[data-effective-in]", page).map((row) => Number(row.dataset.effectiveIn)).filter(Number.isFinite);
  if (times.length) soon(Math.min(...times) + pause);
}

function changed() { // a timer that waits for an approval's effect would delay the read
  clearTimeout(waiting);
  waiting = 0;
  soon();
}

// Rejections take effect immediately, so the form is sent after ten seconds, or when the page is left.
const held = new Map(); // forms by row
const bodyOf = (form, button) => new URLSearchParams(new FormData(form, button));

addEventListener("submit", (event) => {
  const form = event.target, button = event.submitter;
  if (button?.value !== "reject") return;
  event.preventDefault();
  const body = bodyOf(form, button), ids = body.getAll("approval");
  const all = ids.map((id) => document.getElementById(`approval-${id}`)).filter(Boolean);
  if (!all.length) return;
  const note = document.createElement("p"), undo = document.createElement("button");
  undo.type = "button"; undo.className = "quiet"; undo.textContent = "Undo";
  let left = undoTime;
  const text = document.createElement("span");
  text.setAttribute("role", "status");
  text.textContent = `Rejected: ${body.get("reason")}`;
  const seconds = document.createElement("span");
  seconds.textContent = ` Sent in ${left} s. `;
  note.className = "held"; note.append(text, seconds, undo);
  all.forEach((row) => { row.dataset.held = ""; });
  all[0].prepend(note);
  undo.focus();
  const end = () => { clearInterval(timer); held.delete(note); note.remove(); all.forEach((row) => { delete row.dataset.held; }); };
  const send = async () => {
    end();
    try {
      const answer = await fetch(location.href, { method: "POST", body });
      if (!answer.ok) throw new Error((new DOMParser().parseFromString(await answer.text(), "text/html")).querySelector("[role=alert]")?.innerText);
      all.forEach((row) => row.remove());
    } catch (problem) {
      const alert = document.createElement("p");
      alert.className = "problem"; alert.setAttribute("role", "alert");
      alert.textContent = problem.message || "The rejection was not sent.";
      all[0].append(alert);
      return;
    }
    changed();
  };
  const timer = setInterval(() => { seconds.textContent = ` Sent in ${--left} s. `; if (left <= 0) send(); }, 1000);
  held.set(note, body);
  undo.addEventListener("click", () => { end(); form.querySelector("input[name=reason]")?.focus(); });
});
addEventListener("pagehide", () => { for (const body of held.values()) navigator.sendBeacon(location.href, body); held.clear(); });

// Hidden rows are kept in this browser only: who they concern elsewhere still sees them.
const store = "snoozed";
const snoozed = () => { try { return JSON.parse(localStorage.getItem(store)) ?? {}; } catch { return {}; } };
const morning = (days) => { const at = new Date(); at.setDate(at.getDate() + days); at.setHours(8, 0, 0, 0); return at.getTime(); };
const until = { "1 hour": () => Date.now() + 3600e3, "tomorrow": () => morning(1), "next week": () => morning(7) };

function prepare() {
  const hidden = Object.fromEntries(Object.entries(snoozed()).filter(([, at]) => at > Date.now()));
  localStorage.setItem(store, JSON.stringify(hidden));
  for (const section of $$(".inbox")) {
    let n = 0;
    for (const row of $$("li[data-key]", section)) {
      row.dataset.html ??= row.innerHTML;
      row.hidden = row.dataset.key in hidden;
      n += row.hidden;
      if (row.querySelector(".snooze")) continue;
      const pick = document.createElement("select");
      pick.className = "snooze";
      pick.setAttribute("aria-label", "Snooze until");
      pick.append(...["Snooze", ...Object.keys(until)].map((name) => new Option(name)));
      pick.addEventListener("change", () => {
        const all = snoozed();
        all[row.dataset.key] = until[pick.value]();
        localStorage.setItem(store, JSON.stringify(all));
        pick.blur();
        prepare();
      });
      row.append(pick);
    }
    section.querySelector(".asleep")?.remove();
    if (!n) continue;
    const back = document.createElement("button");
    back.type = "button"; back.className = "quiet asleep"; back.textContent = `${n} snoozed: show`;
    back.addEventListener("click", () => {
      const all = snoozed();
      for (const row of $$("li[data-key]", section)) delete all[row.dataset.key];
      localStorage.setItem(store, JSON.stringify(all));
      prepare();
    });
    section.append(back);
  }
}

// Opened details load what the page left out because it is slow.
document.addEventListener("toggle", async ({ target }) => {
  if (!target.open) return;
  try {
    const earlier = target.querySelector(".request a.earlier, a.earlier");
    if (earlier) {
      const fresh = (await read(earlier.href)).getElementById(target.closest("li").id)?.querySelector("details");
      if (fresh) target.replaceChildren(...fresh.childNodes);
    }
    for (const part of $$("[data-later]:not([data-filled])", target)) {
      part.dataset.filled = "";
      const answer = await fetch(part.dataset.later);
      if (answer.ok) part.replaceChildren(...new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes);
    }
  } catch { // server unavailable: keep the link
  }
  done();
}, true);

const types = ["approval.requested", "approval.answered", "verdict.given", "verdict.appealed", "appeal.decided", "breaker.reset", "policy.changed",
  "proposal.opened", "proposal.approved", "proposal.rejected", "proposal.applied", "proposal.withdrawn", "proposal.stale"];
const events = new EventSource(`/live?${new URLSearchParams({ type: types })}`);
events.addEventListener("open", changed); // what happened between the rendering of the page and the connection
for (const type of types) events.addEventListener(type, changed);
document.addEventListener("visibilitychange", () => { if (!document.hidden) soon(0); });
prepare();
effective(document);
done();
