import { stripVTControlCharacters } from 'node:util';

export interface OutputOptions {
  json: boolean;
  colors: boolean;
}

export interface Output extends OutputOptions {
  /** Prints a value: as JSON if that is asked for, else by `human`. */
  show(value: unknown, human: () => string): void;
  /** A line for people, on stderr: progress and hints never mix with what a program reads. */
  hint(text: string): void;
  dim(text: string): string;
  bold(text: string): string;
}

export function createOutput({ json, colors }: OutputOptions): Output {
  const style = (code: number) => (text: string) => (colors ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    json,
    colors,
    show: (value, human) => void process.stdout.write(`${json ? JSON.stringify(value, null, 2) : human()}\n`),
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

const maxCell = 60;

/** Rows under their columns, numbers to the right; wide texts are cut. */
export function table(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown) => {
    const text = plain(value);
    return text.length > maxCell ? `${text.slice(0, maxCell - 1)}…` : text;
  };
  const cells = rows.map((row) => row.map(cell));
  const heads = columns.map(cell);
  const widths = heads.map((head, at) => Math.max(width(head), ...cells.map((row) => width(row[at] ?? ''))));
  const isNumber = heads.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((text, at) => {
        const space = ' '.repeat(Math.max(0, widths[at]! - width(text)));
        return isNumber[at] ? `${space}${text}` : `${text}${space}`;
      })
      .join('  ')
      .trimEnd();
  return [line(heads), widths.map((size) => '─'.repeat(size)).join('  '), ...cells.map(line)].join('\n');
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
