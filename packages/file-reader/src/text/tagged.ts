import { BadFileError, maxColumns, nulReason } from '../bad-file.ts';
import type { IsReserved } from '../contract.ts';
import type { TextForm } from '../values/cast.ts';
import { columnNames } from './names.ts';
import { readCsv } from './reader.ts';
import { type BrokenRecords, collectBroken, createRecordFile, numberingOf } from './record-file.ts';
import type { NumberedTable } from './source.ts';
import type { ReadMode } from './table.ts';
import { countRecords, type RecordWindow } from './window.ts';

/**
 * The source's type of a value: number, string, boolean, date, object or array; or an object or array that
 * the nested type of its mapping doesn't hold.
 */
export type Tag = 'n' | 's' | 'b' | 'd' | 'o' | 'u';

export interface TaggedValue {
  column: string;
  tag: Tag;
  text: string;
}

/** Total length of the column names, which are held in memory while a file is read. */
const maxNamesChars = 8 * 1024 * 1024;

/** Collects the records of a format with typed values into a numbered, tagged table. */
export interface TaggedWriter {
  /** Whether the window has been passed and no more records are needed. */
  isDone(): boolean;
  /** Adds a column even if no record has a value for it. */
  declare(column: string): void;
  /** A record outside the window is still counted, and its columns are added. */
  add(line: number, raw: string, values: readonly TaggedValue[]): void;
  addBroken(line: number, raw: string, reason: string): void;
  flush(): Promise<void>;
  finish(isAtEnd: boolean, options?: FinishOptions): Promise<NumberedTable>;
  close(): Promise<void>;
}

export interface FinishOptions {
  /** The columns are in the order of their places, or of their first values. */
  placeOf?: (column: string) => number;
  /** The list or struct that holds every value of a column. */
  nestedTypeOf?: (column: string) => string | undefined;
}

export interface TaggedOptions {
  form: TextForm;
  window: RecordWindow | undefined;
  isReserved: IsReserved | undefined;
}

/** `path` is that of the local file to write. */
export async function createTaggedWriter(
  path: string,
  { form, window, isReserved }: TaggedOptions,
): Promise<TaggedWriter> {
  const file = await createRecordFile(path);
  const raws = await createRecordFile(`${path}.raw`);
  const broken: BrokenRecords = collectBroken();
  const columns = new Map<string, number>();
  let namesChars = 0;
  let fewest = Number.POSITIVE_INFINITY;
  const counter = countRecords(window);
  let records = 0;

  function position(column: string): number {
    const known = columns.get(column);
    if (known !== undefined) return known;
    if (columns.size >= maxColumns) {
      throw new BadFileError('too_many_columns', `The file has more than ${maxColumns} columns`);
    }
    namesChars += column.length;
    if (namesChars > maxNamesChars)
      throw new BadFileError('too_large', 'The names of the columns are too long in total');
    columns.set(column, columns.size);
    return columns.size - 1;
  }

  async function close(): Promise<void> {
    await file.close();
    await raws.close();
  }
  function addBroken(line: number, raw: string, reason: string): void {
    const at = raws.position();
    if (!counter.next(at)) return;
    broken.add({ line, at, raw, reason });
    // Advances the position, so that the next record has another one.
    raws.appendText('\n');
  }
  return {
    isDone: () => counter.isDone(),
    declare: (column) => void position(column),
    add(line, raw, values) {
      if (values.some(({ text }) => text.includes('\0'))) {
        for (const { column } of values) position(column);
        addBroken(line, raw, nulReason);
        return;
      }
      const at = raws.position();
      const isWanted = counter.next(at);
      const fields: string[] = [];
      for (const { column, tag, text } of values)
        fields[position(column)] = `"${tag}${text.replaceAll('"', '""')}"`;
      if (!isWanted) return;
      records += 1;
      raws.appendText(raw);
      // Every record has all columns known so far; only columns that occur later are added by the reader.
      fields.length = columns.size;
      fewest = Math.min(fewest, columns.size);
      file.appendText(`${line},${at},${raws.position() - at},${fields.join(',')}\n`);
    },
    addBroken,
    async flush() {
      await file.flush();
      await raws.flush();
    },
    async finish(isAtEnd, { placeOf, nestedTypeOf } = {}) {
      await file.flush(true);
      await raws.flush(true);
      if (columns.size === 0) {
        const first = broken.list[0];
        throw first === undefined
          ? new BadFileError('empty_file', 'The file has no records')
          : new BadFileError('malformed_file', 'The file has no readable record', first);
      }
      const layout = {
        url: path,
        separator: ',',
        quote: '"',
        newLine: '\\n' as const,
        skipLines: 0,
        columns: columns.size,
        nullValues: [],
        keepsEmpty: false,
        isNumbered: true,
        isTagged: true,
        isOpenEnded: fewest < columns.size,
      };
      const order = [...columns.keys()];
      if (placeOf !== undefined) order.sort((a, b) => placeOf(a) - placeOf(b));
      const positions = order.map((name) => columns.get(name)!);
      const isInOrder = positions.every((position, index) => position === index);
      /** The file has them in the order in which they came. */
      const from = (mode: ReadMode, used?: ReadonlySet<number>): string => {
        if (isInOrder) return readCsv(layout, mode, used);
        const read = readCsv(layout, mode, used && new Set([...used].map((index) => positions[index]!)));
        const moved = positions.flatMap((at, index) => [`c${at} AS c${index}`, `t${at} AS t${index}`]);
        return `(SELECT _line, _at, _bytes, ${moved.join(', ')} FROM ${read})`;
      };
      const table = {
        names: columnNames(order, isReserved),
        ...(nestedTypeOf === undefined ? {} : { nestedTypes: order.map(nestedTypeOf) }),
        isTagged: true,
        isParsed: true,
        form,
        from,
        numbering: numberingOf({ records, illShaped: 0, short: 0 }, broken, raws),
      };
      return { table, total: isAtEnd ? counter.seen() : null, page: counter.span(), close };
    },
    close,
  };
}
