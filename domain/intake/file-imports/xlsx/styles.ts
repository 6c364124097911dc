import { BadFileError } from '../bad-file.ts';
import { isDateFormat } from './serial-date.ts';
import { readXml } from './xml.ts';

/** Excel allows at most 65,490 cell styles and a few hundred formats. */
const maxStyles = 100_000;

/** Whether cells show their number as a date, by style. */
export async function readDateStyles(chunks: AsyncIterable<Buffer>): Promise<boolean[]> {
  const dateFormats = new Map<number, boolean>();
  const styles: boolean[] = [];
  let isInCells = false;
  await readXml(chunks, {
    open(name, attributes) {
      if (name === 'cellXfs') isInCells = true;
      const id = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmt') dateFormats.set(id, isDateFormat(id, attributes['formatCode'] ?? ''));
      if (name === 'xf' && isInCells) styles.push(dateFormats.get(id) ?? isDateFormat(id, undefined));
      if (dateFormats.size > maxStyles || styles.length > maxStyles)
        throw new BadFileError('too_large', `The workbook has more than ${maxStyles} styles`);
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false;
    },
    text: () => undefined,
  });
  return styles;
}
