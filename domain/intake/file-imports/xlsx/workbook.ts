import { BadFileError } from '../bad-file.ts';
import { noStrings, readSharedStrings, type SharedStrings } from './shared-strings.ts';
import { readDateStyles } from './styles.ts';
import { readXml, type XmlAttributes } from './xml.ts';
import type { Archive } from './zip.ts';

export interface Workbook {
  /** Name of the archive entry with the sheet that is read. */
  sheet: string;
  /** Names of all sheets, in order. */
  sheets: readonly string[];
  is1904: boolean;
  sharedStrings: SharedStrings;
  /** Whether cells show their number as a date, by style. */
  dateStyles: readonly boolean[];
}

/**
 * Reads what the sheet of this name, ignoring case, or the first one needs.
 *
 * @throws BadFileError `missing_sheet`
 */
export async function readWorkbook(
  archive: Archive,
  wanted: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Workbook> {
  const { sheets, is1904 } = await readSheetList(archive, signal);
  const chosen = sheetNamed(sheets, wanted);
  const sheet = await relationTarget(archive, chosen.relation, signal);
  const part = (name: string): AsyncIterable<Buffer> | undefined =>
    archive.has(name) ? archive.read(name, signal) : undefined;
  const strings = part('xl/sharedStrings.xml');
  const styles = part('xl/styles.xml');
  return {
    sheet,
    sheets: sheets.map(({ name }) => name),
    is1904,
    sharedStrings: strings === undefined ? noStrings : await readSharedStrings(strings),
    dateStyles: styles === undefined ? [] : await readDateStyles(styles),
  };
}

interface ListedSheet {
  name: string;
  relation: string;
}

/** More than people make by hand; further ones cannot be read. */
const mostSheets = 1_000;

async function readSheetList(
  archive: Archive,
  signal: AbortSignal | undefined,
): Promise<{ sheets: ListedSheet[]; is1904: boolean }> {
  const sheets: ListedSheet[] = [];
  let is1904 = false;
  await readTags(archive.read('xl/workbook.xml', signal), (name, attributes) => {
    if (name === 'sheet' && sheets.length < mostSheets)
      sheets.push({ name: attributes['name'] ?? '', relation: relationId(attributes) ?? '' });
    if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
  });
  return { sheets, is1904 };
}

function sheetNamed(sheets: readonly ListedSheet[], wanted: string | undefined): ListedSheet {
  const [first] = sheets;
  if (first === undefined) throw new BadFileError('malformed_file', 'The workbook has no sheet');
  if (wanted === undefined) return first;
  const found = sheets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found !== undefined) return found;
  const known = sheets.slice(0, 20).map(({ name }) => JSON.stringify(name.slice(0, 100)));
  const more = sheets.length > known.length ? ', …' : '';
  throw new BadFileError(
    'missing_sheet',
    `The workbook has no sheet ${JSON.stringify(wanted)}; it has ${known.join(', ')}${more}`,
  );
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
