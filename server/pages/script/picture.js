// The visible part of a network as an SVG file, with its legend, and as PNG.
import { lineHeight } from "./labels.js";

const escaped = (text) => String(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "").replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const px = (n) => n.toFixed(1);

// outline returns the path of a node: a polygon, or a circle without corners. A fraction of .5 rotates it.
export function outline(corners, x, y, radius) {
  const n = Math.floor(corners);
  if (n < 3) return `M${px(x - radius)} ${px(y)}a${px(radius)} ${px(radius)} 0 1 0 ${px(2 * radius)} 0a${px(radius)} ${px(radius)} 0 1 0 ${px(-2 * radius)} 0z`;
  const turn = corners % 1 > 0.25 ? Math.PI / n : 0;
  return `M${Array.from({ length: n }, (_, i) => { const at = turn + (2 * Math.PI * i) / n - Math.PI / 2; return `${px(x + radius * Math.cos(at))} ${px(y + radius * Math.sin(at))}`; }).join("L")}z`;
}

// svg returns the file. scene has the size in pixels, nodes {x, y, radius, color, ring, corners, title}, edges {from, to, color, size, radius, words},
// labels, legend entries {words, color, corners or line}, and colors.
export function svg({ width, height, nodes, edges, labels, legend, colors, title }) {
  const out = [], keys = [], row = 24, margin = 14;
  let x = margin, y = height + row;
  for (const key of legend) {
    const long = 30 + 7 * key.words.length;
    if (x > margin && x + long > width) { x = margin; y += row; }
    keys.push(key.line ? `<path d="M${x} ${y - 4}h18" stroke="${key.color}" stroke-width="${key.line}"/>` : `<path d="${outline(key.corners, x + 9, y - 4, 6)}" fill="${key.color}"/>`, `<text x="${x + 24}" y="${y}">${escaped(key.words)}</text>`);
    x += long;
  }
  const tall = y + margin;
  out.push(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${tall}" viewBox="0 0 ${width} ${tall}" font-family="system-ui, sans-serif" font-size="12" fill="${colors.text}"><title>${escaped(title)}</title>`);
  out.push(`<rect width="${width}" height="${tall}" fill="${colors.raised}"/><svg width="${width}" height="${height}">`);
  for (const { from, to, color, size, radius, words } of edges) {
    const dx = to.x - from.x, dy = to.y - from.y, far = Math.hypot(dx, dy);
    if (far <= radius) continue;
    const ex = to.x - (dx / far) * radius, ey = to.y - (dy / far) * radius, tip = 3 + size, bx = ex - (dx / far) * 2 * tip, by = ey - (dy / far) * 2 * tip;
    out.push(`<g stroke="${color}" fill="${color}"><path d="M${px(from.x)} ${px(from.y)}L${px(bx)} ${px(by)}" stroke-width="${size}"><title>${escaped(words)}</title></path><path d="M${px(ex)} ${px(ey)}L${px(bx - (dy / far) * tip)} ${px(by + (dx / far) * tip)} ${px(bx + (dy / far) * tip)} ${px(by - (dx / far) * tip)}z" stroke="none"/></g>`);
  }
  for (const node of nodes) out.push(`<path d="${outline(node.corners, node.x, node.y, node.radius)}" fill="${node.color}"${node.ring ? ` stroke="${node.ring}" stroke-width="3"` : ""}><title>${escaped(node.title)}</title></path>`);
  for (const label of labels) {
    const anchor = { left: "start", right: "end", center: "middle" }[label.align];
    out.push(`<text text-anchor="${anchor}" stroke="${colors.raised}" stroke-width="4" stroke-linejoin="round" paint-order="stroke">${label.lines.map((line, i) => `<tspan x="${px(label.x)}" y="${px(label.y + i * lineHeight)}">${escaped(line)}</tspan>`).join("")}</text>`);
  }
  out.push("</svg>", ...keys, "</svg>");
  return out.join("\n");
}

// png converts an SVG file to pixels of the screen.
export async function png(file) {
  const picture = new Image(), drawn = URL.createObjectURL(new Blob([file], { type: "image/svg+xml" }));
  picture.src = drawn;
  await picture.decode();
  const canvas = document.createElement("canvas"), scale = Math.min(devicePixelRatio, 8000 / Math.max(picture.width, picture.height));
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(drawn);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

// download offers a blob as a file.
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\w.-]+/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
