import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import { type Loader, logger, None, parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { DocumentFault } from '../fault.ts';
import type { ChartDocument } from './spec.ts';

const maxSvgBytes = 2_097_152;
const pngScale = 2;
const maxSide = 4_096;
/** Elements of a chart's drawing: nothing that executes, embeds or refers. */
const drawn = new Set(['svg', 'g', 'path', 'line', 'rect', 'text', 'tspan', 'defs', 'clipPath']);
const fontFiles = fontPaths(['DejaVuSans', 'DejaVuSans-Bold']);

export async function svgOf(document: ChartDocument): Promise<string> {
  const faults: unknown[] = [];
  const quiet = logger(None);
  const { spec } = compile(document as unknown as TopLevelSpec, { logger: quiet });
  const view = new View(parse(spec), { renderer: 'none', loader: refusingLoader(faults), logger: quiet });
  // Errors during drawing are only logged by the library, and part of the chart is missing.
  quiet.error = (...fault) => {
    faults.push(fault);
    return quiet;
  };
  try {
    const svg = await view.toSVG();
    if (faults.length > 0) throw new DocumentFault('drawing_refused', "The chart couldn't be drawn.");
    refuseOther(svg);
    return svg;
  } finally {
    view.finalize();
  }
}

export function pngOf(svg: string): Uint8Array {
  refuseOther(svg);
  const font = {
    loadSystemFonts: false,
    fontFiles,
    defaultFontFamily: 'DejaVu Sans',
    sansSerifFamily: 'DejaVu Sans',
  };
  const image = new Resvg(svg, { font, fitTo: { mode: 'zoom', value: pngScale }, background: 'white' });
  // Its pixels use memory that no thread limit covers.
  if (image.width > maxSide || image.height > maxSide)
    throw new DocumentFault('drawing_refused', `The drawing is more than ${maxSide} pixels wide or high.`);
  return image.render().asPng();
}

/** Refuses to load anything, because a chart's data is in its document. */
function refusingLoader(faults: unknown[]): Loader {
  const refuse = (address: string) => {
    faults.push(address);
    return Promise.reject(new Error('A chart cannot load files.'));
  };
  return { load: refuse, sanitize: refuse, http: refuse, file: refuse };
}

function refuseOther(svg: string): void {
  if (Buffer.byteLength(svg) > maxSvgBytes)
    throw new DocumentFault(
      'drawing_refused',
      `The drawing is larger than ${maxSvgBytes / 1_048_576} MiB. Group or limit the rows first.`,
    );
  for (const [, name] of svg.matchAll(/<([^\s/>]*)/g))
    if (name !== '' && !drawn.has(name!))
      throw new DocumentFault(
        'drawing_refused',
        "The drawing contains elements that aren't allowed in a chart.",
      );
}

function fontPaths(names: readonly string[]): string[] {
  const { resolve } = createRequire(import.meta.url);
  return names.map((name) => resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));
}
