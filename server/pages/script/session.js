// Updates the page of an active session at its events, and now and then in case the stream of events is interrupted. If the
// head of the chain changed, the session is read and verified again. New events are put on top; existing elements keep their state (open, focused,
// selected).

import { done } from "./chart.js";

const every = 15_000; // milliseconds
let asking = false, missed = false, paused = false;

// merge adds the new events of a reloaded page. Events that a new decision takes over move under it as they are.
function merge(story, fresh) {
  const list = story.querySelector("#events"), shown = new Map(Array.from(list.querySelectorAll("[data-hash]"), (item) => [item.dataset.hash, item]));
  let below = null;
  const items = Array.from(fresh.querySelectorAll("#events > li[data-hash]"));
  if (shown.size && items.length && !Array.from(fresh.querySelectorAll("#events [data-hash]")).some((item) => shown.has(item.dataset.hash))) {
    list.replaceChildren(); // more new events than a page has: the merged list would have a gap
    story.querySelector("#before").replaceChildren(...fresh.querySelector("#before").childNodes);
  }
  for (const item of items.reverse()) {
    const known = shown.get(item.dataset.hash);
    if (known?.parentElement === list) { below = known; continue; }
    for (const part of item.querySelectorAll("[data-hash]")) {
      const moved = shown.get(part.dataset.hash);
      if (moved) part.replaceWith(moved);
    }
    below = list.insertBefore(item, below ?? list.firstChild);
  }
  if (list.querySelector("[data-hash]")) list.querySelector("[data-empty]")?.remove();
  for (const id of ["#kinds", "#chain", "#after"]) {
    const part = story.querySelector(id);
    if (!part.contains(document.activeElement)) part.replaceChildren(...fresh.querySelector(id).childNodes); // keep the keyboard focus
  }
  for (const name of ["live", "head"]) {
    if (name in fresh.dataset) story.dataset[name] = fresh.dataset[name]; else delete story.dataset[name];
  }
}

async function again() {
  const story = document.querySelector("#story[data-live]");
  missed = asking;
  if (!story || asking || paused || document.hidden) return;
  asking = true;
  try {
    const head = await fetch(`/session/head?${new URLSearchParams({ id: story.dataset.id })}`);
    if (!head.ok) return;
    const now = await head.json();
    if (now.head === story.dataset.head && !now.ended) return;
    const answer = await fetch(location.href);
    const fresh = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#story");
    if (fresh) merge(story, fresh);
  } catch { // server unavailable: keep the page
  } finally {
    asking = false;
    if (missed) again(); // events arrived meanwhile
  }
}

const live = document.querySelector("#story[data-live]");
if (live) {
  const events = new EventSource(`/live?${new URLSearchParams({ type: "session", session_id: live.dataset.id })}`);
  for (const type of ["session.event", "session.ended"]) events.addEventListener(type, again);
  setInterval(again, every);
  const pause = document.getElementById("pause");
  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    again();
  });
}
done();
