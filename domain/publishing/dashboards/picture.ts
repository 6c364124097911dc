import { gridColumns } from './layout.ts';
import type { ShownTile } from './shown.ts';

/** In pixels of the drawing; a PNG has twice as many. */
const width = 1_200;
const rowHeight = 48;
const top = 56;
const gap = 8;
const longestSide = 2_000;
const characterWidth = 7.5;
const lineHeight = 18;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A dashboard as SVG: its tiles on their grid, with as much of each as fits. */
export function dashboardSvg(title: string, tiles: readonly ShownTile[]): string {
  const rows = Math.max(1, ...tiles.map(({ tile }) => tile.y + tile.height));
  const height = top + rows * rowHeight + gap;
  const scale = Math.min(1, longestSide / height);
  const shown = tiles.map((tile, index) => tileSvg(tile, index)).join('');
  const size = `width="${Math.round(width * scale)}" height="${Math.round(height * scale)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}" font-family="DejaVu Sans, sans-serif"><rect width="${width}" height="${height}" fill="#f3f4f6"/>${textLine(title, gap * 2, 36, { size: 20, isBold: true })}${shown}</svg>`;
}

function tileSvg({ tile, title, shown }: ShownTile, index: number): string {
  const column = width / gridColumns;
  const box: Box = {
    x: tile.x * column + gap,
    y: top + tile.y * rowHeight + gap,
    width: tile.width * column - 2 * gap,
    height: tile.height * rowHeight - gap,
  };
  const id = `tile${index}`;
  const edges = `x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}"`;
  const heading =
    title === '' ? '' : textLine(cut(title, box.width), box.x + gap, box.y + 20, { size: 13, isBold: true });
  const used = title === '' ? gap : 30;
  const inner: Box = {
    x: box.x + gap,
    y: box.y + used,
    width: box.width - 2 * gap,
    height: Math.max(1, box.height - used - gap),
  };
  return `<clipPath id="${id}"><rect ${edges}/></clipPath><rect ${edges} rx="6" fill="#ffffff" stroke="#d5dae1"/><g clip-path="url(#${id})">${heading}${contentSvg(shown, inner, id)}</g>`;
}

function contentSvg(shown: ShownTile['shown'], box: Box, id: string): string {
  switch (shown.kind) {
    case 'picture':
      return chartSvg(shown.svg, box, id);
    case 'number':
      return `${textLine(cut(shown.text, box.width / 2.5), box.x, box.y + 36, { size: 32, isBold: true })}${textLine(shown.label, box.x, box.y + 60)}`;
    case 'text':
      return textLines(wrapped(shown.markdown, box.width), box);
    case 'fault':
      return textLines(wrapped(shown.detail, box.width), box, '#b3261e');
    case 'table': {
      const lines = [shown.columns.map(({ name }) => name), ...shown.rows].slice(
        0,
        Math.ceil(box.height / lineHeight),
      );
      const cell = box.width / Math.max(1, shown.columns.length);
      return lines
        .map((cells, line) =>
          cells
            .map((text, at) =>
              textLine(cut(text, cell), box.x + at * cell, box.y + (line + 1) * lineHeight, {
                isBold: line === 0,
              }),
            )
            .join(''),
        )
        .join('');
    }
  }
}

/** A chart in a drawing of several: its own ids are told apart from those of others. */
function chartSvg(svg: string, { x, y, width: most, height }: Box, id: string): string {
  const size = /viewBox="([\d. -]+)"/.exec(svg)?.[1] ?? '0 0 640 360';
  const begin = svg.indexOf('<svg');
  const inner = svg.slice(svg.indexOf('>', begin) + 1, svg.lastIndexOf('</svg>'));
  const own = inner.replaceAll(/ id="/g, ` id="${id}-`).replaceAll(/url\(#/g, `url(#${id}-`);
  return `<svg x="${x}" y="${y}" width="${most}" height="${height}" viewBox="${size}" preserveAspectRatio="xMinYMin meet">${own}</svg>`;
}

const textLines = (lines: readonly string[], { x, y, height }: Box, fill?: string): string =>
  lines
    .slice(0, Math.ceil(height / lineHeight))
    .map((line, index) => textLine(line, x, y + (index + 1) * lineHeight, fill === undefined ? {} : { fill }))
    .join('');

function textLine(
  text: string,
  x: number,
  y: number,
  { size = 12, isBold = false, fill = '#1a1d21' }: { size?: number; isBold?: boolean; fill?: string } = {},
): string {
  const weight = isBold ? ' font-weight="bold"' : '';
  return `<text x="${x}" y="${y}" font-size="${size}"${weight} fill="${fill}">${escaped(text)}</text>`;
}

const fitting = (room: number): number => Math.max(1, Math.floor(room / characterWidth));

function cut(text: string, room: number): string {
  const most = fitting(room);
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

function wrapped(text: string, room: number): string[] {
  const most = fitting(room);
  return text.split('\n').flatMap((line) => {
    const lines = [''];
    for (const word of line.split(' ')) {
      const last = lines.at(-1)!;
      if (last === '') lines[lines.length - 1] = word;
      else if (last.length + word.length < most) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines.map((each) => cut(each, room));
  });
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, ' ')
    .replaceAll(/[&<>]/g, (character) => escapes[character]!);
