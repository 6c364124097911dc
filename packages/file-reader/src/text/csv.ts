import type { CsvOptions, ReaderDeps, SourceFile } from '../contract.ts';
import type { TextForm } from '../values/cast.ts';
import { patternOf } from '../values/plan.ts';
import { fileChunks, fileHead, transcoded } from './chunks.ts';
import { type Dialect, detectDialect, effectiveCsv, headBytes } from './dialect.ts';
import { encodingLater } from './encoding-later.ts';
import { columnNames } from './names.ts';
import { illShapedPath, type NumberedFile, numberRecords } from './number.ts';
import { type ReaderLayout, readCsv, readerNulls, readIllShaped } from './reader.ts';
import type { NumberOptions, TextSource } from './source.ts';
import type { Numbering, TextTable } from './table.ts';

/** Detects a CSV file's dialect and determines how its records can be read. */
export async function openCsv(
  deps: ReaderDeps,
  source: SourceFile,
  options: CsvOptions,
): Promise<TextSource> {
  const head = await fileHead(deps.store, source.key, source.sizeBytes, headBytes);
  const isWhole = source.sizeBytes <= head.length;
  const dialect = detectDialect(head, isWhole, options);
  const url = source.localPath ?? deps.store.rootUrl + source.key;
  const isPureAscii =
    options.charEncoding === undefined && dialect.encoding === 'utf8' && head.every((byte) => byte < 0x80);
  return {
    separator: dialect.separator,
    direct: isDirect(dialect, url)
      ? csvTable(deps, dialect, { ...layoutOf(dialect, url), isNumbered: false }, undefined)
      : undefined,
    effective: effectiveCsv(dialect, options),
    async number(request) {
      const open = (): AsyncIterable<Buffer> =>
        fileChunks(deps.store, source.key, source.sizeBytes, {
          ...request,
          from: dialect.markBytes,
        });
      // The head was plain ASCII: a later byte may show that the file is not UTF-8.
      const mayTurn = isPureAscii && !isWhole && request.window === undefined;
      const later = mayTurn ? await encodingLater(open()) : undefined;
      const actual = later === undefined ? dialect : { ...dialect, encoding: later };
      const layout = {
        ...layoutOf(actual, request.path),
        newLine: '\\n' as const,
        skipLines: 0,
        isNumbered: true,
      };
      const numbered = await numberCsv(open(), actual, layout, request);
      return {
        table: {
          ...csvTable(deps, actual, layout, numbered.numbering),
          illShaped: readIllShaped(illShapedPath(request.path)),
        },
        total: numbered.total,
        page: numbered.page,
        close: numbered.close,
      };
    },
  };
}

function numberCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: Dialect,
  reader: ReaderLayout,
  request: NumberOptions,
): Promise<NumberedFile> {
  const layout = {
    separator: Buffer.from(dialect.separator),
    quote: dialect.quote?.charCodeAt(0),
    skipLines: dialect.firstDataRow - 1,
    columns: reader.columns,
    nulls: readerNulls(reader),
    isPadded: dialect.shortRows === 'pad',
  };
  const { escaping, quote, separator } = dialect;
  const text = transcoded(chunks, dialect.encoding, { escaping, quote, separators: [separator] });
  return numberRecords(text, layout, request.path, request.window);
}

/**
 * Whether the engine's own reader can read the file. It reads a blank line in a file with one column as null,
 * where it should be skipped.
 */
function isDirect(dialect: Dialect, url: string): boolean {
  const isMarkInData = dialect.markBytes > 0 && dialect.firstDataRow === 1;
  return (
    dialect.encoding === 'utf8' &&
    dialect.header.length > 1 &&
    !dialect.hasOddLead &&
    dialect.escaping === undefined &&
    dialect.shortRows === 'bad' &&
    !isMarkInData &&
    !/[*?[\]{}]/.test(url)
  );
}

function layoutOf(dialect: Dialect, url: string): ReaderLayout {
  return {
    url,
    separator: dialect.separator,
    quote: dialect.quote,
    newLine: dialect.newLine,
    skipLines: dialect.firstDataRow - 1,
    columns: dialect.header.length,
    nullValues: dialect.nullValues,
    keepsEmpty: dialect.keepsEmpty,
    isNumbered: false,
    isTagged: false,
    isOpenEnded: false,
  };
}

function csvTable(
  { isReserved }: ReaderDeps,
  dialect: Dialect,
  layout: ReaderLayout,
  numbering: Numbering | undefined,
): TextTable {
  return {
    names: columnNames(dialect.header, isReserved),
    isTagged: false,
    isParsed: true,
    form: { ...textForm(dialect.dateFormat, dialect.thousands), keepsEmpty: dialect.keepsEmpty },
    from: (mode, used) => readCsv(layout, mode, used),
    numbering,
  };
}

export const textForm = (dateFormat: string, thousands: string): TextForm => ({
  thousands,
  pattern: patternOf(dateFormat),
});
