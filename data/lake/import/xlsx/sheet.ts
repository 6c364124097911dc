import { BadFileError, maxColumns } from '../bad-file.ts';
import type { Tag } from '../text/tagged.ts';
import { serialDate } from './serial-date.ts';
import type { Workbook } from './workbook.ts';
import { attribute, unescapeCell, type XmlToken } from './xml.ts';

/** Rows a sheet has at most by the format's own rule. */
const maxRows = 1_048_576;

export interface Cell {
  /** 0-based position of the column. */
  column: number;
  tag: Tag;
  text: string;
}

/** Makes the rows of a sheet from its XML; empty cells and rows without any cell are left out. */
export function createSheetReader(
  workbook: Workbook,
  onRow: (row: number, cells: Cell[]) => void,
): (token: XmlToken) => void {
  let row = 0;
  let cells: Cell[] = [];
  let column = -1;
  let type = 'n';
  let style = 0;
  let value = '';
  let inValue = false;

  function startCell(attributes: string): void {
    const reference = attribute(attributes, 'r');
    column = reference === undefined ? column + 1 : columnOf(reference);
    if (column >= maxColumns)
      throw new BadFileError('too_many_columns', `The sheet has more than ${maxColumns} columns`);
    type = attribute(attributes, 't') ?? 'n';
    style = Number(attribute(attributes, 's') ?? 0);
    value = '';
  }
  function endCell(): void {
    const cell = cellValue(workbook, type, style, value);
    if (cell !== undefined) cells.push({ column, ...cell });
  }
  function startRow(attributes: string): void {
    const number = Number(attribute(attributes, 'r') ?? row + 1);
    if (!(number > row) || number > maxRows)
      throw new BadFileError('malformed_file', 'The rows of the sheet are out of order');
    row = number;
    column = -1;
    cells = [];
  }

  return (token) => {
    if (token.kind === 'text') {
      if (inValue) value += token.text;
    } else if (token.name === 'v' || token.name === 't') inValue = token.kind === 'open' && !token.isEmpty;
    else if (token.name === 'c') {
      if (token.kind === 'open') startCell(token.attributes);
      if (token.kind === 'close') endCell();
    } else if (token.name === 'row') {
      if (token.kind === 'open') startRow(token.attributes);
      if (token.kind === 'close' && cells.length > 0) onRow(row, cells);
    }
  };
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
      const text = workbook.sharedStrings[Number(value)];
      if (text === undefined)
        throw new BadFileError('malformed_file', 'A cell names a text that the workbook does not have');
      return text === '' ? undefined : { tag: 's', text };
    }
    case 'b':
      return { tag: 'b', text: value.trim() === '1' ? 'true' : 'false' };
    case 'd':
      return { tag: 'd', text: value.trim() };
    case 'n':
      return numberCell(workbook, style, value.trim());
    default:
      return { tag: 's', text: unescapeCell(value) };
  }
}

/** Cells hold doubles: their shortest text is what the sheet shows, not the 17 digits the file may have. */
function numberCell(workbook: Workbook, style: number, value: string): { tag: Tag; text: string } {
  const number = Number(value);
  const date = workbook.dateStyles[style] === true ? serialDate(number, workbook.is1904) : undefined;
  if (date !== undefined) return { tag: 'd', text: date };
  return Number.isFinite(number) ? { tag: 'n', text: String(number) } : { tag: 's', text: value };
}

/** The 0-based column of a reference such as AB12. */
function columnOf(reference: string): number {
  let column = 0;
  for (const character of reference) {
    const digit = character.charCodeAt(0) - 64;
    if (digit < 1 || digit > 26) break;
    column = column * 26 + digit;
  }
  return column - 1;
}
