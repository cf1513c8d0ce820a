// What scripts of pages share.

// color returns a color of the page by the name of its CSS variable, such as "success", "failure" or "link".
export function color(name) {
  const probe = document.createElement("span");
  probe.className = "probe";
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

// done marks the page as rendered. Tests and screenshots wait for it.
export function done() { document.body.dataset.done = String(performance.now()); }
