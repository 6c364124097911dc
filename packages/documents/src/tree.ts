import type { BlockContent, Nodes, Parents, Root, RootContent } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { boundedText } from './bounded-text.ts';
import { DocumentFault } from './fault.ts';

/** Limit for the whole tree: a table of 10,000 rows and five columns has 110,000 nodes. */
const maxNodes = 150_000;
/** Maximum nesting of lists and quotes that fits a page; deeper content is shown at this depth. */
const maxContainers = 8;
/** Maximum nesting of emphasis, links and the like. */
const maxInline = 16;

const reader = unified().use(remarkParse).use(remarkGfm).use(boundedText);

/** Parses the tree that all formats use, limited in depth and size to what they can handle. */
export function readMarkdown(markdown: string): Root {
  const root = reader.parse(readable(markdown)) as Root;
  boundTree(root);
  return root;
}

const deepItem = /^ {129,}(?=(?:[-*+]|\d{1,9}[.)])[ \t])/gm;
const deepest = ' '.repeat(128);
const maxMarkers = 100;
const maxStarts = 2_000;

/**
 * Limits in advance what the parser's work grows quadratically with: the nesting of lists and quotes at line
 * starts, and how many quotes, lists, footnotes and underlined headings there are.
 */
function readable(markdown: string): string {
  let starts = 0;
  let before = { isBlank: true, isQuote: false, isList: false };
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    if (markersOf(line) > maxMarkers) throw tooDeep();
    const isBlank = /^[ \t>]*$/.test(line);
    const isQuote = /^[ \t]*>/.test(line);
    const isItem = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(line);
    const isList = isItem || (before.isList && (isBlank || /^[>]*[ \t]{2,}/.test(line)));
    if (isQuote && !before.isQuote) starts += 1;
    if (isItem && !before.isList) starts += 1;
    if (/^[ \t>]*\[\^/.test(line)) starts += 1;
    if (!before.isBlank && /^[ \t>]*(?:=+|-+)[ \t]*$/.test(line)) starts += 1;
    before = { isBlank, isQuote, isList };
  }
  if (starts > maxStarts) throw tooDeep();
  return markdown.toWellFormed().replaceAll(deepItem, deepest);
}

/** Number of list and quote markers at the start of a line; a line of nothing else is a rule. */
function markersOf(line: string): number {
  let count = 0;
  for (const character of line) {
    if (character === '>' || character === '-' || character === '*' || character === '+') count += 1;
    else if (character !== ' ' && character !== '\t') return count;
  }
  return line.includes('>') ? count : 0;
}

export function tooDeep(cause?: unknown): DocumentFault {
  return new DocumentFault(
    'report_too_complex',
    'The report has more nested or repeated elements than a document can have. Split it, or simplify its lists and quotes.',
    { cause },
  );
}

/** Without recursion, because the depth is not limited yet. */
function boundTree(root: Root): void {
  let count = 0;
  const open: { node: Nodes; containers: number; inline: number }[] = [
    { node: root, containers: 0, inline: 0 },
  ];
  while (open.length > 0) {
    const { node, containers, inline } = open.pop()!;
    count += 1;
    if (count > maxNodes)
      throw new DocumentFault(
        'report_too_complex',
        `The report has more than ${maxNodes.toLocaleString('en')} elements (paragraphs, cells, bold words and so on). Split it, or shorten its tables.`,
      );
    if (!('children' in node)) continue;
    const within = containers + (isContainer(node) ? 1 : 0);
    const depth = inline + (isInline(node) ? 1 : 0);
    if (within === maxContainers) raiseBlocks(node);
    if (depth === maxInline) node.children = [{ type: 'text', value: textOf(node) }] as never;
    for (const child of node.children) open.push({ node: child, containers: within, inline: depth });
  }
}

const isContainer = ({ type }: Nodes): boolean => type === 'list' || type === 'blockquote';
const isInline = ({ type }: Nodes): boolean =>
  type === 'emphasis' ||
  type === 'strong' ||
  type === 'delete' ||
  type === 'link' ||
  type === 'linkReference';

/** Moves the content of nested containers up into this one, or into its items. */
function raiseBlocks(container: Parents): void {
  if (container.type !== 'list') container.children = leavesOf(container.children) as never;
  else for (const item of container.children) item.children = leavesOf(item.children) as BlockContent[];
}

function leavesOf(blocks: readonly RootContent[]): RootContent[] {
  const leaves: RootContent[] = [];
  const open = blocks.toReversed();
  while (open.length > 0) {
    const block = open.pop()!;
    if (isContainer(block) || block.type === 'listItem')
      open.push(...(block as Parents).children.toReversed());
    else leaves.push(block);
  }
  return leaves;
}

/** The plain text of any node. */
export function textOf(node: Nodes): string {
  const parts: string[] = [];
  const open: Nodes[] = [node];
  while (open.length > 0) {
    const next = open.pop()!;
    if ('value' in next) parts.push(next.value);
    else if ('alt' in next && typeof next.alt === 'string') parts.push(next.alt);
    else if (next.type === 'break') parts.push(' ');
    if ('children' in next) for (const child of next.children.toReversed()) open.push(child);
  }
  return parts.join('');
}

/** All nodes in text order, parents first. */
export function walk(root: Nodes): Nodes[] {
  const nodes: Nodes[] = [];
  const open: Nodes[] = [root];
  while (open.length > 0) {
    const node = open.pop()!;
    nodes.push(node);
    if (!('children' in node)) continue;
    for (let index = node.children.length - 1; index >= 0; index -= 1) open.push(node.children[index]!);
  }
  return nodes;
}
