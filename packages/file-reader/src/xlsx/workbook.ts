import { posix } from 'node:path';
import { BadFileError } from '../bad-file.ts';
import type { NumberStyle } from './number-style.ts';
import { type Relationship, readRelationships } from './relationships.ts';
import { noStrings, readSharedStrings, type SharedStrings } from './shared-strings.ts';
import { readNumberStyles } from './styles.ts';
import { readTags, type XmlAttributes } from './xml.ts';
import type { Archive } from './zip.ts';

export interface Workbook {
  /** Name of the archive entry with the sheet that is read. */
  sheet: string;
  /** Names of all sheets, in order. */
  sheets: readonly string[];
  is1904: boolean;
  sharedStrings: SharedStrings;
  /** How cells show their number, by style; undefined for a plain number. */
  numberStyles: readonly (NumberStyle | undefined)[];
}

/**
 * Reads what the sheet of this name, ignoring case, or the first worksheet needs. Parts are found by their
 * relationships, since their names are the writer's choice, and by their usual names where a writer left
 * the relationships out.
 *
 * @throws BadFileError `missing_sheet`
 */
export async function readWorkbook(
  archive: Archive,
  wanted: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Workbook> {
  const root = await workbookPart(archive, signal);
  const { sheets, is1904 } = await readSheetList(archive, root, signal);
  const related = await readParts(archive, root, sheets, signal);
  const chosen = chosenSheet(sheets, related.sheets, wanted);
  const part = (found: string | undefined, usual: string): AsyncIterable<Buffer> | undefined => {
    const name = [found, beside(root, usual)].find((one) => one !== undefined && archive.has(one));
    return name === undefined ? undefined : archive.read(name, signal);
  };
  const strings = part(related.sharedStrings, 'sharedStrings.xml');
  const styles = part(related.styles, 'styles.xml');
  return {
    sheet:
      related.sheets.get(chosen.relation)?.part ??
      beside(root, `worksheets/sheet${sheets.indexOf(chosen) + 1}.xml`),
    sheets: sheets.map(({ name }) => name),
    is1904,
    sharedStrings: strings === undefined ? noStrings : await readSharedStrings(strings),
    numberStyles: styles === undefined ? [] : await readNumberStyles(styles),
  };
}

const beside = (root: string, name: string): string => posix.join(posix.dirname(root), name);

async function workbookPart(archive: Archive, signal: AbortSignal | undefined): Promise<string> {
  let found: string | undefined;
  await readRelationships(archive, '', signal, ({ kind, part }) => {
    if (kind === 'officeDocument') found ??= part;
  });
  return found !== undefined && archive.has(found) ? found : 'xl/workbook.xml';
}

interface ListedSheet {
  name: string;
  relation: string;
}

/** More than people make by hand; further ones cannot be read. */
const mostSheets = 1_000;

async function readSheetList(
  archive: Archive,
  root: string,
  signal: AbortSignal | undefined,
): Promise<{ sheets: ListedSheet[]; is1904: boolean }> {
  const sheets: ListedSheet[] = [];
  let is1904 = false;
  await readTags(archive.read(root, signal), (name, attributes) => {
    if (name === 'sheet' && sheets.length < mostSheets)
      sheets.push({ name: attributes['name'] ?? '', relation: relationId(attributes) ?? '' });
    if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
  });
  return { sheets, is1904 };
}

/** The attribute's prefix is usually `r`, but a file may declare another one. */
function relationId(attributes: XmlAttributes): string | undefined {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1];
}

interface RelatedParts {
  /** By the ids of their relationships. */
  sheets: ReadonlyMap<string, Relationship>;
  sharedStrings: string | undefined;
  styles: string | undefined;
}

/** Keeps only the relationships of listed sheets, as a file may have any number of others. */
async function readParts(
  archive: Archive,
  root: string,
  sheets: readonly ListedSheet[],
  signal: AbortSignal | undefined,
): Promise<RelatedParts> {
  const ids = new Set(sheets.map(({ relation }) => relation));
  const found = new Map<string, Relationship>();
  let sharedStrings: string | undefined;
  let styles: string | undefined;
  await readRelationships(archive, root, signal, (relationship) => {
    if (relationship.kind === 'sharedStrings') sharedStrings ??= relationship.part;
    else if (relationship.kind === 'styles') styles ??= relationship.part;
    else if (ids.has(relationship.id)) found.set(relationship.id, relationship);
  });
  return { sheets: found, sharedStrings, styles };
}

/** Sheets that have no cells, by the kind of their relationship. */
const withoutCells = new Map([
  ['chartsheet', 'a chart'],
  ['dialogsheet', 'a dialog'],
]);

function chosenSheet(
  sheets: readonly ListedSheet[],
  related: ReadonlyMap<string, Relationship>,
  wanted: string | undefined,
): ListedSheet {
  const kindOf = ({ relation }: ListedSheet): string => related.get(relation)?.kind ?? '';
  if (sheets.length === 0) throw new BadFileError('malformed_file', 'The workbook has no sheet');
  if (wanted === undefined) {
    const first = sheets.find((sheet) => ['worksheet', ''].includes(kindOf(sheet)));
    if (first !== undefined) return first;
    throw new BadFileError(
      'empty_file',
      'The workbook has no worksheet, only sheets of charts, dialogs or macros. Put the data on a worksheet',
    );
  }
  const found = sheets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const fault = found === undefined ? undefined : withoutCells.get(kindOf(found));
  if (found !== undefined && fault === undefined) return found;
  const readable = sheets.filter((sheet) => !withoutCells.has(kindOf(sheet)));
  const known = readable.slice(0, 20).map(({ name }) => JSON.stringify(name.slice(0, 100)));
  const more = readable.length > known.length ? ', …' : '';
  const listed = known.length === 0 ? 'no sheet with cells' : `${known.join(', ')}${more}`;
  throw new BadFileError(
    'missing_sheet',
    fault === undefined
      ? `The workbook has no sheet ${JSON.stringify(wanted)}. It has ${listed}`
      : `The sheet ${JSON.stringify(wanted)} is ${fault} without cells. The workbook also has ${listed}`,
  );
}
