import { BadFileError, maxColumns, maxRecordBytes } from '../bad-file.ts';
import type { Tag } from '../text/tagged.ts';
import { createCellText, unescapeCell } from './cell-text.ts';
import { serialDate } from './serial-date.ts';
import type { Workbook } from './workbook.ts';
import type { XmlAttributes, XmlHandlers } from './xml.ts';

/** Maximum rows of a sheet in the format. */
const maxRows = 1_048_576;
/** In UTF-8 with doubled quotes, such a row fits the reader's buffers. */
export const maxRowChars = maxRecordBytes / 2;

export interface Cell {
  /** 0-based position of the column. */
  column: number;
  tag: Tag;
  text: string;
}

export interface SheetRow {
  number: number;
  cells: Cell[];
  /** Columns with a formula whose value the file does not keep. */
  unkept: number[];
  /** The row exceeded the maximum length, and the last cells are missing. */
  isCut: boolean;
}

/** Builds the rows of a sheet from its XML, without empty cells and rows. */
export function createSheetReader(workbook: Workbook, onRow: (row: SheetRow) => void): XmlHandlers {
  const text = createCellText();
  let isInData = false;
  let number = 0;
  let row: SheetRow | undefined;
  let rowChars = 0;
  let isInCell = false;
  let column = -1;
  let type = 'n';
  let style = 0;
  let isFormula = false;

  function startRow(attributes: XmlAttributes): SheetRow {
    const next = Number(attributes['r'] ?? number + 1);
    if (row !== undefined || !Number.isInteger(next) || next <= number || next > maxRows)
      throw malformed('The rows of the sheet are out of order');
    number = next;
    column = -1;
    rowChars = 0;
    return { number, cells: [], unkept: [], isCut: false };
  }
  function startCell(attributes: XmlAttributes): void {
    const reference = attributes['r'];
    const next = reference === undefined ? column + 1 : columnOf(reference);
    if (next >= maxColumns)
      throw new BadFileError('too_many_columns', `The sheet has more than ${maxColumns} columns`);
    // A repeated column would lose a value, and allow rows without end.
    if (isInCell || next <= column) throw malformed(`The cells of row ${number} are out of order`);
    isInCell = true;
    column = next;
    type = attributes['t'] ?? 'n';
    style = Number(attributes['s'] ?? 0);
    isFormula = false;
    text.take();
  }
  function endCell({ cells, unkept }: SheetRow): void {
    isInCell = false;
    const value = text.take();
    // A formula that gives the empty text is kept as one.
    if (isFormula && value === '' && type !== 'str') unkept.push(column);
    const cell = cellValue(workbook, type, style, value);
    if (cell === undefined || row === undefined || row.isCut) return;
    rowChars += cell.text.length;
    row.isCut = rowChars > maxRowChars;
    cells.push({ column, ...cell });
  }

  return {
    open(name, attributes) {
      if (name === 'sheetData') isInData = true;
      else if (!isInData) return;
      else if (name === 'row') row = startRow(attributes);
      else if (row === undefined) return;
      else if (name === 'c') startCell(attributes);
      else if (isInCell) {
        isFormula ||= name === 'f';
        text.open(name);
      }
    },
    close(name) {
      if (name === 'sheetData') isInData = false;
      else if (row === undefined) return;
      else if (name === 'row') {
        if (row.cells.length > 0 || row.unkept.length > 0) onRow(row);
        row = undefined;
      } else if (name === 'c') endCell(row);
      else if (isInCell) text.close(name);
    },
    text: (part) => {
      if (isInCell) text.text(part);
    },
  };
}

function malformed(message: string): BadFileError {
  return new BadFileError('malformed_file', message);
}

function cellValue(
  workbook: Workbook,
  type: string,
  style: number,
  value: string,
): { tag: Tag; text: string } | undefined {
  if (value === '') return undefined;
  switch (type) {
    case 's': {
      const text = workbook.sharedStrings.at(Number(value));
      if (text === undefined) throw malformed("A cell refers to a text that the workbook doesn't have");
      return text === '' ? undefined : { tag: 's', text };
    }
    case 'b':
      return booleanCell(value);
    case 'd':
      return { tag: 'd', text: value.trim() };
    case 'n':
      return numberCell(workbook, style, value.trim());
    default:
      return { tag: 's', text: unescapeCell(value) };
  }
}

/** What is neither true nor false keeps its text. */
function booleanCell(value: string): { tag: Tag; text: string } {
  const text = value.trim().toLowerCase();
  if (text === '1' || text === 'true') return { tag: 'b', text: 'true' };
  if (text === '0' || text === 'false') return { tag: 'b', text: 'false' };
  return { tag: 's', text: unescapeCell(value) };
}

/**
 * Cells are doubles: their shortest text is what the sheet shows, not the up to 17 digits in the file. An
 * integer beyond 2^53 keeps the digits that the file has, if it has them all, and is a double otherwise: the
 * digits of its shortest text would be those of another number.
 */
function numberCell(workbook: Workbook, style: number, value: string): { tag: Tag; text: string } {
  const number = Number(value);
  const shown = workbook.numberStyles[style];
  const date = shown === undefined ? undefined : serialDate(number, shown, workbook.is1904);
  if (date !== undefined) return { tag: 'd', text: date };
  if (!Number.isFinite(number)) return { tag: 's', text: value };
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return { tag: 'n', text: String(number) };
  return { tag: 'n', text: /^-?[1-9]\d*$/.test(value) ? value : number.toExponential() };
}

/** The 0-based column of a reference such as AB12; -1 if it is not a reference. */
function columnOf(reference: string): number {
  let column = 0;
  for (const character of reference) {
    const digit = character.charCodeAt(0) - 64;
    if (digit < 1 || digit > 26) break;
    column = column * 26 + digit;
    if (column > maxColumns) break;
  }
  return column - 1;
}
