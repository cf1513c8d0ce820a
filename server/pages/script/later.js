// Loads slow parts after the page: fills each element with the HTML at the URL in its data-later attribute.
import { done } from "./chart.js";

async function fill(element) {
  try {
    const answer = await fetch(element.dataset.later);
    if (!answer.ok) return;
    element.replaceChildren(...new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes);
    element.dataset.filled = "";
  } catch { // server unavailable: keep the link
  }
}

document.querySelectorAll("[data-later]").forEach(fill);
done();
