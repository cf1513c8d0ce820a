// Browsers that cannot style the content of <details> leave filters folded on wide screens, so they are opened here.
if (!CSS.supports("selector(::details-content)") && matchMedia("(min-width: 40.0625rem)").matches) {
  const unfold = () => document.querySelectorAll(".fold").forEach((fold) => { fold.open = true; });
  unfold();
  addEventListener("replaced", unfold); // by list.js
}

// Shortcuts of every page: "/", Ctrl+K and Cmd+K lead to the search.
addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!slash && !(event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey)) return;
  const field = document.querySelector("#searching #q") ?? document.querySelector("#jump");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});
