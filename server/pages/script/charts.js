// Charts over time. Each .chart element has its data in data-chart (see chart.go). A chart replaces the server-rendered SVG.

import { color, done, draw } from "./chart.js";

// timeText formats a Unix time in UTC like the rest of the page.
function timeText(second, withHour) { return new Date(second * 1000).toISOString().slice(0, withHour ? 16 : 10).replace("T", " "); }

function shown(element) {
  const { label, x, series, links } = JSON.parse(element.dataset.chart);
  const forms = { line: {}, steps: { paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }, bars: { paths: uPlot.paths.bars({ size: [0.6, 30] }), fill: color("failure"), points: { show: false } } };
  const counts = series.some((one) => one.count);
  const axes = [{ space: 120, values: (_, at, __, ___, step) => at.map((second) => timeText(second, step < 86400)) }, { scale: "y" }];
  if (counts) axes.push({ scale: "count", side: 1, grid: { show: false } });
  const day = 86400, week = 7 * day;
  const scales = { x: { time: true, range: (_, first, last) => (x.length === 1 ? [x[0] - week, x[0] + week] : last - first < day ? [first - day / 2, last + day / 2] : [first, last]) }, count: { range: (_, low, high) => [0, Math.max(1, high) / 0.35] } };
  const newest = { idx: x.length - 1 };
  const chart = draw(element, {
    hooks: { setLegend: [(chart) => { if (chart.legend.idx == null) chart.setLegend(newest, false); }] }, // while the pointer is elsewhere, the legend has the newest values
    axes, scales, padding: [10, 44, 0, 14], tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    series: [{ label: "When", value: (_, second) => (second == null ? "" : `${timeText(second, true)} UTC`) }, ...series.map((one) => ({ label: one.label, scale: one.count ? "count" : "y", value: (_, value) => value ?? (one.count ? 0 : "none"), stroke: color(one.color), width: 2, spanGaps: one.form === "line", ...forms[one.form] }))],
  }, [x, ...series.map((one) => one.values)]);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", label);
  chart.setLegend(newest);
  if (links) chart.over.addEventListener("click", () => { const link = links[chart.cursor.idx]; if (link) location.href = link; });
}

if (!("without" in document.body.dataset)) {
  document.querySelectorAll(".chart[data-chart]").forEach(shown);
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", () => document.querySelectorAll(".chart[data-chart]").forEach(shown)); // paper is light
}
done();
