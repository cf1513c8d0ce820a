// The panel next to a graph shows the details of the selected node. On a small screen it covers the bottom of the page, because content below
// the graph would not be visible.

// fill replaces the content of the panel. Its button calls close.
export function fill(panel, children, close) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet close";
  button.setAttribute("aria-label", "Close");
  button.textContent = "×";
  button.addEventListener("click", close);
  panel.replaceChildren(button, ...children);
  panel.classList.add("told");
  panel.scrollTop = 0;
  if (getComputedStyle(panel).position === "fixed") document.getElementById("stage")?.scrollIntoView({ block: "start" }); // the rest of the screen shows the graph
}

// empty returns the panel to its initial place.
export function empty(panel) { panel.classList.remove("told"); }

// plural writes a count with its noun: "1 link", "2 links".
export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
