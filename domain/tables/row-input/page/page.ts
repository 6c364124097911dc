import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../../data/canonical-json.ts';
import { ValidationError, type ValidationFault } from '../../../../data/errors.ts';
import { rowIdColumn } from '../../tables/column-name.ts';
import type { LakeColumn } from '../../tables/columns.ts';
import { duplicateRowId } from '../duplicates.ts';
import { assessRows, maxFaults, type Row } from '../plan.ts';

/** A batch's rules for its pages. */
export interface PageRules {
  onBadRecord: 'refuse' | 'quarantine';
  onNewField: 'refuse' | 'add' | 'ignore';
  /** Columns that need a value in every record: the key of an upsert. */
  keys: readonly string[];
  /** Whether an s_id may occur twice: in an upsert the last record of a key wins. */
  repeats: boolean;
  /** s_ids known to be taken; records with these do not fit. */
  taken?: ReadonlySet<bigint>;
}

/** A column with a value in the page, with the type its values are encoded in. */
export interface PageColumn {
  name: string;
  dataType: string;
  /** Its key in the feed is `c<position>`. */
  position: number;
  /** A field that was not a column of the table when the page was staged. */
  isNew?: boolean;
}

export interface BadRecord {
  /** Zero-based, in the page's records. */
  index: number;
  reason: string;
  /** The record as canonical JSON. */
  record: string;
}

/** A fully checked page: its identity, its records as the engine reads them, and those that do not fit. */
export interface PageContent {
  /** Lowercase hex over the canonical records. */
  sha256: string;
  /** Bytes of the canonical records. */
  sizeBytes: number;
  records: number;
  /** Newline-delimited JSON objects, one per good record. */
  feed: Uint8Array;
  columns: readonly PageColumn[];
  rowIds: { min: bigint; max: bigint } | undefined;
  bad: readonly BadRecord[];
}

/** A page whose feed is in a file. */
export type PageReading = Omit<PageContent, 'feed'> & { feedBytes: number };

/**
 * The general reading of a page's records. Throws with up to 20 faults, each at its place, unless the batch
 * keeps bad records aside.
 */
export function readPage(
  columns: readonly LakeColumn[],
  records: readonly Row[],
  rules: PageRules,
): PageContent {
  const canonical = Buffer.from(canonicalJson([...records]));
  const setAside = rules.onBadRecord === 'quarantine';
  const { plan, faults } = assessRows(columns, records, {
    list: 'records',
    keys: rules.keys,
    newFields: rules.onNewField,
    maxFaults: setAside ? Number.POSITIVE_INFINITY : maxFaults,
  });
  if (!setAside && faults.length > 0) throw new ValidationError(faults.slice(0, maxFaults));
  const reasons = reasonsByRecord(faults);
  const fits = records.map((_, index) => index).filter((index) => !reasons.has(index));
  const repeated = repeatsOf(plan.rowIds, rules);
  if (!setAside && repeated.size > 0)
    throw duplicateRowId([...repeated.keys()].map((position) => plan.rowIds[position]!));
  for (const [position, reason] of repeated) reasons.set(fits[position]!, `${rowIdColumn}: ${reason}`);
  /** Positions in the plan, which contains the records that fit their columns. */
  const kept = fits.map((_, position) => position).filter((position) => !repeated.has(position));
  return {
    sha256: createHash('sha256').update(canonical).digest('hex'),
    sizeBytes: canonical.length,
    records: kept.length,
    feed: Buffer.from(kept.map((position) => `${plan.rowTexts[position]}\n`).join('')),
    columns: columnsWithValues(
      plan.columns,
      new Set(columns.map(({ name }) => name)),
      plan.retypes,
      kept.map((position) => records[fits[position]!]!),
    ),
    rowIds: rangeOf(kept.map((position) => plan.rowIds[position]!)),
    bad: [...reasons]
      .toSorted(([a], [b]) => a - b)
      .map(([index, reason]) => ({ index, reason, record: canonicalJson(records[index]!) })),
  };
}

function reasonsByRecord(faults: readonly ValidationFault[]): Map<number, string> {
  const reasons = new Map<number, string>();
  for (const { loc, msg } of faults) {
    const index = Number(loc[2]);
    const before = reasons.get(index);
    reasons.set(index, `${before === undefined ? '' : `${before} `}${String(loc[3])}: ${msg}`);
  }
  return reasons;
}

/** Why records are refused although their values fit, by position. */
function repeatsOf(rowIds: readonly bigint[], { repeats, taken }: PageRules): Map<number, string> {
  const repeated = new Map<number, string>();
  const seen = new Set<bigint>();
  for (const [position, id] of rowIds.entries()) {
    if (taken?.has(id) === true) repeated.set(position, 'The table already has a row with this s_id.');
    else if (!repeats && seen.has(id))
      repeated.set(position, 'An earlier record of the page already has this s_id.');
    seen.add(id);
  }
  return repeated;
}

function columnsWithValues(
  columns: readonly LakeColumn[],
  known: ReadonlySet<string>,
  retypes: ReadonlyMap<string, string>,
  rows: readonly Row[],
): PageColumn[] {
  return columns.flatMap(({ name, dataType, typing }, position) => {
    const type = retypes.get(name) ?? dataType;
    const isUsed = rows.some((row) => Object.hasOwn(row, name) && row[name] !== null);
    return isUsed && (typing !== 'undetermined' || retypes.has(name))
      ? [{ name, dataType: type, position, ...(known.has(name) ? {} : { isNew: true }) }]
      : [];
  });
}

function rangeOf(ids: readonly bigint[]): PageContent['rowIds'] {
  const [first] = ids;
  if (first === undefined) return undefined;
  const range = { min: first, max: first };
  for (const id of ids) {
    if (id < range.min) range.min = id;
    if (id > range.max) range.max = id;
  }
  return range;
}
