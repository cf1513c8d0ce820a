// Labels of a network: the most important nodes first, on two lines, where they cover no node and no other label. The center and the most linked
// nodes always have one.

const cell = 64; // pixels, of the grid that finds collisions
export const lineHeight = 13; // pixels

// lines breaks a title into at most two lines of about as many characters. It cuts at a word.
export function lines(title, wide) {
  const words = title.replace(/([_/\-])(?=\S{8})/g, "$1\u200b").split(/[\s\u200b]+/u), out = [""];
  for (const word of words) {
    const last = out.length - 1, glue = out[last] === "" || /[_/\-]$/.test(out[last]) ? "" : " ";
    if (out[last] !== "" && out[last].length + glue.length + word.length > wide) {
      if (last === 1) { out[1] = `${out[1].replace(/[\s,;:\-_./]+$/, "")}…`; return out; }
      out.push(word);
    } else out[last] += glue + word;
  }
  return out.map((line) => (line.length > wide + 6 ? `${Array.from(line).slice(0, wide + 4).join("")}…` : line));
}

// boxes is a set of rectangles [left, top, right, bottom] that reports whether another one overlaps them.
function boxes() {
  const cells = new Map();
  const over = (box, visit) => {
    for (let x = Math.floor(box[0] / cell); x <= Math.floor(box[2] / cell); x++) for (let y = Math.floor(box[1] / cell); y <= Math.floor(box[3] / cell); y++) if (visit(x * 100003 + y)) return true;
    return false;
  };
  return {
    add: (box) => over(box, (key) => { if (cells.has(key)) cells.get(key).push(box); else cells.set(key, [box]); return false; }),
    hits: (box) => over(box, (key) => cells.get(key)?.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])),
  };
}

// least returns the spot whose box covers the fewest nodes; covering a label is worse.
function least(spots, nodes, labels) {
  const covers = (box, left, top, right, bottom) => right > box[0] && left < box[2] && bottom > box[1] && top < box[3];
  const covered = ({ box }) => nodes.filter(({ x, y, radius }) => covers(box, x - radius, y - radius, x + radius, y + radius)).length + 50 * labels.filter((label) => covers(box, ...label.box)).length;
  return spots.map((spot) => [covered(spot), spot]).sort((a, b) => a[0] - b[0])[0]?.[1];
}

// place returns the labels of a frame, {id, lines, x, y, align}, where y is the first baseline. nodes are {id, x, y, radius, title, after, rank, must}
// in pixels, in any order; a smaller rank is more important. A node with must has a label even if that covers other nodes. measure returns the width of a text, and zoom is 1 or more when the graph is zoomed in.
export function place(nodes, { width, height, zoom, measure, limit }) {
  const taken = boxes(), wide = Math.round(Math.min(48, 20 * Math.max(1, zoom ** 0.6))), narrow = Math.round(0.6 * wide), placed = [];
  const inside = nodes.filter((node) => node.x > -node.radius && node.y > -node.radius && node.x < width + node.radius && node.y < height + node.radius);
  for (const { x, y, radius } of inside) taken.add([x - radius, y - radius, x + radius, y + radius]);
  inside.sort((a, b) => a.rank - b.rank);
  // around returns the places of a label inside of the stage: below, above, right, left, and at the corners.
  const around = ({ x, y, radius, title, after, strong }, most, gap) => {
    const text = lines(title, most);
    if (after) text[text.length - 1] += `  ${after}`;
    const long = Math.max(...text.map((line) => measure(line, strong))), tall = text.length * lineHeight, side = radius + gap;
    const middle = Math.max(2, Math.min(width - long - 2, x - long / 2)); // moved inside of the stage
    const spots = [["center", middle, y + side], ["center", middle, y - side - tall], ["left", x + side, y - tall / 2], ["right", x - side - long, y - tall / 2]];
    if (gap > 3) spots.push(["left", x + side, y + side], ["right", x - side - long, y + side], ["left", x + side, y - side - tall], ["right", x - side - long, y - side - tall]);
    return spots.map(([align, left, top]) => ({ text, long, align, left, top, box: [left - 2, top, left + long + 2, top + tall + 2] }))
      .filter(({ box }) => box[0] >= 0 && box[2] <= width && box[1] >= 0 && box[3] <= height);
  };
  for (const node of inside.slice(0, 4 * limit)) {
    if (placed.length === limit) break;
    const free = (spot) => !taken.hits(spot.box);
    let spots = around(node, wide, 3), spot = spots.find(free);
    for (const [most, gap] of node.must ? [[wide, 16], [narrow, 3], [narrow, 16], [wide, 40], [narrow, 40]] : []) { // shorter and farther away, before it covers a node
      if (spot) break;
      const more = around(node, most, gap);
      spot = more.find(free);
      spots = spots.concat(more);
    }
    if (node.must) spot ??= least(spots, inside, placed);
    if (!spot) continue;
    const { text, long, align, left, top, box } = spot;
    taken.add(box);
    placed.push({ id: node.id, strong: node.strong, lines: text, align, x: align === "center" ? left + long / 2 : align === "left" ? left : left + long, y: top + lineHeight - 2, box });
  }
  return placed;
}

// draw paints labels. An outline keeps them readable on top of links.
export function draw(context, placed, { font, text, ground, strong, chosen }) {
  context.lineJoin = "round";
  context.lineWidth = 4;
  for (const label of placed.toReversed()) { // the most important ones last
    context.font = label.id === chosen || label.strong ? `650 ${font}` : font;
    context.textAlign = label.align;
    context.strokeStyle = ground;
    context.fillStyle = label.id === chosen ? strong : text;
    label.lines.forEach((line, i) => { context.strokeText(line, label.x, label.y + i * lineHeight); context.fillText(line, label.x, label.y + i * lineHeight); });
  }
  context.textAlign = "start";
}

