import { BadFileError } from '../bad-file.ts';
import { noStrings, readSharedStrings, type SharedStrings } from './shared-strings.ts';
import { readDateStyles } from './styles.ts';
import { readXml, type XmlAttributes } from './xml.ts';
import type { Archive } from './zip.ts';

export interface Workbook {
  /** Name of the archive entry with the first sheet. */
  sheet: string;
  is1904: boolean;
  sharedStrings: SharedStrings;
  /** Whether cells show their number as a date, by style. */
  dateStyles: readonly boolean[];
}

export async function readWorkbook(archive: Archive, signal: AbortSignal | undefined): Promise<Workbook> {
  const { relation, is1904 } = await readSheetList(archive, signal);
  const sheet = await relationTarget(archive, relation, signal);
  const part = (name: string): AsyncIterable<Buffer> | undefined =>
    archive.has(name) ? archive.read(name, signal) : undefined;
  const strings = part('xl/sharedStrings.xml');
  const styles = part('xl/styles.xml');
  return {
    sheet,
    is1904,
    sharedStrings: strings === undefined ? noStrings : await readSharedStrings(strings),
    dateStyles: styles === undefined ? [] : await readDateStyles(styles),
  };
}

async function readSheetList(
  archive: Archive,
  signal: AbortSignal | undefined,
): Promise<{ relation: string; is1904: boolean }> {
  let relation: string | undefined;
  let is1904 = false;
  await readTags(archive.read('xl/workbook.xml', signal), (name, attributes) => {
    if (name === 'sheet') relation ??= relationId(attributes) ?? '';
    if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
  });
  if (relation === undefined) throw new BadFileError('malformed_file', 'The workbook has no sheet');
  return { relation, is1904 };
}

/** The attribute's prefix is usually `r`, but a file may declare another one. */
function relationId(attributes: XmlAttributes): string | undefined {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1];
}

async function relationTarget(
  archive: Archive,
  id: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  let target = 'worksheets/sheet1.xml';
  if (archive.has('xl/_rels/workbook.xml.rels')) {
    await readTags(archive.read('xl/_rels/workbook.xml.rels', signal), (name, attributes) => {
      if (name === 'Relationship' && attributes['Id'] === id) target = attributes['Target'] ?? target;
    });
  }
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

function readTags(
  chunks: AsyncIterable<Buffer>,
  open: (name: string, attributes: XmlAttributes) => void,
): Promise<void> {
  return readXml(chunks, { open, close: () => undefined, text: () => undefined });
}
