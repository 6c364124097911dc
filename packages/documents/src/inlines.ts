import type { Definition, Image, ImageReference, PhrasingContent } from 'mdast';
import type { ReportMaterial, ResultTable } from './contract.ts';
import { type Picture, pictureOf } from './images.ts';
import { linkOf, referenceOf, urlOf } from './references.ts';
import { cleanSvg, type Drawing } from './svg.ts';
import { textOf } from './tree.ts';

/** Characters of the same style. */
export interface Run {
  text: string;
  isBold?: boolean;
  isItalic?: boolean;
  isStruck?: boolean;
  isCode?: boolean;
  href?: string;
  /** The number of the footnote that it refers to. */
  note?: number;
}

/** The resolved content of an image. */
export type Shown =
  | { kind: 'drawing'; drawing: Drawing }
  | { kind: 'picture'; picture: Picture }
  | { kind: 'result'; table: ResultTable };

export type Inline = Run | { shown: Shown; alt: string };

type Style = Omit<Run, 'text'>;

interface Reading {
  definitions: ReadonlyMap<string, Definition>;
  material: ReportMaterial;
  noteNumber(identifier: string): number | undefined;
}

/** Reads inline content: runs of text, and images between them. */
export function createInlineReader({ definitions, material, noteNumber }: Reading) {
  const known = new Map<string, Shown | undefined>();

  function shownOf(url: string): Shown | undefined {
    if (!known.has(url)) known.set(url, resolve(url, material));
    return known.get(url);
  }

  function image(node: Image | ImageReference, style: Style): Inline {
    const url = urlOf(node, definitions);
    const alt = node.alt ?? '';
    const shown = url === undefined ? undefined : shownOf(url);
    return shown === undefined ? inWords(url, alt, style) : { shown, alt };
  }

  function one(node: PhrasingContent, style: Style): Inline[] {
    switch (node.type) {
      case 'text':
        return [{ ...style, text: node.value.replaceAll('\n', ' ') }];
      case 'emphasis':
        return many(node.children, { ...style, isItalic: true });
      case 'strong':
        return many(node.children, { ...style, isBold: true });
      case 'delete':
        return many(node.children, { ...style, isStruck: true });
      case 'inlineCode':
        return [{ ...style, text: node.value, isCode: true }];
      case 'break':
        return [{ ...style, text: '\n' }];
      case 'link':
      case 'linkReference': {
        const url = node.type === 'link' ? node.url : definitions.get(node.identifier)?.url;
        const href = linkOf(url);
        return many(node.children, href === undefined ? style : { ...style, href });
      }
      case 'image':
      case 'imageReference':
        return [image(node, style)];
      case 'footnoteReference': {
        const note = noteNumber(node.identifier);
        return [
          note === undefined ? { ...style, text: `[^${node.label ?? ''}]` } : { text: String(note), note },
        ];
      }
      case 'html':
        if (/^<br\s*\/?>$/i.test(node.value)) return [{ ...style, text: '\n' }];
        return node.value.startsWith('<!--') ? [] : [{ ...style, text: node.value }];
      default:
        return [{ ...style, text: textOf(node) }];
    }
  }

  const many = (nodes: readonly PhrasingContent[], style: Style): Inline[] =>
    joined(nodes.flatMap((node) => one(node, style)));

  return {
    read: (nodes: readonly PhrasingContent[]): Inline[] => many(nodes, {}),
    /** Used where images are not possible: shows them by their text. */
    runs: (nodes: readonly PhrasingContent[]): Run[] =>
      many(nodes, {}).map((inline) => ('shown' in inline ? { text: `[${inline.alt}]` } : inline)),
  };
}

function resolve(url: string, { charts, results, images }: ReportMaterial): Shown | undefined {
  const reference = referenceOf(url);
  if (reference.kind === 'result') {
    const table = results[reference.id];
    return table === undefined ? undefined : { kind: 'result', table };
  }
  if (reference.kind === 'chart') return drawingOf(charts[reference.id]);
  if (reference.kind !== 'image') return undefined;
  const bytes = images[reference.path];
  if (bytes === undefined) return undefined;
  const picture = pictureOf(bytes);
  if (picture !== undefined) return { kind: 'picture', picture };
  return drawingOf(new TextDecoder().decode(bytes));
}

function drawingOf(svg: string | undefined): Shown | undefined {
  const drawing = svg === undefined ? undefined : cleanSvg(svg);
  return drawing === undefined ? undefined : { kind: 'drawing', drawing };
}

/** The text for content that is not shown, as a link if a reader can follow it. */
export function inWords(url: string | undefined, alt: string, style: Style = {}): Run {
  const href = linkOf(url);
  if (href !== undefined) return { ...style, text: alt === '' ? href : alt, href };
  return { ...style, text: `[${alt === '' ? 'image' : alt}]` };
}

/** Joins adjacent runs of the same style. */
function joined(inlines: readonly Inline[]): Inline[] {
  const result: Inline[] = [];
  for (const inline of inlines) {
    const last = result.at(-1);
    if (last !== undefined && !('shown' in last) && !('shown' in inline) && isLike(last, inline))
      result[result.length - 1] = { ...last, text: last.text + inline.text };
    else result.push(inline);
  }
  return result;
}

const isLike = (a: Run, b: Run): boolean =>
  a.note === undefined &&
  b.note === undefined &&
  a.href === b.href &&
  a.isBold === b.isBold &&
  a.isItalic === b.isItalic &&
  a.isStruck === b.isStruck &&
  a.isCode === b.isCode;
