import type { CsvOptions, IsReserved, ReaderDeps, SourceFile, XlsxOptions } from '../contract.ts';
import { textForm } from '../text/csv.ts';
import { columnNames } from '../text/names.ts';
import type { NumberOptions, TextSource } from '../text/source.ts';
import { createTaggedWriter, type TaggedWriter } from '../text/tagged.ts';
import { countFormulas, type FormulaCount } from './formulas.ts';
import { type Cell, createSheetReader, maxRowChars, type SheetRow } from './sheet.ts';
import { skipTitles } from './titles.ts';
import { readWorkbook, type Workbook } from './workbook.ts';
import { readXml } from './xml.ts';
import { type Archive, openArchive, refuseBomb } from './zip.ts';

/**
 * Chunk of the sheet's XML. Small, because its rows are held in memory and each cell may refer to a long
 * text.
 */
const pieceBytes = 4 * 1024;
/** Characters kept of a row that is too long. */
const keptChars = 64 * 1024;
const tooLong = `The row is longer than ${maxRowChars} characters`;

/** A sheet of a workbook. Its header has the column names; row numbers are used as lines. */
export async function openXlsx(
  deps: ReaderDeps,
  source: SourceFile,
  options: CsvOptions,
  place: XlsxOptions,
): Promise<TextSource> {
  const { isReserved } = deps;
  const archive = await openArchive(deps, source);
  const form = textForm(options.dateFormat ?? '', '');
  const opened: TextSource = {
    separator: ',',
    direct: undefined,
    effective: null,
    async number(request) {
      const workbook = await readWorkbook(archive, place.sheet, request.signal);
      opened.sheets = workbook.sheets;
      const formulas = countFormulas(place.sheet ?? workbook.sheets[0] ?? '');
      const writer = await createTaggedWriter(request.path, { form, window: request.window, isReserved });
      try {
        const places = new Map<string, number>();
        const onRow = rowsInto(archive, { writer, place, formulas, places, isReserved });
        const titles = skipTitles(onRow);
        const isDetected = place.headerRow === undefined && place.firstDataRow === undefined;
        const reading = { writer, request, onRow: isDetected ? titles.row : onRow, end: titles.end };
        const isAtEnd = await readSheet(archive, workbook, reading);
        opened.warnings = [...titles.warnings(), ...formulas.warnings(isAtEnd)];
        return await writer.finish(isAtEnd, { placeOf: (column) => places.get(column) ?? 0 });
      } catch (error) {
        await writer.close();
        throw error;
      }
    },
  };
  return opened;
}

interface Reading {
  writer: TaggedWriter;
  request: NumberOptions;
  onRow: (row: SheetRow) => void;
  end: () => void;
}

/** Whether the sheet was read to its end. */
async function readSheet(
  archive: Archive,
  workbook: Workbook,
  { writer, request, onRow, end }: Reading,
): Promise<boolean> {
  const sheet = createSheetReader(workbook, onRow);
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const chunk of archive.read(workbook.sheet, request.signal)) {
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        yield chunk.subarray(at, at + pieceBytes);
        await writer.flush();
      }
    }
  }
  await readXml(pieces(), sheet, () => !writer.isDone());
  end();
  await writer.flush();
  return !writer.isDone();
}

interface Into {
  place: XlsxOptions;
  writer: TaggedWriter;
  formulas: FormulaCount;
  /** Where the sheet has each column; rows may leave some out. */
  places: Map<string, number>;
  isReserved: IsReserved | undefined;
}

function rowsInto(
  archive: Archive,
  { writer, place, formulas, places, isReserved }: Into,
): (row: SheetRow) => void {
  const { headerRow, firstDataRow = 1, lastDataRow = Number.POSITIVE_INFINITY } = place;
  let names: string[] | undefined = headerRow === 0 ? [] : undefined;
  let chars = 0;
  return ({ number, cells, unkept, isCut }) => {
    for (const { text } of cells) chars += text.length;
    // One text of the workbook may occur in a million cells.
    refuseBomb(chars, archive.sizeBytes);
    // A header row that is empty is not among the rows.
    if (names === undefined && headerRow !== undefined && number > headerRow) names = [];
    // A row of formulas without values has no names.
    if (names === undefined && headerRow === undefined && cells.length === 0) return;
    const isHeader = names === undefined && (headerRow === undefined || number === headerRow);
    if (!isHeader && (names === undefined || number < firstDataRow || number > lastDataRow)) return;
    if (isCut) {
      writer.addBroken(number, rawOf(cells).slice(0, keptChars), tooLong);
      return;
    }
    if (names === undefined) {
      names = columnNames(headerOf(cells), isReserved);
      for (const [column, name] of names.entries()) {
        places.set(name, column);
        writer.declare(name);
      }
      return;
    }
    const known = names;
    const nameOf = (column: number) => {
      const name = known[column] ?? `column${column + 1}`;
      places.set(name, column);
      return name;
    };
    const values = cells.map(({ column, tag, text }) => ({ column: nameOf(column), tag, text }));
    for (const column of unkept) writer.declare(nameOf(column));
    formulas.count(
      values.map(({ column }) => column),
      unkept.map(nameOf),
    );
    writer.add(number, rawOf(cells), values);
  };
}

function headerOf(cells: readonly Cell[]): string[] {
  const header: string[] = [];
  for (const { column, text } of cells) header[column] = text;
  return Array.from(header, (text) => text ?? '');
}

function rawOf(cells: readonly Cell[]): string {
  const texts: string[] = [];
  for (const { column, text } of cells)
    texts[column] = /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return texts.join(',');
}
