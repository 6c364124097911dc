import { eastAsianOf, type FontFamily, splitByFont } from './fonts.ts';
import { drawingPng } from './png.ts';
import { cleanSvg } from './svg.ts';

/** An image of a cleaned drawing, for readers without SVG: its texts use fonts that have their characters. */
export function drawnWithFonts(svg: string, scale: number, background?: string): Buffer {
  const families = new Set<FontFamily>(['DejaVu Sans']);
  const drawing = cleanSvg(svg, (text) =>
    splitByFont(text, ['DejaVu Sans'], eastAsianOf(text)).map((part) => {
      families.add(part.family);
      return { text: part.text, family: part.family === 'DejaVu Sans' ? undefined : part.family };
    }),
  );
  return drawingPng(drawing?.svg ?? svg, scale, { families: [...families], background });
}
