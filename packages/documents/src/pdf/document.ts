import type { Block, ListItem, ReportBlocks, TableBlock } from '../block.ts';
import type { ReportSource } from '../contract.ts';
import { eastAsianOf, splitByFont } from '../fonts.ts';
import type { Shown } from '../inlines.ts';
import { cleanSvg } from '../svg.ts';
import { fitTable } from '../table-fit.ts';
import { textWidth } from '../text-width.ts';
import { type PdfNode, printPdf } from './printer.ts';
import { tableNode } from './tables.ts';
import { createTextWriter, type TextWriter } from './text.ts';

/** A4 in points. */
const page = { width: 595.28, height: 841.89, marginX: 54, marginY: 60 };
const bodyWidth = page.width - 2 * page.marginX;
const turnedWidth = page.height - 2 * page.marginX;
const headingSizes = [16, 13.5, 11.5, 10.5, 9.5, 9.5];
/** Points per pixel of a drawing. */
const pointsPerPixel = 0.75;
const maxPictureHeight = 560;
/** With more headings, the document gets a table of contents. */
const headingsWithoutContents = 5;
const maxContents = 300;
const indent = 18;

export function pdfOf(source: ReportSource, { blocks, notes }: ReportBlocks): Promise<Buffer> {
  const texts = createTextWriter(`${source.title}\n${source.markdown.slice(0, 100_000)}`);
  const headings = blocks.flatMap((block) => (block.type === 'heading' ? [block] : []));
  const contents = headings.length > headingsWithoutContents ? headings.slice(0, maxContents) : [];
  const listed = new Set(contents.map(({ id }) => id));
  const writer = createBlockWriter(texts, listed);
  const footnotes: PdfNode[] =
    notes.length === 0
      ? []
      : [
          { canvas: [{ type: 'line', x1: 0, y1: 0, x2: 120, y2: 0, lineWidth: 0.6 }], margin: [0, 14, 0, 6] },
          ...notes.map((note, index) => ({
            columns: [
              { text: `${index + 1}`, width: 18, id: `note-${index + 1}` },
              { stack: writer.many(note, bodyWidth - 18), width: '*' },
            ],
            fontSize: 8,
          })),
        ];
  return printPdf({
    pageSize: 'A4',
    pageMargins: [page.marginX, page.marginY, page.marginX, page.marginY],
    info: { title: source.title, creator: 'Analytics Workspace Service', producer: 'pdfmake' },
    displayTitle: true,
    defaultStyle: { font: 'DejaVu Sans', fontSize: 9.5, lineHeight: 1.22, color: '#1b2430' },
    footer: (current: number, count: number) => ({
      text: `${current} / ${count}`,
      alignment: 'center',
      fontSize: 8,
      color: '#6a7380',
      margin: [0, 24, 0, 0],
    }),
    content: [
      texts.text([{ text: source.title }], {
        fontSize: 20,
        bold: true,
        lineHeight: 1.15,
        margin: [0, 0, 0, 4],
      }),
      { text: source.writtenAt.slice(0, 10), fontSize: 9, color: '#6a7380', margin: [0, 0, 0, 16] },
      ...(contents.length === 0
        ? []
        : [
            {
              toc: {
                title: { text: 'Contents', bold: true, fontSize: 11.5, margin: [0, 0, 0, 4] },
                numberStyle: { color: '#6a7380' },
              },
              margin: [0, 0, 0, 14],
            },
          ]),
      ...writer.pages(blocks),
      ...footnotes,
    ],
  });
}

