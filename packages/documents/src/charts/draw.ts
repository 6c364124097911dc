import type { ChartDocument } from './spec.ts';

/**
 * The drawing of a chart as SVG, at most 2 MiB, with nothing but shapes and text. The work takes up to a
 * second of this thread, and loads its libraries when first called: about 100 MiB.
 *
 * @throws DocumentFault drawing_refused
 */
export async function chartSvg(document: ChartDocument): Promise<string> {
  const { svgOf } = await import('./drawing.ts');
  return svgOf(document);
}

/**
 * An image of the result of `chartSvg`, at twice its size.
 *
 * @throws DocumentFault drawing_refused where the SVG is another, or has more than 4,096 pixels to a side
 */
export async function chartPng(svg: string): Promise<Uint8Array> {
  const { pngOf } = await import('./drawing.ts');
  return pngOf(svg);
}
