import { SaxesParser } from 'saxes';

export interface Drawing {
  svg: string;
  /** In its own pixels. */
  width: number;
  height: number;
}

const maxSvgCharacters = 4_194_304;
const maxSide = 20_000;
/** Shapes, text and paint; nothing that executes, loads, embeds or repeats other elements. */
const drawn = new Set(
  'svg g defs path rect circle ellipse line polyline polygon text tspan title desc linearGradient radialGradient stop clipPath'.split(
    ' ',
  ),
);
const paint = /^\s*url\(\s*["']?#[^)]*\)/i;

/** Splits a text that needs more than one font into parts with the name of a font family. */
export type SplitText = (
  text: string,
  isBold: boolean,
) => readonly { text: string; family: string | undefined }[];

/**
 * The SVG with everything but shapes and text removed, so that drawing it reads no file and loads nothing;
 * undefined if it is not an SVG, or has no size.
 */
export function cleanSvg(source: string, split?: SplitText): Drawing | undefined {
  if (source.length > maxSvgCharacters) return undefined;
  const out: string[] = [];
  let size: { width: number; height: number } | undefined;
  let isBroken = false;
  /** Depth inside a removed element; 0 outside. */
  let skipped = 0;
  const bold: boolean[] = [];
  const parser = new SaxesParser({ xmlns: false });
  parser.on('error', () => {
    isBroken = true;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const local = name.startsWith('svg:') ? name.slice(4) : name;
    if (skipped > 0 || !drawn.has(local) || (local === 'svg' && size !== undefined) || bold.length > 200) {
      skipped += 1;
      return;
    }
    if (size === undefined) {
      if (local !== 'svg') isBroken = true;
      size = sizeOf(attributes);
      attributes['width'] = String(size.width);
      attributes['height'] = String(size.height);
      attributes['xmlns'] = 'http://www.w3.org/2000/svg';
    }
    const weight = attributes['font-weight'];
    bold.push(weight === undefined ? (bold.at(-1) ?? false) : /bold|[6-9]00/.test(weight));
    const kept = Object.entries(attributes).filter(([key, value]) => isKept(key, value));
    out.push(`<${local}${kept.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')}>`);
  });
  parser.on('text', (text) => {
    if (skipped > 0) return;
    const parts = text.trim() === '' ? undefined : split?.(text, bold.at(-1) ?? false);
    if (parts === undefined) out.push(escaped(text));
    else
      for (const { text: part, family } of parts)
        out.push(
          family === undefined ? escaped(part) : `<tspan font-family="${family}">${escaped(part)}</tspan>`,
        );
  });
  parser.on('closetag', ({ name }) => {
    if (skipped > 0) skipped -= 1;
    else {
      bold.pop();
      out.push(`</${name.startsWith('svg:') ? name.slice(4) : name}>`);
    }
  });
  parser.write(source).close();
  if (isBroken || size === undefined || !(size.width > 0 && size.height > 0)) return undefined;
  if (size.width > maxSide || size.height > maxSide) return undefined;
  return { svg: out.join(''), ...size };
}

function isKept(name: string, value: string): boolean {
  if (/^on/i.test(name) || /href$/i.test(name)) return false;
  if (name.includes(':') || (name.startsWith('xmlns') && name !== 'xmlns')) return false;
  if (name === 'style') return !/url|import|expression|\\/i.test(value);
  return !/url\s*\(/i.test(value) || paint.test(value);
}

function sizeOf(attributes: Record<string, string>): { width: number; height: number } {
  const box = (attributes['viewBox'] ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const side = (name: 'width' | 'height', index: number): number => {
    const text = attributes[name] ?? '';
    const given = /^\s*[\d.]+(?:px|pt)?\s*$/.test(text) ? Number.parseFloat(text) : Number.NaN;
    const number = Number.isFinite(given) ? given : (box[index] ?? Number.NaN);
    return Number.isFinite(number) ? number : 0;
  };
  return { width: side('width', 2), height: side('height', 3) };
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
