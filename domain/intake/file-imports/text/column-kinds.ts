import { classOf, looksLikeData, missing, nothing, number, text, year } from './cell-class.ts';
import type { SampleRecord } from './sample.ts';

/** Of the values of a column, so many are of one kind where the column is of that kind. */
const ruling = 0.8;

/** The shape of A1 and item_2: values have it, but names do as well. */
const identifier = /^a[ _]?0$/;

/** How the cells of one record compare with those of the records after it. */
export interface Votes {
  /** Cells that are of their column's kind. */
  data: number;
  /** Texts in columns of another kind: names. */
  names: number;
}

export interface ColumnKinds {
  /** Leaves a record out of those that the next votes compare with. */
  pass(record: SampleRecord): void;
  votes(record: SampleRecord): Votes;
  /**
   * Whether a value of the record comes again in its column, in a record that is not the same where it has
   * several fields.
   */
  recurs(record: SampleRecord): boolean;
}

/** What kinds of values the columns of the sampled records have. */
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

/** The kind of a column, where its values have one that tells them from names. */
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
 * In how many records each value of a column is; of equal ones with several fields, such as a header that
 * comes again, just the first counts.
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

/** Whether a record holds data; a tie is for data, because a record that is taken for names is lost. */
export function isData(record: SampleRecord, kinds: ColumnKinds): boolean {
  const { data, names } = kinds.votes(record);
  if (data + names > 0) return data >= names;
  return looksLikeData(record.fields) || kinds.recurs(record);
}
