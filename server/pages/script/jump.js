// Browsers that cannot style the content of <details> leave filters folded on wide screens, so they are opened here.
if (!CSS.supports("selector(::details-content)") && matchMedia("(min-width: 40.0625rem)").matches) {
  const unfold = () => document.querySelectorAll(".fold").forEach((fold) => { fold.open = true; });
  unfold();
  addEventListener("replaced", unfold); // by list.js
}

// The palette of every page: "/", Ctrl+K, Cmd+K or a click on the search field open it. The server suggests pages, nodes and actions.
(() => {
  const find = (id) => document.getElementById(id); // lists replace the body
  let asked = new AbortController(), waiting;

  function choose(option) {
    for (const other of find("offers").children) other.ariaSelected = String(other === option);
    if (option) find("command").setAttribute("aria-activedescendant", option.id); else find("command").removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  async function suggest() {
    asked.abort();
    const { signal } = asked = new AbortController();
    try {
      const answer = await fetch(`/search/suggest?${new URLSearchParams({ q: find("command").value })}`, { signal });
      const list = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (signal.aborted || !answer.ok) return;
      find("offers").replaceChildren(...list.body.children);
      find("command").ariaExpanded = String(find("offers").childElementCount > 0);
      choose(find("offers").firstElementChild);
    } catch { // no suggestions: Enter searches
    }
  }

  function open() {
    if (find("palette").open) return;
    find("palette").showModal();
    find("command").value = find("jump").value;
    find("command").select();
    suggest();
  }

  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]"), bare = !event.altKey && !event.shiftKey, command = event.ctrlKey || event.metaKey;
    const list = event.target.id === "command" && find("offers"), chosen = list && list.querySelector("[aria-selected=true]");
    if (find("palette") && (event.key === "/" && !typing && !command && !event.altKey || event.key.toLowerCase() === "k" && command && bare)) open();
    else if (list && event.key === "Escape") find("palette").close(); // at once, even if the field has text
    else if (chosen && event.key === "ArrowDown") choose(chosen.nextElementSibling ?? list.firstElementChild);
    else if (chosen && event.key === "ArrowUp") choose(chosen.previousElementSibling ?? list.lastElementChild);
    else if (chosen && event.key === "Enter") location.assign(chosen.dataset.to);
    else return;
    event.preventDefault();
  });
  addEventListener("input", (event) => {
    if (event.target.id !== "command") return;
    choose(null); // suggestions of an earlier text
    asked.abort();
    clearTimeout(waiting);
    waiting = setTimeout(suggest, 80);
  });
  addEventListener("click", (event) => {
    const option = event.target.closest?.("#offers [data-to]");
    if (option) location.assign(option.dataset.to);
    else if (event.target.id === "jump") open();
    else if (event.target.id === "palette") event.target.close(); // the backdrop
  });
})();
