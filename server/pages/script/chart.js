// Charts drawn by uPlot in the colors of the page. A chart replaces the server-rendered content of its element.

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

// draw draws a chart in an element and resizes it with the element.
export function draw(element, options, data) {
  const size = () => ({ width: Math.max(280, element.clientWidth), height: Number(element.dataset.height) || 260 });
  const axes = (options.axes || [{}, {}]).map((axis) => ({ stroke: color("text"), grid: { stroke: color("line"), width: 1 }, ticks: { stroke: color("line") }, ...axis }));
  element.replaceChildren();
  const chart = new uPlot({ ...size(), ...options, axes }, data, element);
  new ResizeObserver(() => chart.setSize(size())).observe(element);
  return chart;
}

// done marks the page as rendered. Tests and screenshots wait for it.
export function done() { document.body.dataset.done = String(performance.now()); }
