import { stripVTControlCharacters } from 'node:util';

export interface OutputOptions {
  json: boolean;
  colors: boolean;
}

export interface Output extends OutputOptions {
  /** Prints a value: as JSON if that is asked for, else by `human`. */
  show(value: unknown, human: () => string): void;
  /** Prints items as a table with a column for each entry, or `nothing` where there are none. */
  list<Item>(items: readonly Item[], nothing: string, columns: Record<string, (item: Item) => unknown>): void;
  /** A line for people, on stderr: progress and hints never mix with what a program reads. */
  hint(text: string): void;
  dim(text: string): string;
  bold(text: string): string;
}

export function createOutput({ json, colors }: OutputOptions): Output {
  const style = (code: number) => (text: string) => (colors ? `\u001b[${code}m${text}\u001b[0m` : text);
  const show = (value: unknown, human: () => string) =>
    void process.stdout.write(`${json ? JSON.stringify(value, null, 2) : human()}\n`);
  return {
    json,
    colors,
    show,
    list: (items, nothing, columns) =>
      show(items, () => {
        const readers = Object.values(columns);
        const rows = items.map((item) => readers.map((read) => read(item)));
        return rows.length === 0 ? nothing : table(Object.keys(columns), rows);
      }),
    hint: (text) => void process.stderr.write(`${text}\n`),
    dim: style(2),
    bold: style(1),
  };
}

/** Text of the service and of data, without what a terminal would obey. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
}

/** `1 row`, `2 rows`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const maxCell = 60;
/** Narrower, a text says nothing; ids are copied, so they stay whole. */
const leastCell = 16;
const gap = '  ';

/** Rows under their columns, numbers to the right. Wide texts are cut, more of them where a terminal is narrow. */
export function table(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const whole = rows.map((row) => row.map((value) => cut(plain(value), maxCell)));
  const heads = columns.map((name) => cut(plain(name), maxCell));
  const widths = fitted(
    heads.map((head, at) => Math.max(width(head), ...whole.map((row) => width(row[at] ?? '')))),
    heads.map((_, at) => rows.every((row) => typeof row[at] === 'string' && !/^[a-z]{3}_\w+$/.test(row[at]))),
  );
  const isNumber = heads.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((value, at) => {
        const text = cut(value, widths[at]!);
        const space = ' '.repeat(widths[at]! - width(text));
        return isNumber[at] ? `${space}${text}` : `${text}${space}`;
      })
      .join(gap)
      .trimEnd();
  return [line(heads), widths.map((size) => '─'.repeat(size)).join(gap), ...whole.map(line)].join('\n');
}

/** Takes from the widest of the columns that may be cut until the line fits the terminal. */
function fitted(widths: number[], mayBeCut: readonly boolean[]): number[] {
  const space = (process.stdout.columns ?? Number.POSITIVE_INFINITY) - gap.length * (widths.length - 1);
  const left = [...widths];
  for (let over = left.reduce((sum, size) => sum + size, 0) - space; over > 0; over -= 1) {
    const candidates = left.map((size, at) => (mayBeCut[at] && size > leastCell ? size : 0));
    const widest = Math.max(0, ...candidates);
    if (widest === 0) break;
    left[candidates.indexOf(widest)]! -= 1;
  }
  return left;
}

/** The text itself, or its beginning and an ellipsis in that many columns of a terminal. */
function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += width(character);
    if (used > columns) break;
    kept += character;
  }
  return `${kept}…`;
}

const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Extended_Pictographic}/u;

/** Columns of a terminal. */
function width(text: string): number {
  let sum = 0;
  for (const character of text) sum += /\p{M}/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return sum;
}

const bar = 24;

/** A line on a terminal that shows how far something is; nothing where nobody looks. */
export function progressBar(label: string, { json }: OutputOptions) {
  const isShown = process.stderr.isTTY === true && !json;
  let last = '';
  return {
    at(ratio: number, note = '') {
      const done = Math.round(Math.min(1, Math.max(0, ratio)) * bar);
      const text = `${plain(label)} ${'█'.repeat(done)}${'░'.repeat(bar - done)} ${Math.round(ratio * 100)} % ${note}`;
      if (!isShown || text === last) return;
      last = text;
      process.stderr.write(`\r\u001b[K${text}`);
    },
    end() {
      if (isShown && last !== '') process.stderr.write('\r\u001b[K');
    },
  };
}
