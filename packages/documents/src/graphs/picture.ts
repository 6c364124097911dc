import dagre from '@dagrejs/dagre';

/** A box of a graph. Its `kind` is its class: views, files, reports and the like have colours. */
export interface GraphNode {
  id: string;
  kind: string;
  name: string;
  /** The line below the name. */
  note: string;
}

export interface GraphPicture {
  title: string;
  nodes: readonly GraphNode[];
  edges: readonly { from: string; to: string }[];
  /** The node whose box is drawn thicker. */
  highlightedId: string;
}

interface Point {
  x: number;
  y: number;
}

const height = 48;
const padding = 12;
const margin = 16;
const narrowest = 120;
/** Longer names are cut; the whole name is in the title of the box. */
const longestName = 36;
/** Generous, because the reader's font is not known. */
const characterWidth = { name: 9, note: 6.8 };

/** Sources are green, views blue, tables grey, and what is made of tables yellow. */
const styleSheet = `
svg { color-scheme: light dark; font-family: system-ui, sans-serif; }
.sheet { fill: #ffffff; }
.box { fill: #f6f8fa; stroke: #8c959f; }
.view .box { fill: #ddf4ff; stroke: #0969da; }
.file .box, .dataset .box { fill: #dafbe1; stroke: #1a7f37; }
.report .box, .playbook .box, .workflow .box { fill: #fff8c5; stroke: #9a6700; }
.asked .box { stroke-width: 3; }
.name { fill: #1f2328; font-size: 14px; font-weight: 600; }
.note { fill: #57606a; font-size: 11px; }
.edge { fill: none; stroke: #6e7781; stroke-width: 1.5; }
.head { fill: #6e7781; }
@media (prefers-color-scheme: dark) {
  .sheet { fill: #0d1117; }
  .box { fill: #161b22; stroke: #8b949e; }
  .view .box { fill: #0c2d6b; stroke: #58a6ff; }
  .file .box, .dataset .box { fill: #033a16; stroke: #3fb950; }
  .report .box, .playbook .box, .workflow .box { fill: #341a00; stroke: #d29922; }
  .name { fill: #e6edf3; }
  .note { fill: #9da7b3; }
  .edge { stroke: #8b949e; }
  .head { fill: #8b949e; }
}`;

/** The graph as a self-contained SVG from left to right: boxes and arrows, without scripts and references. */
export function graphSvg({ title, nodes, edges, highlightedId }: GraphPicture): string {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 64, marginx: margin, marginy: margin });
  for (const node of nodes) graph.setNode(node.id, { width: widthOf(node), height });
  for (const { from, to } of edges) graph.setEdge(from, to, {});
  dagre.layout(graph);
  const { width = 0, height: total = 0 } = graph.graph() as { width?: number; height?: number };
  const [w, h] = [Math.ceil(width), Math.ceil(total)];
  const arrows = edges.map((edge) => arrow((graph.edge(edge.from, edge.to) as { points: Point[] }).points));
  const boxes = nodes.map((node) => box(node, graph.node(node.id) as Point, node.id === highlightedId));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${styleSheet}</style>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0 8 4 0 8Z"/></marker></defs>',
    `<rect class="sheet" width="${w}" height="${h}"/>`,
    ...arrows,
    ...boxes,
    '</svg>',
  ].join('\n');
}

function widthOf(node: GraphNode): number {
  const name = columnsOf(shortened(node.name)) * characterWidth.name;
  const note = columnsOf(node.note) * characterWidth.note;
  return Math.max(narrowest, Math.ceil(Math.max(name, note)) + 2 * padding);
}

/** Characters of East Asian scripts and pictures are twice as wide. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += character.codePointAt(0)! >= 0x1100 ? 2 : 1;
  return columns;
}

function box(node: GraphNode, { x, y }: Point, isAsked: boolean): string {
  const width = widthOf(node);
  const [left, top] = [rounded(x - width / 2), rounded(y - height / 2)];
  return [
    `<g class="${node.kind}${isAsked ? ' asked' : ''}" transform="translate(${left} ${top})">`,
    `<title>${escaped(node.name)}</title>`,
    `<rect class="box" width="${width}" height="${height}" rx="6"/>`,
    `<text class="name" x="${padding}" y="21">${escaped(shortened(node.name))}</text>`,
    `<text class="note" x="${padding}" y="38">${escaped(node.note)}</text>`,
    '</g>',
  ].join('');
}

function arrow(points: readonly Point[]): string {
  const [first, ...more] = points.map(({ x, y }) => `${rounded(x)} ${rounded(y)}`);
  return `<path class="edge" marker-end="url(#head)" d="M${first} L${more.join(' ')}"/>`;
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= longestName ? name : `${characters.slice(0, longestName - 1).join('')}…`;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What XML does not allow at all is replaced. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character]!);
