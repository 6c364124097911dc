import {
  AlignmentType,
  Bookmark,
  BorderStyle,
  HeadingLevel,
  ImageRun,
  type IParagraphOptions,
  Paragraph,
  type ParagraphChild,
  Table,
  TableCell,
  TableLayoutType,
  type TableOfContents,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import type { Block, ListItem, TableBlock } from '../block.ts';
import { printable } from '../characters.ts';
import { drawnWithFonts } from '../drawn-with-fonts.ts';
import type { Run, Shown } from '../inlines.ts';
import { fitTable, type TableFit, type TablePart } from '../table-fit.ts';
import { childrenOf, codeFont, paragraphOptions, textOfRuns } from './runs.ts';

export type DocxBlock = Paragraph | Table | TableOfContents;

/** In twentieths of a point. */
export const listIndent = 360;
const quoteIndent = 280;
const headings = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
];
const alignments = {
  left: AlignmentType.LEFT,
  center: AlignmentType.CENTER,
  right: AlignmentType.RIGHT,
} as const;
const maxPictureHeight = 780;
const line = { style: BorderStyle.SINGLE, size: 4, color: 'D5DAE1' };
const none = { style: BorderStyle.NONE, size: 0, color: 'auto' };

export const bookmarkOf = (headingId: string): string => `heading-${headingId}`;

/** The position of a block: its list level, its indent, and the quotes around it. */
export interface Place {
  level: number;
  indent: number;
  quotes: number;
}

export function createBlockWriter({ width, turnedWidth }: { width: number; turnedWidth: number }) {
  const starts = new Set<number>();
  let orderedLists = 0;
  const fits = new Map<TableBlock, TableFit>();

  function one(block: Block, place: Place, isTurned = false): DocxBlock[] {
    switch (block.type) {
      case 'heading':
        return [
          new Paragraph({
            ...paragraphOptions(block.text),
            ...placed(place),
            heading: headings[block.level - 1]!,
            children: [new Bookmark({ id: bookmarkOf(block.id), children: childrenOf(block.runs) })],
          }),
        ];
      case 'paragraph':
        return [paragraph(block.runs, place)];
      case 'code':
        return [code(block.text, place)];
      case 'quote': {
        const within = { ...place, indent: place.indent + quoteIndent, quotes: place.quotes + 1 };
        return many(block.blocks, within);
      }
      case 'list':
        return list(block, place);
      case 'table':
        return table(block, place, isTurned);
      case 'rule':
        return [new Paragraph({ border: { bottom: { ...line, color: 'B8C0CC', space: 1 } }, children: [] })];
      case 'picture':
        return [
          new Paragraph({ ...placed(place), children: pictureRun(block.shown, block.alt, width / 15) }),
        ];
    }
  }

  const many = (blocks: readonly Block[], place: Place): DocxBlock[] =>
    blocks.flatMap((block) => one(block, place));

  function list({ isOrdered, start, items, isTight }: Block & { type: 'list' }, place: Place): DocxBlock[] {
    const level = Math.min(place.level, 8);
    const within = { ...place, level: level + 1, indent: place.indent + listIndent };
    const spacing = isTight ? { spacing: { after: 40 } } : {};
    if (isOrdered) {
      orderedLists += 1;
      starts.add(start);
    }
    const reference = isOrdered ? `numbers-${start}` : 'bullets';
    const numbering = { reference, level, ...(isOrdered ? { instance: orderedLists } : {}) };
    return items.flatMap(({ isChecked, blocks: [first, ...rest] }: ListItem) => {
      const marker =
        isChecked === undefined
          ? { numbering, indent: { left: within.indent, hanging: listIndent } }
          : { indent: { left: within.indent, hanging: listIndent } };
      const box: Run[] = isChecked === undefined ? [] : [{ text: isChecked ? '☑ ' : '☐ ' }];
      const runs = first?.type === 'paragraph' ? first.runs : [];
      const head = paragraph([...box, ...runs], within, { ...marker, ...spacing });
      const others = first === undefined || first.type === 'paragraph' ? rest : [first, ...rest];
      return [head, ...many(others, within)];
    });
  }

  function table(block: TableBlock, place: Place, isTurned: boolean): DocxBlock[] {
    if (block.header.length === 0) return [];
    const { parts, fontSize } = fitOf(block, isTurned);
    const room = (isTurned ? turnedWidth : width) - place.indent;
    const space = () => new Paragraph({ spacing: { after: 60 }, children: [] });
    const words = (text: string, style: { bold?: boolean; italics?: boolean; size: number }) =>
      new Paragraph({
        ...placed(place),
        spacing: { before: 60, after: 60 },
        children: [new TextRun({ ...style, text })],
      });
    return [
      ...(block.title === undefined || block.title === ''
        ? []
        : [words(printable(block.title), { bold: true, size: 20 })]),
      ...parts.flatMap((part, index) => [
        ...(index === 0 ? [] : [space()]),
        tablePart(part, Math.round(fontSize * 2), room, place),
      ]),
      block.remark === undefined ? space() : words(block.remark, { italics: true, size: 17 }),
    ];
  }

  function tablePart({ table: part, widths }: TablePart, size: number, room: number, place: Place): Table {
    const natural = widths.map((each) => Math.round((each + 10) * 20));
    const scale = Math.min(1, room / natural.reduce((total, each) => total + each, 0));
    const columns = natural.map((each) => Math.max(1, Math.floor(each * scale)));
    const row = (cells: readonly Run[][], isHeader: boolean): TableRow =>
      new TableRow({
        ...(isHeader ? { tableHeader: true, cantSplit: true } : {}),
        children: cells.map(
          (runs, index) =>
            new TableCell({
              width: { size: columns[index]!, type: WidthType.DXA },
              ...(isHeader ? { shading: { fill: 'F1F4F8' } } : {}),
              children: [
                new Paragraph({
                  ...paragraphOptions(textOfRuns(runs)),
                  alignment: alignments[part.align[index]!],
                  spacing: { before: 30, after: 30 },
                  children: childrenOf(runs, isHeader ? { bold: true, size } : { size }),
                }),
              ],
            }),
        ),
      });
    return new Table({
      layout: TableLayoutType.FIXED,
      columnWidths: columns,
      width: { size: columns.reduce((total, each) => total + each, 0), type: WidthType.DXA },
      ...(place.indent > 0 ? { indent: { size: place.indent, type: WidthType.DXA } } : {}),
      borders: {
        top: line,
        bottom: line,
        left: none,
        right: none,
        insideHorizontal: line,
        insideVertical: none,
      },
      margins: { left: 80, right: 80, marginUnitType: WidthType.DXA },
      rows: [row(part.header, true), ...part.rows.map((cells) => row(cells, false))],
    });
  }

  function fitOf(block: TableBlock, mayTurn: boolean): TableFit {
    const known = fits.get(block);
    if (known !== undefined) return known;
    const fit = fitTable(block, width / 20, mayTurn ? turnedWidth / 20 : undefined);
    fits.set(block, fit);
    return fit;
  }

  return {
    one,
    many,
    isTurned: (block: TableBlock): boolean => fitOf(block, true).isTurned,
    /** Start numbers of ordered lists. */
    starts: (): number[] => [...starts],
  };
}

