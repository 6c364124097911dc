import { classOf, looksLikeData, missing, nothing, number, text, year } from './cell-class.ts';
import type { SampleRecord } from './sample.ts';

/** Minimum share of a column's values that must be of one kind for the column to be of that kind. */
const ruling = 0.8;

/** The shape of A1 and item_2, which both values and names have. */
const identifier = /^a[ _]?0$/;

/** How the cells of one record compare with those of the records after it. */
export interface Votes {
  /** Cells of their column's kind. */
  data: number;
  /** Texts in columns of another kind, presumably names. */
  names: number;
}

export interface ColumnKinds {
  /** Excludes a record from those that later votes compare with. */
  pass(record: SampleRecord): void;
  votes(record: SampleRecord): Votes;
  /**
   * Whether a value of the record occurs again in its column. With several columns, identical records do not
   * count.
   */
  recurs(record: SampleRecord): boolean;
}

/** Determines the kinds of values in the columns of the sampled records. */
export function columnKinds(records: readonly SampleRecord[], width: number): ColumnKinds {
  const columns = Array.from({ length: width }, () => new Map<string, number>());
  const add = ({ fields, isBroken }: SampleRecord, count: number): void => {
    if (isBroken || fields.length !== width) return;
    for (const [index, field] of fields.entries()) {
      const kind = classOf(field);
      if (kind === nothing || kind === missing) continue;
      const kinds = columns[index]!;
      kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    }
  };
  for (const record of records) add(record, 1);
  let seen: Map<string, number>[] | undefined;
  return {
    pass: (record) => add(record, -1),
    votes({ fields }) {
      const votes = { data: 0, names: 0 };
      let missed = 0;
      for (const [index, field] of fields.slice(0, width).entries()) {
        const kind = classOf(field);
        if (kind === nothing) continue;
        const rule = rulingKind(columns[index]!);
        if (kind === missing) missed += 1;
        else if (rule === undefined) continue;
        else if (kind === rule) votes.data += identifier.test(kind) ? 0 : 1;
        else if (kind !== year && kind !== number) votes.names += 1;
        else if (kind === number && rule === year) votes.data += 1;
      }
      return votes.names === 0 ? { data: votes.data + missed, names: 0 } : votes;
    },
    recurs(record) {
      seen ??= distinctValues(records, width);
      return record.fields.some(
        (field, index) => field.trim() !== '' && (seen?.[index]?.get(field.trim()) ?? 0) > 1,
      );
    },
  };
}

/** The kind of a column, if its values have one that distinguishes them from names. */
function rulingKind(kinds: ReadonlyMap<string, number>): string | undefined {
  let total = 0;
  for (const count of kinds.values()) total += count;
  for (const [kind, count] of kinds) {
    const all = kind === number ? count + (kinds.get(year) ?? 0) : count;
    if (kind !== text && count > 0 && all >= total * ruling) return kind;
  }
  return undefined;
}

/**
 * The number of records with each value, per column. With several columns, only the first of identical
 * records counts, such as a repeated header.
 */
function distinctValues(records: readonly SampleRecord[], width: number): Map<string, number>[] {
  const columns = Array.from({ length: width }, () => new Map<string, number>());
  const known = new Set<string>();
  for (const { fields } of records) {
    const key = fields.join('\0');
    if (width > 1 && known.has(key)) continue;
    known.add(key);
    for (const [index, field] of fields.slice(0, width).entries()) {
      const value = field.trim();
      columns[index]!.set(value, (columns[index]!.get(value) ?? 0) + 1);
    }
  }
  return columns;
}

/** Whether a record is data. A tie counts as data, because a record mistaken for a header would be lost. */
export function isData(record: SampleRecord, kinds: ColumnKinds): boolean {
  const { data, names } = kinds.votes(record);
  if (data + names > 0) return data >= names;
  return looksLikeData(record.fields) || kinds.recurs(record);
}
