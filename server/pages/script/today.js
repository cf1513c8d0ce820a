// Keeps the home page up to date: reads it again after an approval request, an answer, a verdict, an appeal, a proposal or a reset, and when an approval takes effect.
// A card in which somebody types stays as it is.
import "./later.js";

const pause = 500; // milliseconds, so that many events read the page once
let waiting = 0;

const busy = (element) => element.contains(document.activeElement) && document.activeElement.matches("input, select, textarea, button")
  || Array.from(element.querySelectorAll("input:not([type=hidden]), textarea"), (field) => field.value).some(Boolean);

function cards(list, fresh) {
  const now = Array.from(list.children);
  const next = Array.from(fresh.children, (card) => {
    const old = now.find((other) => other.id === card.id);
    return old && (busy(old) || old.innerHTML === card.innerHTML) ? old : card;
  });
  const kept = now.filter((card) => busy(card) && !next.includes(card)); // answered by somebody else: its form then says so
  const wanted = [...next, ...kept];
  for (const card of now) if (!wanted.includes(card)) card.remove();
  wanted.forEach((card, i) => { if (list.children[i] !== card) list.insertBefore(card, list.children[i] ?? null); });
}

async function again() {
  waiting = 0;
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["counters", "proposal-list", "appeal-list", "denials"]) {
      const old = document.getElementById(id), now = fresh.getElementById(id);
      if (old && now && !busy(old) && old.innerHTML !== now.innerHTML) old.replaceChildren(...now.childNodes);
    }
    const badge = document.getElementById("pending"), count = fresh.getElementById("pending");
    if (badge && count) badge.replaceChildren(...count.childNodes);
    else if (badge) badge.remove();
    else if (count) document.querySelector(".top nav a")?.append(count);
    const list = document.getElementById("approval-list"), cardsNow = fresh.getElementById("approval-list");
    if (list && cardsNow) cards(list, cardsNow);
    effective(fresh);
  } catch { // server unavailable: keep the page
  }
}

function soon(delay = pause) { if (!waiting) waiting = setTimeout(again, delay); }

// effective reads the page again when the next approval takes effect: milliseconds after the server rendered the page, because the clock
// of the browser may be wrong.
function effective(page) {
  const times = Array.from(page.querySelectorAll("[data-effective-in]"), (card) => Number(card.dataset.effectiveIn)).filter(Number.isFinite);
  if (times.length) soon(Math.min(...times) + pause);
}

function changed() { // a timer that waits for an approval's effect would delay the read
  clearTimeout(waiting);
  waiting = 0;
  soon();
}

const events = new EventSource(`/live?${new URLSearchParams({ type: "approval,verdict,breaker,appeal,proposal" })}`);
events.addEventListener("open", changed); // what happened between the rendering of the page and the connection
for (const type of ["approval.requested", "approval.answered", "verdict.given", "verdict.appealed", "appeal.decided", "breaker.reset",
  "proposal.opened", "proposal.approved", "proposal.rejected", "proposal.applied", "proposal.withdrawn", "proposal.stale"]) events.addEventListener(type, changed);
document.addEventListener("visibilitychange", () => { if (!document.hidden) soon(0); });
effective(document);