function createBlockWriter(texts: TextWriter, listed: ReadonlySet<string>) {
  function one(block: Block, width: number): PdfNode[] {
    switch (block.type) {
      case 'heading': {
        const isListed = listed.has(block.id);
        return [
          texts.text(block.runs, {
            fontSize: headingSizes[block.level - 1],
            bold: true,
            lineHeight: 1.15,
            margin: [0, block.level <= 2 ? 14 : 9, 0, 5],
            ...(isListed
              ? {
                  tocItem: true,
                  tocMargin: [(Math.min(block.level, 4) - 1) * 12, 1, 0, 1],
                  tocStyle: { fontSize: 9, bold: false },
                }
              : {}),
          }),
        ];
      }
      case 'paragraph':
        return [texts.text(block.runs, { margin: [0, 0, 0, 7] })];
      case 'code': {
        const body = [[texts.code(block.text, { fontSize: 8 })]];
        return [{ table: { widths: ['*'], body }, layout: 'code', margin: [0, 2, 0, 9] }];
      }
      case 'quote': {
        const body = [[{ stack: many(block.blocks, width - 14), color: '#4a5563' }]];
        return [{ table: { widths: ['*'], body }, layout: 'quote', margin: [0, 2, 0, 9] }];
      }
      case 'list':
        return [list(block, width)];
      case 'table':
        return table(block, width, false);
      case 'rule':
        return [{ table: { widths: ['*'], body: [['']] }, layout: 'rule', margin: [0, 8, 0, 0] }];
      case 'picture':
        return [{ ...pictureNode(block.shown, width), margin: [0, 3, 0, 10] }];
    }
  }

  const many = (blocks: readonly Block[], width: number): PdfNode[] => {
    const nodes = blocks.flatMap((block) => one(block, width));
    return nodes.length === 0 ? [{ text: '' }] : nodes;
  };

  function list({ isOrdered, isTight, start, items }: Block & { type: 'list' }, width: number): PdfNode {
    const children = items.map((item) => itemNode(item, isTight, width - indent));
    return { ...(isOrdered ? { ol: children, start } : { ul: children }), margin: [0, 0, 0, 5] };
  }

  function itemNode({ isChecked, blocks }: ListItem, isTight: boolean, width: number): PdfNode {
    const stack = many(blocks, width);
    if (isTight)
      for (const [index, block] of blocks.entries())
        if (block.type === 'paragraph') stack[index] = { ...stack[index], margin: [0, 0, 0, 2] };
    if (isChecked === undefined) return { stack };
    const box = { text: isChecked ? '☑' : '☐', width: 14 };
    return { columns: [box, { stack, width: '*' }], listType: 'none' };
  }

  function table(block: TableBlock, width: number, mayTurn: boolean): PdfNode[] {
    if (block.header.length === 0) return [];
    const fit = fitTable(block, width, mayTurn ? turnedWidth : undefined);
    const parts = [
      ...(block.title === undefined || block.title === ''
        ? []
        : [texts.text([{ text: block.title, isBold: true }], { margin: [0, 4, 0, 2], fontSize: 9 })]),
      ...fit.parts.map((part) => tableNode(part, fit.fontSize, texts)),
      ...(block.remark === undefined
        ? []
        : [{ text: block.remark, italics: true, fontSize: 8, margin: [0, -5, 0, 9] }]),
    ];
    if (!fit.isTurned) return parts;
    parts[0] = { ...parts[0], pageBreak: 'before', pageOrientation: 'landscape' };
    return [{ isTurned: true, parts }];
  }

  /**
   * The content of the pages: headings are kept with the following block, and wide tables get landscape
   * pages.
   */
  function pages(blocks: readonly Block[]): PdfNode[] {
    const nodes: PdfNode[] = [];
    let isTurned = false;
    let kept: PdfNode[] = [];
    const add = (added: PdfNode[]) => {
      if (isTurned && added[0] !== undefined) {
        added[0] = { ...added[0], pageBreak: 'before', pageOrientation: 'portrait' };
        isTurned = false;
      }
      nodes.push(...added);
    };
    for (const block of blocks) {
      const made = block.type === 'table' ? table(block, bodyWidth, true) : one(block, bodyWidth);
      const [first] = made;
      if (first === undefined) continue;
      if (block.type === 'heading') {
        kept.push(first);
        continue;
      }
      if (first['isTurned'] === true) {
        const [head, ...rest] = first['parts'] as PdfNode[];
        // Its heading moves with it.
        const [heading, ...others] = kept;
        if (heading === undefined) nodes.push(head!, ...rest);
        else {
          const { pageBreak: _break, pageOrientation: _turn, ...upright } = head!;
          nodes.push(
            { ...heading, pageBreak: 'before', pageOrientation: 'landscape' },
            ...others,
            upright,
            ...rest,
          );
        }
        isTurned = true;
      } else if (kept.length > 0 && isShort(block)) add([{ stack: [...kept, ...made], unbreakable: true }]);
      else add([...kept, ...made]);
      kept = [];
    }
    add(kept);
    return nodes;
  }

  return { many, pages };
}

/** Whether a heading can be kept with the block without leaving half a page empty. */
function isShort(block: Block): boolean {
  switch (block.type) {
    case 'paragraph':
      return block.runs.reduce((total, { text }) => total + textWidth(text), 0) < 500;
    case 'picture':
      return true;
    case 'table':
      return block.rows.length <= 8;
    default:
      return false;
  }
}

function pictureNode(shown: Shown, width: number): PdfNode {
  if (shown.kind === 'result') return { text: '' };
  const { width: own, height } = shown.kind === 'drawing' ? shown.drawing : shown.picture;
  const scale = Math.min(pointsPerPixel, width / own, maxPictureHeight / height);
  const size = { width: own * scale, height: height * scale };
  if (shown.kind === 'picture') {
    const { type, bytes } = shown.picture;
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    return { image: `data:image/${type === 'png' ? 'png' : 'jpeg'};base64,${data}`, ...size };
  }
  const split = (text: string) =>
    splitByFont(text, ['DejaVu Sans'], eastAsianOf(text)).map((part) => ({
      text: part.text,
      family: part.family === 'DejaVu Sans' ? undefined : part.family,
    }));
  return { svg: cleanSvg(shown.drawing.svg, split)?.svg ?? shown.drawing.svg, ...size };
}
