// Lists: filters and further pages replace the page without a navigation, which takes a browser longer than the server needs for the list
//. Without this script, the same forms and links open pages.
import { done } from "./chart.js";

const address = ({ pathname, search }) => pathname + search;
let asked = new AbortController(), shown = address(location), back = false; // whether the last load was a step in the history

// status tells screen readers about a new list. It stays outside the body, because a replaced element is not announced.
const status = document.createElement("p");
status.className = "hidden";
status.setAttribute("role", "status");
document.documentElement.append(status);

// load shows another address of this page. The address changes with the content. It returns whether the list is replaced.
async function load(to, keep) {
  asked.abort();
  back = !keep;
  const { signal } = asked = new AbortController();
  document.body.setAttribute("aria-busy", "true");
  delete document.body.dataset.done;
  let page;
  try {
    const answer = await fetch(to, { headers: { Accept: "text/html" }, signal });
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (signal.aborted) return false;
    if (answer.redirected || !page.getElementById("main")) throw new Error("not a list");
  } catch {
    if (!signal.aborted) location.assign(to); // the browser says what is wrong
    return false;
  }
  if (keep) history.pushState(null, "", to);
  shown = address(new URL(to, location));
  const { id } = document.activeElement, filters = "main details:has(.find)";
  if (document.querySelector(filters)?.open) page.querySelector(filters)?.setAttribute("open", "");
  document.title = page.title;
  document.body.replaceWith(page.body);
  dispatchEvent(new Event("replaced"));
  document.getElementById(id)?.focus({ preventScroll: true });
  if (!id || document.activeElement.id !== id) document.getElementById("main").focus({ preventScroll: true }); // also if the element is hidden
  status.textContent = `${page.title.split(" · ")[0]}. Rows: ${document.querySelectorAll("main .list tbody tr").length}`;
  done();
  return true;
}

// here reports whether an address is another list of this page.
const here = (to) => to.origin === location.origin && to.pathname === location.pathname && address(to) !== shown;

addEventListener("click", (event) => {
  const link = event.target.closest?.("main a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target || link.hasAttribute("download")) return;
  const to = new URL(link.href);
  if (!here(to) || to.hash) return;
  event.preventDefault();
  load(to, true).then((replaced) => replaced && scrollTo(0, 0));
});

addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "get" || !form.closest("main")) return;
  const to = new URL(form.getAttribute("action") ?? "", location.href), fields = new FormData(form, event.submitter);
  to.search = new URLSearchParams(Array.from(fields).filter(([name, value]) => value || form.elements[name].defaultValue)); // an emptied field may have a default
  to.hash = "";
  if (to.pathname !== location.pathname) return;
  event.preventDefault();
  if (here(to)) load(to, true); else load(location.href, false);
});

// A choice applies its filter.
addEventListener("change", (event) => { if (event.target.matches(".sift select")) event.target.form.requestSubmit(); });

// Keys of rows: j and k move, Enter opens (the focus is on the link), x selects.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=checkbox]), textarea, select")) return;
  const rows = Array.from(document.querySelectorAll("main .list tbody tr")), at = rows.indexOf(event.target.closest("tr"));
  if (event.key === "j" || event.key === "k") {
    const row = rows[at < 0 ? 0 : at + (event.key === "j" ? 1 : -1)];
    row?.querySelector("td a, td button")?.focus();
    row?.scrollIntoView({ block: "nearest" });
  } else if (event.key === "x") rows[at]?.querySelector("input[type=checkbox]")?.click();
});

addEventListener("popstate", () => {
  if (address(location) !== shown) return load(location.href, false);
  if (!back) return; // a link to a part of this page does not end a load
  asked.abort();
  document.body.removeAttribute("aria-busy");
  done();
});
done();
