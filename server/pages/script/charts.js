// Charts over time: each element .chart has its numbers in data-chart, as chart.go writes them. What the server drew is replaced.

import { colour, done, draw } from "./chart.js";

function shown(element) {
  const { label, x, series, links } = JSON.parse(element.dataset.chart);
  const forms = { line: {}, steps: { paths: uPlot.paths.stepped({ align: 1 }) }, bars: { paths: uPlot.paths.bars({ size: [0.6, 30] }), fill: colour("failure") } };
  const counts = series.some((one) => one.count);
  const axes = [{}, { scale: "y" }];
  if (counts) axes.push({ scale: "count", side: 1, grid: { show: false } });
  const scales = { x: { time: true }, count: { range: (_, low, high) => [0, Math.max(1, high) / 0.35] } };
  const chart = draw(element, {
    axes, scales, tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    series: [{}, ...series.map((one) => ({ label: one.label, scale: one.count ? "count" : "y", stroke: colour(one.colour), width: 2, spanGaps: one.form === "line", ...forms[one.form] }))],
  }, [x, ...series.map((one) => one.values)]);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", label);
  if (links) chart.over.addEventListener("click", () => { const link = links[chart.cursor.idx]; if (link) location.href = link; });
}

if (!("without" in document.body.dataset)) {
  document.querySelectorAll(".chart[data-chart]").forEach(shown);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.querySelectorAll(".chart[data-chart]").forEach(shown));
}
done();
