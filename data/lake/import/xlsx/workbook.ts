import { BadFileError } from '../bad-file.ts';
import { isDateFormat } from './serial-date.ts';
import { attribute, readXml, unescapeCell } from './xml.ts';
import type { ZipFile } from './zip.ts';

/** Bounds on what is held in memory while a sheet is read. */
const maxSharedChars = 128 * 1024 * 1024;
const maxSharedStrings = 5_000_000;

export interface Workbook {
  /** Name of the part that is the first sheet. */
  sheet: string;
  is1904: boolean;
  sharedStrings: string[];
  /** Whether cells of a style show their number as a date. */
  dateStyles: boolean[];
}

export async function readWorkbook(zip: ZipFile, signal: AbortSignal | undefined): Promise<Workbook> {
  const { relation, is1904 } = await readSheetList(zip, signal);
  const sheet = await relationTarget(zip, relation, signal);
  return {
    sheet,
    is1904,
    sharedStrings: zip.has('xl/sharedStrings.xml') ? await readSharedStrings(zip, signal) : [],
    dateStyles: zip.has('xl/styles.xml') ? await readDateStyles(zip, signal) : [],
  };
}

async function readSheetList(
  zip: ZipFile,
  signal: AbortSignal | undefined,
): Promise<{ relation: string; is1904: boolean }> {
  let relation: string | undefined;
  let is1904 = false;
  await readXml(zip.read('xl/workbook.xml', signal), (token) => {
    if (token.kind !== 'open') return;
    if (token.name === 'sheet') relation ??= attribute(token.attributes, 'r:id') ?? '';
    if (token.name === 'workbookPr')
      is1904 = /^(1|true)$/.test(attribute(token.attributes, 'date1904') ?? '');
  });
  if (relation === undefined) throw new BadFileError('malformed_file', 'The workbook has no sheet');
  return { relation, is1904 };
}

async function relationTarget(zip: ZipFile, id: string, signal: AbortSignal | undefined): Promise<string> {
  let target = 'worksheets/sheet1.xml';
  if (zip.has('xl/_rels/workbook.xml.rels')) {
    await readXml(zip.read('xl/_rels/workbook.xml.rels', signal), (token) => {
      if (token.kind !== 'open' || token.name !== 'Relationship' || attribute(token.attributes, 'Id') !== id)
        return;
      target = attribute(token.attributes, 'Target') ?? target;
    });
  }
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

async function readSharedStrings(zip: ZipFile, signal: AbortSignal | undefined): Promise<string[]> {
  const strings: string[] = [];
  let chars = 0;
  let current = '';
  let inText = false;
  let inPhonetic = false;
  await readXml(zip.read('xl/sharedStrings.xml', signal), (token) => {
    if (token.kind === 'text') {
      if (inText && !inPhonetic) current += token.text;
    } else if (token.name === 't') inText = token.kind === 'open' && !token.isEmpty;
    else if (token.name === 'rPh') inPhonetic = token.kind === 'open' && !token.isEmpty;
    else if (token.name === 'si' && (token.kind === 'close' || token.isEmpty)) {
      chars += current.length;
      if (chars > maxSharedChars || strings.length >= maxSharedStrings) {
        throw new BadFileError(
          'too_large',
          'The workbook has too many different texts; save the sheet as CSV',
        );
      }
      strings.push(unescapeCell(current));
      current = '';
    }
  });
  return strings;
}

async function readDateStyles(zip: ZipFile, signal: AbortSignal | undefined): Promise<boolean[]> {
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  let inCells = false;
  await readXml(zip.read('xl/styles.xml', signal), (token) => {
    if (token.kind === 'text') return;
    if (token.name === 'cellXfs') inCells = token.kind === 'open';
    if (token.kind !== 'open') return;
    const id = Number(attribute(token.attributes, 'numFmtId') ?? 0);
    if (token.name === 'numFmt') codes.set(id, attribute(token.attributes, 'formatCode') ?? '');
    if (token.name === 'xf' && inCells) styles.push(isDateFormat(id, codes.get(id)));
  });
  return styles;
}
