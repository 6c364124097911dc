import type { Paragraph, Parents, PhrasingContent, Root, RootContent, Table } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import type { ReportMaterial, ResultTable } from './contract.ts';
import { pictureOf } from './images.ts';
import { inWords } from './inlines.ts';
import { definitionsOf, isRelative, linkOf, referenceOf, urlOf } from './references.ts';
import { cutRemark, maxColumns } from './result-tables.ts';
import { cleanSvg } from './svg.ts';

const writer = unified()
  .use(remarkStringify, { bullet: '-', rule: '-' })
  .use(remarkGfm, { tablePipeAlign: false });

/** The report in one file, with results as tables, and charts and images embedded. */
export function selfContained(root: Root, material: ReportMaterial): string {
  const definitions = definitionsOf(root);

  function fill(parent: Parents): void {
    const children = parent.children.flatMap((node): RootContent[] => {
      if (node.type === 'image' || node.type === 'imageReference') {
        const url = urlOf(node, definitions);
        return [filled(url, node.alt ?? '', material)];
      }
      if (node.type === 'html') return asText(node.value, parent);
      if ('children' in node) fill(node);
      if (node.type === 'link') return isHarmless(node.url) ? [node] : node.children;
      if (node.type === 'linkReference') {
        const url = definitions.get(node.identifier)?.url;
        return url === undefined || isHarmless(url) ? [node] : node.children;
      }
      if (node.type === 'definition') return isHarmless(node.url) ? [node] : [];
      return node.type === 'paragraph' ? withTables(node) : [node];
    });
    parent.children = children as never;
  }

  /** A result becomes a separate table, before or after the surrounding text. */
  function withTables(paragraph: Paragraph): RootContent[] {
    const blocks: RootContent[] = [];
    let words: PhrasingContent[] = [];
    const end = () => {
      if (words.some((node) => node.type !== 'text' || node.value.trim() !== ''))
        blocks.push({ type: 'paragraph', children: words });
      words = [];
    };
    for (const node of paragraph.children) {
      const id = node.type === 'image' ? referenceOf(node.url) : undefined;
      const table = id?.kind === 'result' ? material.results[id.id] : undefined;
      if (table === undefined || node.type !== 'image') words.push(node);
      else {
        end();
        blocks.push(...tableOf(table, node.alt ?? ''));
      }
    }
    end();
    return blocks;
  }

  fill(root);
  return writer.stringify(root);
}

/** A link in the file must not execute anything when followed: `javascript:`, `data:`. */
const isHarmless = (url: string) => linkOf(url) !== undefined || isRelative(url);

/** HTML in a report must not be rendered by a viewer of the file; line breaks of cells stay. */
function asText(html: string, parent: Parents): RootContent[] {
  if (/^<br\s*\/?>$/i.test(html)) return [{ type: 'html', value: html }];
  if (/^\s*<!--/.test(html)) return [];
  const text: RootContent = { type: 'text', value: html };
  const isInLine =
    'children' in parent && /paragraph|heading|tableCell|emphasis|strong|delete|link/.test(parent.type);
  return isInLine ? [text] : [{ type: 'paragraph', children: [text] }];
}

function filled(url: string | undefined, alt: string, material: ReportMaterial): PhrasingContent {
  const reference = referenceOf(url ?? '');
  if (reference.kind === 'result' && material.results[reference.id] !== undefined)
    return { type: 'image', url: url!, alt };
  const data = dataOf(reference, material);
  if (data !== undefined) return { type: 'image', url: data, alt };
  const { text, href } = inWords(url, alt);
  return href === undefined
    ? { type: 'text', value: text }
    : { type: 'link', url: href, children: [{ type: 'text', value: text }] };
}

function dataOf(reference: ReturnType<typeof referenceOf>, material: ReportMaterial): string | undefined {
  if (reference.kind === 'chart') return svgData(material.charts[reference.id]);
  if (reference.kind !== 'image') return undefined;
  const bytes = material.images[reference.path];
  if (bytes === undefined) return undefined;
  const picture = pictureOf(bytes);
  if (picture === undefined) return svgData(new TextDecoder().decode(bytes));
  const type = picture.type === 'png' ? 'image/png' : 'image/jpeg';
  return `data:${type};base64,${Buffer.from(picture.bytes).toString('base64')}`;
}

function svgData(svg: string | undefined): string | undefined {
  const drawing = svg === undefined ? undefined : cleanSvg(svg);
  return drawing && `data:image/svg+xml;base64,${Buffer.from(drawing.svg).toString('base64')}`;
}

function tableOf(result: ResultTable, alt: string): RootContent[] {
  const columns = result.columns.slice(0, maxColumns);
  const row = (cells: readonly string[]): Table['children'][number] => ({
    type: 'tableRow',
    children: columns.map((_, index) => ({
      type: 'tableCell',
      children: [{ type: 'text', value: (cells[index] ?? '').replaceAll(/[\r\n]+/g, ' ') }],
    })),
  });
  const words = (value: string): RootContent => ({ type: 'paragraph', children: [{ type: 'text', value }] });
  const remark = cutRemark(result);
  const title = alt === '' ? result.title : alt;
  return [
    ...(title === '' ? [] : [words(title)]),
    { type: 'table', children: [row(columns.map(({ name }) => name)), ...result.rows.map(row)] },
    ...(remark === undefined ? [] : [words(remark)]),
  ];
}
