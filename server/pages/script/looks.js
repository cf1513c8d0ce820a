// How nodes and links of a graph look, on pages and in cards.
import { color } from "./chart.js";

// corners of each shape, as in server-rendered drawings. A fraction of .5 rotates the shape.
const corners = { policy: 4.5, threshold: 4, verdict: 3, session: 6.5, pattern: 5, agent: 8 };
export const cornersOf = (kind) => corners[kind] ?? 0;

// colors of the page by name. readColors fills them, and fills them again after a change of the color scheme.
export const colors = {};
export function readColors() {
  for (const name of ["text", "raised", "faint", "link", "strong", "wire", "success", "partial", "failure", "abandoned", "pending"]) colors[name] = color(name);
}

function look(node) {
  if (!node.kind) return colors[node.outcome] ? node.outcome : "pending";
  return node.kind === "policy" || node.kind === "threshold" ? "strong" : "faint";
}
export const nodeColor = (node) => colors[look(node)];

// links are the colors and widths of links by type; others are thin.
const links = { depends_on: ["wire", 1.8], relates_to: ["wire", 1], supersedes: ["partial", 2], blocks: ["failure", 2.6], contradicts: ["failure", 1.6] };
export const linkLook = (type) => { const [name, size] = links[type] ?? ["wire", 1.2]; return { color: colors[name], size }; };

// group returns the legend entry of a node.
export const group = (node) => node.kind || (colors[node.outcome] ? node.outcome : "pending");

// factsOf describes a node in a few words.
export const factsOf = (node) => [node.kind || "decision", node.outcome || (node.kind ? "" : "pending"), node.category, node.stakes && `${node.stakes} stakes`, node.confidence != null && `confidence ${node.confidence}`, node.agent_id, node.project, node.date?.slice(0, 10)].filter(Boolean).join(" · ");
