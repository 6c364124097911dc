import type { Column } from './catalog.ts';
import { type Findings, taken } from './findings.ts';
import { additiveWords } from './lexicon.ts';
import { type ColumnMatch, headOf, isKey } from './match.ts';
import type { Aggregate, Draft, DraftMeasure, Measure, Reference } from './question.ts';
import { pick, type Scope } from './scope.ts';
import { stem, wordsOf } from './words.ts';

/** Words for flows of money or units: "the highest" of them means the highest total. */
const flows = new Set('revenue sales turnover income spend spending sold units'.split(' ').map(stem));

const amountWords = 'amount total value sum revenue sales price cost'.split(' ').map(stem);

export function sumsUp(column: Column, word: string): boolean {
  return !isKey(column) && stem(headOf(column) ?? '') === word;
}

export function resolveMeasures(
  draft: Draft,
  scope: Scope,
  isGrouped: boolean,
  findings: Findings,
): Measure[] {
  const wanted = withLoose(draft, isGrouped, findings);
  const measures: Measure[] = [];
  for (const variant of wanted.flatMap((each) => variantsOf(each, scope, findings))) {
    const measure = resolveMeasure(variant, draft, scope, findings);
    if (measure === undefined) continue;
    if (!measures.some(({ label }) => label === measure.label)) measures.push(measure);
  }
  if (measures.length > 4) findings.trouble.push('I can compute at most four figures at once.');
  return measures;
}

const lowest = new Set(['min', 'minimum', 'low', 'lowest']);
const extremes = new Set([...lowest, 'max', 'maximum', 'high', 'highest']);

/** "temperature" of a table with `temp_min` and `temp_max`: both, or the one that is asked for. */
function variantsOf(measure: DraftMeasure, { base }: Scope, findings: Findings): DraftMeasure[] {
  const { aggregate, column: reference } = measure;
  const own = (reference?.columns ?? []).filter(({ column }) => column.table === base.name);
  const columns = new Map(own.map((one) => [one.column, one]));
  const found = [...columns.values()].filter(({ column }) => extremes.has(wordsOf(column.name).at(-1) ?? ''));
  const isOther = own.some(({ column, score }) => score >= 9 && !found.some((one) => one.column === column));
  if (reference === undefined || found.length < 2 || isOther) return [measure];
  const isLow = ({ column }: ColumnMatch) => lowest.has(wordsOf(column.name).at(-1) ?? '');
  const isAsked = (match: ColumnMatch) =>
    aggregate === 'min' ? isLow(match) : aggregate === 'max' ? !isLow(match) : true;
  const names = found.filter(isAsked).map(({ column }) => `“${column.name}”`);
  findings.notes.push(`I took ${names.join(' and ')} for “${reference.said}”.`);
  return found
    .filter(isAsked)
    .map((one) => ({ ...measure, column: { ...reference, columns: [{ ...one, score: 9 }] } }));
}

/** The named aggregates, or those implied by columns named alone: a total, an average or a count. */
function withLoose(draft: Draft, isGrouped: boolean, findings: Findings): DraftMeasure[] {
  const numbers = draft.loose.filter(({ columns }) => columns[0]?.column.kind === 'number');
  const isOpen = (measure: DraftMeasure) => measure.column === undefined && measure.table === undefined;
  const isOrderNumber = numbers.length === 0 && draft.order?.columns[0]?.column.kind === 'number';
  const order = isOrderNumber && draft.measures.length === 0 ? draft.order : undefined;
  const implied = [...numbers, ...(order === undefined ? [] : [order])];
  if (draft.measures.length === 0) {
    if (implied.length === 0) return [{ aggregate: 'count', said: 'rows' }];
    return implied.flatMap((column) => impliedMeasure(column, isGrouped, findings));
  }
  // "which product sold the most": a pending aggregate takes the named column.
  const [first] = numbers;
  return draft.measures.map((measure) => {
    if (!isOpen(measure) || first === undefined) return measure;
    const aggregate = measure.aggregate === 'count' ? 'sum' : measure.aggregate;
    return { ...measure, aggregate, column: first };
  });
}

function impliedMeasure(column: Reference, isGrouped: boolean, findings: Findings): DraftMeasure[] {
  const best = column.columns[0]!.column;
  const words = [stem(column.said.toLowerCase()), stem(headOf(best) ?? '')];
  if (!isKey(best) && words.some((word) => additiveWords.has(word)))
    return [{ aggregate: 'sum', column, said: column.said }];
  if (isGrouped && !isKey(best)) {
    findings.notes.push(
      `I took the average of “${best.name}”; say total, minimum, maximum or median for another.`,
    );
    return [{ aggregate: 'avg', column, said: column.said }];
  }
  findings.trouble.push(
    `What should I compute from “${best.name}”: total, average, minimum, maximum, median or different values?`,
  );
  return [];
}

