import { Resvg } from '@resvg/resvg-js';
import { type FontFamily, fontFile } from './fonts.ts';

const maxSide = 4_096;

/** An image of a cleaned drawing. Only the named fonts are loaded. */
export function drawingPng(
  svg: string,
  scale: number,
  families: readonly FontFamily[] = ['DejaVu Sans'],
): Buffer {
  const font = {
    loadSystemFonts: false,
    fontFiles: families.flatMap((family) => [fontFile(family, 'normal'), fontFile(family, 'bold')]),
    defaultFontFamily: 'DejaVu Sans',
    sansSerifFamily: 'DejaVu Sans',
  };
  const image = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: scale } });
  // Its pixels use memory that no thread limit covers.
  const side = Math.max(image.width, image.height);
  if (side > maxSide) return drawingPng(svg, (scale * (maxSide - 1)) / side, families);
  return image.render().asPng();
}
