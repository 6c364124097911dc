import type { CsvOptions, ImportDeps, ImportSource } from '../contract.ts';
import { textForm } from '../text/csv.ts';
import { columnNames } from '../text/names.ts';
import type { NumberOptions, TextSource } from '../text/source.ts';
import { createTaggedWriter, type TaggedWriter } from '../text/tagged.ts';
import { type Cell, createSheetReader, maxRowChars, type SheetRow } from './sheet.ts';
import { readWorkbook } from './workbook.ts';
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

/** The first sheet of a workbook. Its first row has the column names; row numbers are used as lines. */
export async function openXlsx(
  deps: ImportDeps,
  source: ImportSource,
  options: CsvOptions,
): Promise<TextSource> {
  const archive = await openArchive(deps, source);
  const form = textForm(options.dateFormat ?? '', '');
  return {
    separator: ',',
    direct: undefined,
    effective: null,
    async number(request) {
      const writer = await createTaggedWriter(request.path, form, request.window);
      try {
        return await writer.finish(await readSheet(archive, writer, request));
      } catch (error) {
        await writer.close();
        throw error;
      }
    },
  };
}

/** Whether the sheet was read to its end. */
async function readSheet(archive: Archive, writer: TaggedWriter, request: NumberOptions): Promise<boolean> {
  const workbook = await readWorkbook(archive, request.signal);
  const sheet = createSheetReader(workbook, rowsInto(archive, writer));
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const chunk of archive.read(workbook.sheet, request.signal)) {
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        yield chunk.subarray(at, at + pieceBytes);
        await writer.flush();
      }
    }
  }
  await readXml(pieces(), sheet, () => !writer.isDone());
  return !writer.isDone();
}

function rowsInto(archive: Archive, writer: TaggedWriter): (row: SheetRow) => void {
  let names: string[] | undefined;
  let chars = 0;
  return ({ number, cells, isCut }) => {
    for (const { text } of cells) chars += text.length;
    // One text of the workbook may occur in a million cells.
    refuseBomb(chars, archive.sizeBytes);
    if (isCut) {
      writer.addBroken(number, rawOf(cells).slice(0, keptChars), tooLong);
      return;
    }
    if (names === undefined) {
      names = headerNames(cells);
      for (const name of names) writer.declare(name);
      return;
    }
    const known = names;
    const values = cells.map(({ column, tag, text }) => ({
      column: known[column] ?? `column${column + 1}`,
      tag,
      text,
    }));
    writer.add(number, rawOf(cells), values);
  };
}

function headerNames(cells: readonly Cell[]): string[] {
  const header: string[] = [];
  for (const { column, text } of cells) header[column] = text;
  return columnNames(Array.from(header, (text) => text ?? ''));
}

function rawOf(cells: readonly Cell[]): string {
  const texts: string[] = [];
  for (const { column, text } of cells)
    texts[column] = /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return texts.join(',');
}
