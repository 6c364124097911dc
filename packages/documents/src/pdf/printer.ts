import { createRequire } from 'node:module';
import { hasRightToLeft, mirrored, turned, visualOrder } from '../bidi.ts';
import { fontFiles } from '../fonts.ts';
import { tableLayouts } from './layouts.ts';

/** A node of pdfmake's document definition: https://pdfmake.github.io/docs. */
export type PdfNode = Record<string, unknown>;

interface PdfLine {
  inlines: { text: string; x: number; width: number; level?: number; trailingCut?: number }[];
}

type PdfKitDocument = NodeJS.ReadableStream & { end(): void };

interface Printer {
  createPdfKitDocument(definition: PdfNode, options: PdfNode): Promise<PdfKitDocument>;
}

const require = createRequire(import.meta.url);
const PdfPrinter = require('pdfmake/js/Printer.js').default as new (
  fonts: unknown,
  files: unknown,
  urls: unknown,
  mayReadFile: (path: string) => boolean,
) => Printer;
const { prototype: renderer } = require('pdfmake/js/Renderer.js').default as {
  prototype: { renderLine(line: PdfLine, x: number, y: number): void };
};

/**
 * pdfmake writes words from left to right in logical order; this renderer reorders words of right-to-left
 * scripts within its lines.
 */
const { renderLine } = renderer;
renderer.renderLine = function (line, x, y) {
  reorder(line);
  renderLine.call(this, line, x, y);
};

function reorder({ inlines }: PdfLine): void {
  if (!inlines.some(({ level = 0 }) => level > 0)) return;
  const order = visualOrder(inlines.map(({ level = 0 }) => level));
  const last = inlines.at(-1)!;
  // The trailing space of the line's last word is now at the left, outside of the line.
  let at = (last.level ?? 0) % 2 === 1 && order[0] === inlines.length - 1 ? -(last.trailingCut ?? 0) : 0;
  for (const index of order) {
    const inline = inlines[index]!;
    if ((inline.level ?? 0) % 2 === 1) {
      const text = mirrored(inline.text);
      inline.text = hasRightToLeft(text) ? text : turned(text);
    }
    inline.x = at;
    at += inline.width;
  }
}

const fontPaths = new Set(Object.values(fontFiles).flatMap((styles) => Object.values(styles)));
/** Prevents fetching; only font files are read. */
const urls = { resolve: () => undefined, resolved: async () => undefined };

export async function printPdf(definition: PdfNode): Promise<Buffer> {
  const printer = new PdfPrinter(structuredClone(fontFiles), null, urls, (path) => fontPaths.has(path));
  const document = await printer.createPdfKitDocument(definition, { tableLayouts });
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
    document.end();
  });
}