function resolveMeasure(
  { aggregate, table, column: reference, said, isSuperlative }: DraftMeasure,
  draft: Draft,
  scope: Scope,
  findings: Findings,
): Measure | undefined {
  if (table !== undefined) return countOf(table, scope, findings);
  if (reference === undefined) {
    if (aggregate === 'count' || aggregate === 'distinct') return { aggregate: 'count', label: 'count' };
    return amountOf(aggregate, scope, findings);
  }
  const isTime = reference.columns.some(
    ({ column }) => column.kind.startsWith('date') || column.kind.startsWith('time'),
  );
  const isAny =
    aggregate === 'count' ||
    aggregate === 'distinct' ||
    ((aggregate === 'min' || aggregate === 'max') && isTime);
  const column = taken(pick(scope, reference, isAny ? 'any' : 'number'), findings);
  if (column === undefined) return undefined;
  if (isKey(column) && (aggregate === 'sum' || aggregate === 'avg' || aggregate === 'median')) {
    findings.trouble.push(`“${column.name}” identifies rows: I do not compute with it.`);
    return undefined;
  }
  noteSynonym(reference, column, findings);
  const isOrdered = isSuperlative === true && draft.subject !== undefined;
  if (isOrdered && reference.columns.length > 0 && isFlow(reference)) return measure('sum', column);
  if (aggregate !== 'count') return measure(aggregate, column);
  const isAdditive =
    column.kind === 'number' &&
    (isNumberOf(column) || [...additiveWords].some((word) => sumsUp(column, word)));
  if (isAdditive) findings.notes.push(`I added up “${column.name}”.`);
  else if (said !== 'count') findings.notes.push(`I counted the different values of “${column.name}”.`);
  return measure(isAdditive ? 'sum' : 'distinct', column);
}

/** A numeric column with a plural name is a count: guests, visitors, days. */
function isNumberOf(column: Column): boolean {
  return !isKey(column) && /[^su]s$/.test(headOf(column) ?? '');
}

export function isFlow({ columns, said }: Reference): boolean {
  const isNamed = said.split(' ').some((word) => flows.has(stem(word.toLowerCase())));
  return isNamed && columns.length > 0;
}

function measure(aggregate: Aggregate, column: Column): Measure {
  const names: Readonly<Record<Aggregate, string>> = {
    count: 'count',
    distinct: 'distinct',
    sum: 'total',
    avg: 'average',
    min: 'minimum',
    max: 'maximum',
    median: 'median',
  };
  return { aggregate, column, label: `${names[aggregate]}_${column.name}` };
}

/** Counts rows of the table; for a table that it refers to, only those that occur. */
function countOf(table: string, scope: Scope, findings: Findings): Measure | undefined {
  if (table === scope.base.name) return { aggregate: 'count', label: 'count' };
  const join = scope.joins.get(table);
  const column = scope.base.columns.find(({ name }) => name === join?.left);
  if (join === undefined || join.isMany || column === undefined) {
    findings.trouble.push(`I cannot count “${table}” together with “${scope.base.name}”.`);
    return undefined;
  }
  findings.notes.push(`I counted the different values of “${column.name}” of “${scope.base.name}”.`);
  return measure('distinct', column);
}

/** "how much": the amount-like column, if there is one. */
function amountOf(aggregate: Aggregate, scope: Scope, findings: Findings): Measure | undefined {
  const column = amountColumn(scope);
  if (column === undefined) {
    findings.trouble.push(
      `Which column of “${scope.base.name}” do you mean? I found none that is clearly an amount.`,
    );
    return undefined;
  }
  findings.notes.push(`I took “${column.name}” for it.`);
  return measure(aggregate, column);
}

export function amountColumn({ base }: Scope): Column | undefined {
  for (const word of amountWords) {
    const found = base.columns.filter((column) => column.kind === 'number' && sumsUp(column, word));
    if (found.length === 1) return found[0];
    if (found.length > 1) return undefined;
  }
  return undefined;
}

function noteSynonym(reference: Reference, column: Column, findings: Findings): void {
  const score = reference.columns.find((match) => match.column === column)?.score ?? 0;
  if (score < 5)
    findings.notes.push(`I read “${reference.said}” as the column “${column.name}” of “${column.table}”.`);
}
