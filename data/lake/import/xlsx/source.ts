import type { CsvOptions, ImportDeps, ImportSource } from '../contract.ts';
import { textForm } from '../text/csv.ts';
import { columnNames } from '../text/names.ts';
import type { NumberOptions, TextSource } from '../text/source.ts';
import { createTaggedWriter, type TaggedWriter } from '../text/tagged.ts';
import { type Cell, createSheetReader } from './sheet.ts';
import { readWorkbook } from './workbook.ts';
import { readXml } from './xml.ts';
import { openZip, type ZipFile } from './zip.ts';

/** The first sheet of a workbook: its first row names the columns, a row's number is its line. */
export async function openXlsx(
  deps: ImportDeps,
  source: ImportSource,
  options: CsvOptions,
): Promise<TextSource> {
  const zip = await openZip(deps, source);
  const form = textForm(options.dateFormat ?? '', '');
  return {
    separator: ',',
    direct: undefined,
    effective: null,
    async number(request) {
      const writer = await createTaggedWriter(request.path, form, request.window);
      try {
        return await writer.finish(await readSheet(zip, writer, request));
      } catch (error) {
        await writer.close();
        throw error;
      }
    },
  };
}

/** Whether the sheet was read to its end. */
async function readSheet(zip: ZipFile, writer: TaggedWriter, request: NumberOptions): Promise<boolean> {
  const workbook = await readWorkbook(zip, request.signal);
  let names: string[] | undefined;
  const onToken = createSheetReader(workbook, (row, cells) => {
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
    writer.add(row, rawOf(cells), values);
  });
  let isStopped = false;
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of zip.read(workbook.sheet, request.signal)) {
      yield chunk;
      await writer.flush();
      isStopped = writer.isDone();
      if (isStopped) return;
    }
  }
  await readXml(chunks(), onToken);
  return !isStopped;
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
