import type { AlignType, FootnoteDefinition, List, Root, RootContent, Table } from 'mdast';
import type { Align, Block, ReportBlocks } from './block.ts';
import type { ReportMaterial } from './contract.ts';
import { createInlineReader, type Inline, type Run } from './inlines.ts';
import { definitionsOf } from './references.ts';
import { resultTable } from './result-tables.ts';
import { textOf, walk } from './tree.ts';

/** In characters; a longer one is not useful as a heading. */
const longestHeading = 1_000;

export function blocksOf(root: Root, title: string, material: ReportMaterial): ReportBlocks {
  const footnotes = new Map<string, FootnoteDefinition>();
  for (const node of walk(root))
    if (node.type === 'footnoteDefinition' && !footnotes.has(node.identifier))
      footnotes.set(node.identifier, node);
  const numbers = new Map<string, number>();
  const numbered: FootnoteDefinition[] = [];
  const noteNumber = (identifier: string): number | undefined => {
    const note = footnotes.get(identifier);
    if (note === undefined) return undefined;
    const known = numbers.get(identifier);
    if (known !== undefined) return known;
    numbered.push(note);
    numbers.set(identifier, numbered.length);
    return numbered.length;
  };
  const inlines = createInlineReader({ definitions: definitionsOf(root), material, noteNumber });
  let headings = 0;

  const many = (nodes: readonly RootContent[]): Block[] => nodes.flatMap(one);

  function one(node: RootContent): Block[] {
    switch (node.type) {
      case 'heading': {
        headings += 1;
        const runs = inlines.runs(node.children);
        const text = runs
          .map((run) => run.text)
          .join('')
          .trim();
        if (text === '') return [];
        if (text.length > longestHeading) return [{ type: 'paragraph', runs }];
        return [{ type: 'heading', level: node.depth, runs, text, id: `h${headings}` }];
      }
      case 'paragraph':
        return paragraphs(inlines.read(node.children));
      case 'code':
        return [{ type: 'code', text: node.value }];
      case 'blockquote':
        return [{ type: 'quote', blocks: many(node.children) }];
      case 'list':
        return [list(node)];
      case 'table':
        return [table(node)];
      case 'thematicBreak':
        return [{ type: 'rule' }];
      case 'html':
        return /^\s*<!--/.test(node.value) ? [] : [{ type: 'paragraph', runs: [{ text: node.value }] }];
      default:
        return [];
    }
  }

  function list(node: List): Block {
    const items = node.children.map((item) => ({
      isChecked: item.checked ?? undefined,
      blocks: many(item.children),
    }));
    const isTight = node.children.every((item) => item.spread !== true) && node.spread !== true;
    return { type: 'list', isOrdered: node.ordered === true, isTight, start: node.start ?? 1, items };
  }

  function table({ align, children: [header, ...rows] }: Table): Block {
    const width = header?.children.length ?? 0;
    const cells = (row: Table['children'][number] | undefined): Run[][] =>
      Array.from({ length: width }, (_, index) => inlines.runs(row?.children[index]?.children ?? []));
    const sides = Array.from({ length: width }, (_, index) => sideOf(align?.[index]));
    return {
      type: 'table',
      title: undefined,
      align: sides,
      header: cells(header),
      rows: rows.map(cells),
      remark: undefined,
    };
  }

  const [head, ...rest] = root.children;
  const isTitle = head?.type === 'heading' && head.depth === 1 && textOf(head).trim() === title.trim();
  const blocks = many(isTitle ? rest : root.children);
  // A note may refer to another note, which is then numbered.
  const notes: Block[][] = [];
  for (let index = 0; index < numbered.length; index += 1) notes.push(many(numbered[index]!.children));
  return { blocks, notes };
}

const sideOf = (align: AlignType | undefined): Align => align ?? 'left';

/** Images and results become separate blocks; the text around them becomes paragraphs. */
function paragraphs(inlines: readonly Inline[]): Block[] {
  const blocks: Block[] = [];
  let runs: Run[] = [];
  const end = () => {
    if (runs.some(({ text }) => text.trim() !== '')) blocks.push({ type: 'paragraph', runs });
    runs = [];
  };
  for (const inline of inlines) {
    if (!('shown' in inline)) {
      runs.push(inline);
      continue;
    }
    end();
    if (inline.shown.kind === 'result') blocks.push(resultTable(inline.shown.table, inline.alt));
    else blocks.push({ type: 'picture', shown: inline.shown, alt: inline.alt });
  }
  end();
  return blocks;
}
