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
