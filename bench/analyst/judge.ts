/** A question of a file, and what a right answer to it is. */
export interface Question {
  ask: string;
  /** Statements in DuckDB's SQL over the tables of the file: an answer is right if it is that of any of them. */
  is?: string | string[];
  /** The same, where the answer may show more than this. */
  holds?: string | string[];
  /** The data does not say, or the offline analyst does not read it: a refusal is right too. */
  refused?: true;
  /** Texts that a refusal has to contain. */
  says?: string[];
  /** The kind of the chart that has to be drawn. */
  chart?: string;
  /** For readers of the file. */
  why?: string;
}

export interface QuestionFile {
  tables: string[];
  /** Each is a list of messages in one conversation. */
  conversations: Question[][];
}

export interface Reply {
  text: string;
  /** The rows of the last result. */
  rows: readonly (readonly unknown[])[] | undefined;
  charts: readonly string[];
}

/** The rows of the statements, of which one is the right answer. */
export interface Expected {
  is: (readonly unknown[])[][];
  holds: (readonly unknown[])[][];
}

export type Verdict = 'right' | 'wrong' | 'refused';

export function judge(question: Question, expected: Expected, reply: Reply): Verdict {
  const isShown =
    expected.is.some((rows) => isAnswer(rows, reply)) ||
    expected.holds.some((rows) => rows.every((row) => holds(reply, row)));
  const isDrawn = question.chart === undefined || reply.charts.includes(question.chart);
  if (isShown) return isDrawn ? 'right' : 'wrong';
  if (!isRefusal(reply)) return 'wrong';
  const isSaid = (question.says ?? []).every((text) => reply.text.includes(text));
  return question.refused === true && isSaid ? 'right' : 'refused';
}

const refusing =
  /\b(?:cannot|can't|could not|do not know|don't know|did not understand|no column|not (?:contain|available)|does not (?:say|contain|have|hold)|doesn't (?:say|contain|have)|which (?:column|table|one)|english|englisch|anglais)\b/i;

function isRefusal({ text, rows }: Reply): boolean {
  return rows === undefined || refusing.test(text);
}

/** The result has these rows and no others, in any order and with any further columns; or the text has them. */
function isAnswer(expected: readonly (readonly unknown[])[], { text, rows }: Reply): boolean {
  if (rows !== undefined && rows.length === expected.length) {
    const left = [...rows];
    const isEach = expected.every((row) => {
      const at = left.findIndex((found) => row.every((cell) => found.some((one) => isSame(cell, one))));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
    if (isEach) return true;
  }
  const cells = expected.flat();
  return cells.length > 0 && cells.length <= maxInText && cells.every((cell) => isInText(text, cell));
}

const maxInText = 40;

function holds({ text, rows }: Reply, row: readonly unknown[]): boolean {
  const found = (rows ?? [])
    .slice(0, 1)
    .some((one) => row.every((cell) => one.some((other) => isSame(cell, other))));
  return found || row.every((cell) => isInText(text, cell));
}

/** The statement itself is no part of an answer. */
function isInText(text: string, cell: unknown): boolean {
  const said = text.replace(/```[\s\S]*?```/g, ' ');
  if (typeof cell !== 'number') return plain(said).includes(plain(cell));
  const numbers = said.match(/-?\d+(?:[,_ ]\d{3})*(?:\.\d+)?/g) ?? [];
  return numbers.some((number) => isSame(cell, Number(number.replace(/[,_ ]/g, ''))));
}

/** Numbers are the same within rounding, days and months by the day they begin with, texts in any case. */
function isSame(one: unknown, other: unknown): boolean {
  const [left, right] = [numberOf(one), numberOf(other)];
  if (left === undefined || right === undefined) return plain(one) === plain(other);
  return Math.abs(left - right) <= Math.max(0.0051, Math.abs(left) * 1e-4);
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function plain(value: unknown): string {
  const text = String(value).toLowerCase();
  return /^\d{4}-\d\d-\d\d[t ]00:00/.test(text) ? text.slice(0, 10) : text;
}
