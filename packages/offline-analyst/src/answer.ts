import type { ResultSet, Table } from './catalog.ts';
import { allRows, cell, code, escaped, escapedSentence, resultTable, sqlBlock } from './markdown.ts';
import { tablesOf } from './plan.ts';
import type { Draft, Question } from './question.ts';
import { maxRows, sqlOf } from './sql.ts';
import { examplesOf } from './suggest.ts';
import { caveatsText, filtersText, measureText, subjectOf, tiesText } from './wording.ts';

export const selfDescription =
  'I am the offline analyst: a deterministic program, without a language model, that turns English questions into SQL over the tables attached to this project.';

export function helpText(tables: readonly Table[]): string {
  return [
    selfDescription,
    'I describe tables and columns, show rows, count, total, average, find minimum, maximum and median, count different values, rank, and compute shares: by group, by day, week, month, quarter or year, filtered by values, dates and comparisons, over one table or two that share a key. I draw charts and write reports when asked, and go on from the question before (“and by month?”).',
    suggestions(tables, []),
  ].join('\n\n');
}

export const nothingAttached = `No table is attached to this project, so I have no data to answer from. Attach one with \`POST /v1/projects/{project_id}/catalog-entries\`, giving the id of a table, and ask again.`;

function suggestions(tables: readonly Table[], first: readonly string[]): string {
  const examples = examplesOf(tables, first);
  if (examples.length === 0) return nothingAttached;
  return `You could ask:\n${examples.map((example) => `- ${escaped(example)}`).join('\n')}`;
}

/** Why nothing was computed, and what could be asked instead. */
export function refusalText(trouble: readonly string[], draft: Draft, tables: readonly Table[]): string {
  const unknown = draft.unknown.slice(0, 8).map((word) => `“${escaped(word)}”`);
  const lines =
    unknown.length === 0 ? [] : [`I did not understand ${unknown.join(', ')}, so I ran no query.`];
  const others = trouble.slice(0, 4).map(escapedSentence);
  return [...lines, ...others, ...remarks(draft), suggestions(tables, tablesOf(draft))].join('\n\n');
}

/** Remarks on how the question was read: corrected typos, ignored words, text that was not read. */
export function remarks({ corrections, ignored, isCut }: Draft): string[] {
  const said: string[] = [];
  if (corrections.length > 0) {
    const list = corrections.slice(0, 5).map(({ from, to }) => `“${escaped(from)}” as “${escaped(to)}”`);
    said.push(`I read ${list.join(', ')}.`);
  }
  if (ignored.length > 0) {
    const list = ignored.slice(0, 8).map((word) => `“${escaped(word)}”`);
    said.push(`I left out ${list.join(', ')}.`);
  }
  if (isCut) said.push('The message is long: I read the first 400 words of it.');
  return said;
}

/**
 * What a query gave, with the number of rows or groups beyond its limit that are tied with the last one, if
 * that could be counted.
 */
export type QueryResult = ResultSet & { tied: number | undefined };

/** The answer to a query: a sentence or a table, the assumptions, what is out of date, and the SQL. */
export function resultText(question: Question, result: QueryResult, draft: Draft): string {
  const notes = [...noteText(question, draft, result.tied), ...caveatsText(result)];
  const parts = [mainText(question, result), ...notes, sqlBlock(sqlOf(question))];
  return parts.join('\n\n');
}

/** The assumptions, in at most one paragraph. */
export function noteText(question: Question, draft: Draft, tied: number | undefined): string[] {
  const ties = tiesText(question, tied);
  const said = [...ties, ...question.notes.map(escapedSentence), ...remarks(draft)];
  return said.length === 0 ? [] : [[...new Set(said)].join(' ')];
}

/** The same answer with all of its rows, for a document. */
export function documentText(question: Question, result: ResultSet): string {
  return mainText(question, result, allRows);
}

export function mainText(question: Question, result: ResultSet, tableOf = resultTable): string {
  const where = filtersText(question.filters);
  if (question.share === 'filters') return shareText(question, result);
  if (question.kind === 'aggregate' && question.groups.length === 0) {
    const [row] = result.rows;
    const figures = question.measures.map((measure, index) => {
      const value = row?.[index];
      const isNone = value === null || value === undefined;
      return `the ${measureText(measure, question.base)} is ${isNone ? 'not known: there is no value' : `**${cell(value)}**`}`;
    });
    const sentence = `${figures.join(', ')}${where}.`;
    return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
  }
  if (result.rows.length === 0) return `There is no row of ${code(question.base)}${where}.`;
  const subject = subjectOf(question);
  const isFull = question.limit === undefined && result.rowCount >= maxRows(question);
  const count = question.kind === 'rows' ? `, ${isFull ? 'at least ' : ''}${result.rowCount}` : '';
  const head = `${subject.slice(0, 1).toUpperCase()}${subject.slice(1)}${where}${count}:`;
  return `${head}\n\n${tableOf(result)}`;
}

function shareText(question: Question, { rows }: ResultSet): string {
  const [part, whole, percent] = rows[0] ?? [];
  const what = question.measures.map((measure) => measureText(measure, question.base)).join(', ');
  return `**${cell(percent)} %** of the ${what}: ${cell(part)} of ${cell(whole)}${filtersText(question.filters)}.`;
}

export function errorText(error: { code: string; message: string }, sql?: string): string {
  const said = `The query failed, so there is no answer: ${escaped(error.code)}, ${escaped(error.message)}`;
  return sql === undefined ? said : `${said}\n\n${sqlBlock(sql)}`;
}
