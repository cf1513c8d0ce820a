// A session that goes on is looked at again when its agent records, reviews or asks, and every few seconds for what no event tells of. Where its chain
// has another head than the one that is shown, it is read, and verified, anew.

import { done } from "./chart.js";

const every = 5000; // milliseconds
let asking = false;

async function again() {
  const story = document.querySelector("#story[data-live]");
  if (!story || asking || document.hidden || story.contains(document.activeElement) || story.querySelector("details[open]")) return;
  asking = true;
  try {
    const head = await fetch(`/session/head?${new URLSearchParams({ id: story.dataset.id })}`);
    if (!head.ok) return;
    const now = await head.json();
    if (now.head === story.dataset.head && !now.ended) return;
    const answer = await fetch(location.href);
    const fresh = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#story");
    if (fresh) story.replaceWith(fresh);
  } catch { // the server is away: what is shown stays
  } finally {
    asking = false;
  }
}

const live = document.querySelector("#story[data-live]");
if (live) {
  const events = new EventSource(`/live?${new URLSearchParams({ type: "decision,verdict", agent_id: live.dataset.live })}`);
  for (const type of ["decision.recorded", "decision.updated", "decision.reviewed", "verdict.given"]) events.addEventListener(type, again);
  setInterval(again, every);
}
done();
