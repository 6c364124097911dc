import { BadFileError } from '../bad-file.ts';
import { type NumberStyle, numberStyle } from './number-style.ts';
import { readXml } from './xml.ts';

/** Excel allows at most 65,490 cell styles and a few hundred formats. */
const maxStyles = 100_000;

/** How cells show their number, by style; undefined for a plain number. */
export async function readNumberStyles(chunks: AsyncIterable<Buffer>): Promise<(NumberStyle | undefined)[]> {
  const formats = new Map<number, NumberStyle | undefined>();
  const styles: (NumberStyle | undefined)[] = [];
  let isInCells = false;
  await readXml(chunks, {
    open(name, attributes) {
      if (name === 'cellXfs') isInCells = true;
      const id = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmt') formats.set(id, numberStyle(id, attributes['formatCode'] ?? ''));
      if (name === 'xf' && isInCells)
        styles.push(formats.has(id) ? formats.get(id) : numberStyle(id, undefined));
      if (formats.size > maxStyles || styles.length > maxStyles)
        throw new BadFileError('too_large', `The workbook has more than ${maxStyles} styles`);
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false;
    },
    text: () => undefined,
  });
  return styles;
}
