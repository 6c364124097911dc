import { Resvg } from '@resvg/resvg-js';
import { type FontFamily, fontFile } from './fonts.ts';

const maxSide = 4_096;

/** An image of a cleaned drawing, transparent by default. Only the named fonts are loaded. */
export function drawingPng(
  svg: string,
  scale: number,
  {
    families = ['DejaVu Sans'],
    background,
  }: { families?: readonly FontFamily[]; background?: string | undefined } = {},
): Buffer {
  const font = {
    loadSystemFonts: false,
    fontFiles: families.flatMap((family) => [fontFile(family, 'normal'), fontFile(family, 'bold')]),
    defaultFontFamily: 'DejaVu Sans',
    sansSerifFamily: 'DejaVu Sans',
  };
  const fitTo = { mode: 'zoom' as const, value: scale };
  const image = new Resvg(svg, { font, fitTo, ...(background === undefined ? {} : { background }) });
  // Its pixels use memory that no thread limit covers.
  const side = Math.max(image.width, image.height);
  if (side > maxSide) return drawingPng(svg, (scale * (maxSide - 1)) / side, { families, background });
  return image.render().asPng();
}
