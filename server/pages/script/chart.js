// Charts, drawn by uPlot in the colors of the page. What the page says without a script stands in the element, and is replaced.

// color gives a color of the page by its name: "success", "failure", "link".
export function color(name) {
  const probe = document.createElement("span");
  probe.className = "probe";
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

// draw puts a chart into an element, as wide as it is, and keeps it so.
export function draw(element, options, data) {
  const size = () => ({ width: Math.max(280, element.clientWidth), height: Number(element.dataset.height) || 260 });
  const axes = (options.axes || [{}, {}]).map((axis) => ({ stroke: color("text"), grid: { stroke: color("line"), width: 1 }, ticks: { stroke: color("line") }, ...axis }));
  element.replaceChildren();
  const chart = new uPlot({ ...size(), ...options, axes }, data, element);
  new ResizeObserver(() => chart.setSize(size())).observe(element);
  return chart;
}

// done tells whoever waits (a test, a picture) that the page shows what it has.
export function done() { document.body.dataset.done = String(performance.now()); }