function paragraph(runs: readonly Run[], place: Place, options: IParagraphOptions = {}): Paragraph {
  return new Paragraph({
    ...paragraphOptions(textOfRuns(runs)),
    ...placed(place),
    ...options,
    children: childrenOf(runs),
  });
}

function placed({ indent, quotes }: Place): Pick<IParagraphOptions, 'indent' | 'border'> {
  return {
    ...(indent > 0 ? { indent: { left: indent } } : {}),
    ...(quotes > 0
      ? { border: { left: { style: BorderStyle.SINGLE, size: 18, color: 'C5CCD6', space: 8 } } }
      : {}),
  };
}

function code(text: string, place: Place): Paragraph {
  const children = printable(text)
    .split('\n')
    .map(
      (each, index) =>
        new TextRun({ text: each, font: codeFont, size: 17, ...(index === 0 ? {} : { break: 1 }) }),
    );
  return new Paragraph({ ...placed(place), shading: { fill: 'F5F7F9' }, children });
}

function pictureRun(shown: Shown, alt: string, maxWidth: number): ParagraphChild[] {
  if (shown.kind === 'result') return [];
  const { width, height } = shown.kind === 'drawing' ? shown.drawing : shown.picture;
  const scale = Math.min(1, maxWidth / width, maxPictureHeight / height);
  const text = printable(alt);
  const shared = {
    transformation: {
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    },
    altText: { name: text === '' ? 'Image' : text.slice(0, 200), description: text, title: text },
  };
  if (shown.kind === 'picture')
    return [new ImageRun({ ...shared, type: shown.picture.type, data: shown.picture.bytes })];
  const fallback = { type: 'png' as const, data: drawnWithFonts(shown.drawing.svg, 2) };
  return [new ImageRun({ ...shared, type: 'svg', data: Buffer.from(shown.drawing.svg), fallback })];
}
