import {
  AlignmentType,
  Document,
  Footer,
  HeadingLevel,
  type ISectionOptions,
  LevelFormat,
  LineRuleType,
  Packer,
  PageNumber,
  PageOrientation,
  Paragraph,
  TableOfContents,
  TextRun,
} from 'docx';
import { estimatePageNumbers } from 'docx/layout';
import type { Block, ReportBlocks } from '../block.ts';
import { printable } from '../characters.ts';
import type { ReportSource } from '../contract.ts';
import { bookmarkOf, createBlockWriter, type DocxBlock, listIndent } from './blocks.ts';
import { paragraphOptions } from './runs.ts';

/** A4 in twentieths of a point. */
const page = { width: 11_906, height: 16_838 };
const margin = 1_134;
const headingsWithoutContents = 5;
const textFont = 'Calibri';
const headingSizes = [32, 27, 23, 21, 20, 20];
export const levels = 9;

export async function docxOf(source: ReportSource, { blocks, notes }: ReportBlocks): Promise<Buffer> {
  const writer = createBlockWriter({ width: page.width - 2 * margin, turnedWidth: page.height - 2 * margin });
  const headings = blocks.flatMap((block) => (block.type === 'heading' ? [block] : []));
  const hasContents = headings.length > headingsWithoutContents;
  const isLong = weightOf(blocks) > longWeight;
  const title = printable(source.title);
  const opening: DocxBlock[] = [
    new Paragraph({
      ...paragraphOptions(title),
      heading: HeadingLevel.TITLE,
      children: [new TextRun(title)],
    }),
    new Paragraph({
      spacing: { after: 280 },
      children: [new TextRun({ text: source.writtenAt.slice(0, 10), color: '6A7380', size: 18 })],
    }),
    ...(hasContents
      ? [
          new Paragraph({
            spacing: { after: 80 },
            children: [new TextRun({ text: 'Contents', bold: true })],
          }),
          new TableOfContents('Contents', {
            hyperlink: true,
            headingStyleRange: '1-4',
            ...(isLong ? { cachedEntries: headings.filter(({ level }) => level <= 4).map(entryOf) } : {}),
          }),
        ]
      : []),
  ];
  const sections = sectionsOf(blocks, opening, writer);
  const footnotes = Object.fromEntries(
    notes.map((note, index) => [
      index + 1,
      {
        children: writer
          .many(note, { level: 0, indent: 0, quotes: 0 })
          .filter((block): block is Paragraph => block instanceof Paragraph),
      },
    ]),
  );
  const document = new Document({
    title,
    creator: 'Analytics Workspace Service',
    styles: {
      default: {
        document: {
          run: { font: textFont, size: 21, color: '1B2430' },
          paragraph: { spacing: { after: 120 } },
        },
        title: { run: { size: 40, bold: true, font: textFont }, paragraph: { spacing: { after: 60 } } },
        ...headingStyles(),
      },
    },
    numbering: { config: [bullets(), ...writer.starts().map(numbers)] },
    footnotes,
    ...(hasContents && !isLong ? { pageNumbers: estimatePageNumbers } : {}),
    sections,
  });
  return Packer.toBuffer(document);
}

/**
 * Counting pages requires a layout, which takes seconds for a long document, so Word counts them when it
 * opens the file.
 */
const longWeight = 400;

const entryOf = ({ text, level, id }: Block & { type: 'heading' }) => ({
  title: printable(text),
  level,
  href: bookmarkOf(id),
});

/** Approximate number of paragraphs. */
function weightOf(blocks: readonly Block[]): number {
  let weight = 0;
  for (const block of blocks)
    weight +=
      block.type === 'table'
        ? block.rows.length * block.header.length
        : 'items' in block
          ? block.items.length
          : 1;
  return weight;
}

/** Tables too wide for a portrait page get separate pages. */
function sectionsOf(
  blocks: readonly Block[],
  opening: DocxBlock[],
  writer: ReturnType<typeof createBlockWriter>,
): ISectionOptions[] {
  const sections: { isTurned: boolean; children: DocxBlock[] }[] = [{ isTurned: false, children: opening }];
  let headings: DocxBlock[] = [];
  for (const block of blocks) {
    const isTurned = block.type === 'table' && writer.isTurned(block);
    const made = writer.one(block, { level: 0, indent: 0, quotes: 0 }, isTurned);
    if (block.type === 'heading') {
      headings.push(...made);
      continue;
    }
    // A heading is kept with the following block.
    if (sections.at(-1)!.isTurned !== isTurned) sections.push({ isTurned, children: [] });
    sections.at(-1)!.children.push(...headings, ...made);
    headings = [];
  }
  sections.at(-1)!.children.push(...headings);
  return sections.map(({ isTurned, children }) => ({
    properties: {
      page: {
        size: {
          ...page,
          orientation: isTurned ? PageOrientation.LANDSCAPE : PageOrientation.PORTRAIT,
        },
        margin: { top: margin, bottom: margin, left: margin, right: margin },
      },
    },
    footers: { default: pageFooter() },
    children,
  }));
}

function pageFooter(): Footer {
  return new Footer({
    children: [
      new Paragraph({
        alignment: AlignmentType.CENTER,
        children: [
          new TextRun({
            children: [PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES],
            size: 16,
            color: '6A7380',
          }),
        ],
      }),
    ],
  });
}

function headingStyles() {
  const style = (size: number) => ({
    run: { size, bold: true, color: '1B2430', font: textFont },
    paragraph: {
      spacing: { before: 240, after: 100, line: 260, lineRule: LineRuleType.AUTO },
      keepNext: true,
    },
  });
  const [heading1, heading2, heading3, heading4, heading5, heading6] = headingSizes.map(style);
  return { heading1, heading2, heading3, heading4, heading5, heading6 };
}

const indentOf = (level: number) => ({
  paragraph: { indent: { left: (level + 1) * listIndent, hanging: listIndent } },
});

function bullets() {
  return {
    reference: 'bullets',
    levels: Array.from({ length: levels }, (_, level) => ({
      level,
      format: LevelFormat.BULLET,
      text: ['•', '◦', '▪'][level % 3]!,
      alignment: AlignmentType.LEFT,
      style: indentOf(level),
    })),
  };
}

function numbers(start: number) {
  return {
    reference: `numbers-${start}`,
    levels: Array.from({ length: levels }, (_, level) => ({
      level,
      format: LevelFormat.DECIMAL,
      text: `%${level + 1}.`,
      start,
      alignment: AlignmentType.LEFT,
      style: indentOf(level),
    })),
  };
}
