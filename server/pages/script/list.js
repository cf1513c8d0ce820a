// Lists: filters and further pages replace the page without a navigation, which takes a browser longer than the server needs for the list
// (decision 0480). Without this script, the same forms and links open pages.
import { done } from "./chart.js";

let asked = new AbortController(), shown = location.pathname + location.search;

// load shows another address of this page. The address changes with the content.
async function load(to, keep) {
  asked.abort();
  const { signal } = asked = new AbortController();
  document.body.setAttribute("aria-busy", "true");
  delete document.body.dataset.done;
  let page;
  try {
    const answer = await fetch(to, { headers: { Accept: "text/html" }, signal });
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (signal.aborted) return;
    if (answer.redirected || !page.getElementById("main")) return location.assign(to);
  } catch {
    if (!signal.aborted) location.assign(to); // the browser says what is wrong
    return;
  }
  if (keep) history.pushState(null, "", to);
  shown = location.pathname + location.search;
  const { id } = document.activeElement;
  document.title = page.title;
  document.body.replaceWith(page.body);
  ((id && document.getElementById(id)) || document.getElementById("main")).focus({ preventScroll: true });
  dispatchEvent(new Event("replaced"));
  done();
}

// here reports whether an address is another list of this page.
const here = (to) => to.origin === location.origin && to.pathname === location.pathname && to.pathname + to.search !== shown;

addEventListener("click", (event) => {
  const link = event.target.closest?.("main a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target || link.hasAttribute("download")) return;
  const to = new URL(link.href);
  if (!here(to) || to.hash) return;
  event.preventDefault();
  load(to, true).then(() => scrollTo(0, 0));
});

addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "get" || !form.closest("main")) return;
  const to = new URL(form.getAttribute("action") ?? "", location.href);
  to.search = new URLSearchParams(new FormData(form, event.submitter));
  to.hash = "";
  if (!here(to)) return;
  event.preventDefault();
  load(to, true);
});

addEventListener("popstate", () => { if (location.pathname + location.search !== shown) load(location.href, false); });
done();
