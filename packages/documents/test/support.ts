import { type ExportFormat, makeDocument, type ReportMaterial } from '../index.ts';

const writtenAt = '2026-11-21T08:30:00.000Z';
export const chartId = 'cht_01kahz3v6dfyvb1s8m3h9q2w4x';
export const resultId = 'res_01kahz3v6dfyvb1s8m3h9q2w4x';

/** Like a chart's drawing, with a mark by which its presence in a document is detected. */
export const chartSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" version="1.1" class="marks" width="400" height="200" viewBox="0 0 400 200"><rect width="400" height="200" fill="white"/><g fill="none"><path d="M10,190L390,10" stroke="#4c78a8" stroke-width="3"/><text text-anchor="middle" transform="translate(200,20)" font-family="sans-serif" font-size="11px" font-weight="bold" fill="black">Chart of 売上 revenue</text></g></svg>';

/** A red square of two pixels. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
);

export const noMaterial: ReportMaterial = { charts: {}, results: {}, images: {} };

export function resultOf(rowCount: number): ReportMaterial['results'][string] {
  return {
    title: 'Orders',
    columns: [
      { name: 'region', dataType: 'STRING' },
      { name: 'amount', dataType: 'DOUBLE' },
    ],
    columnCount: 2,
    rows: Array.from({ length: rowCount }, (_, index) => [`Region ${index + 1}`, String(index * 10)]),
    isCut: false,
  };
}

/** A document of the text, whose references are the material's. */
export async function format(
  format: ExportFormat,
  markdown: string,
  material = noMaterial,
  title = 'A report',
): Promise<Buffer> {
  const bytes = await makeDocument(format, { title, markdown, writtenAt }, async () => material);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
