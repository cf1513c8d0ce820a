// The panel beside a graph tells of the node that is chosen. On a small screen it stands over the foot of the page, since what stands below the
// graph is out of sight there.

// tell fills the panel; close is called by its button.
export function tell(panel, children, close) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet close";
  button.setAttribute("aria-label", "Close");
  button.textContent = "×";
  button.addEventListener("click", close);
  panel.replaceChildren(button, ...children);
  panel.classList.add("told");
  panel.scrollTop = 0;
}

// empty puts the panel back to where it was.
export function empty(panel) { panel.classList.remove("told"); }

// plural writes a count with its noun: "1 link", "2 links".
export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
