import { createHash } from 'node:crypto';
import { closeSync, openSync, readlinkSync, writeFileSync, writevSync } from 'node:fs';
import { setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { parseBoundedJson } from '../../../../data/bounded-json.ts';
import { canonicalJson } from '../../../../data/canonical-json.ts';
import { ValidationError } from '../../../../data/errors.ts';
import { type JsonValue, packRawNumbers } from '../../../../data/exact-json.ts';
import type { JsonBounds } from '../../../../data/json-bounds.ts';
import { type SentError, toSent } from '../../../../data/lake/sent-error.ts';
import { ArrowFault, type ArrowLimits, arrowToParquet } from '../../../../packages/arrow-parquet/index.ts';
import type { LakeColumn } from '../../tables/columns.ts';
import { skimBody } from '../page/members.ts';
import { type PageReading, type PageRules, readPage } from '../page/page.ts';
import { planRows, type Row, type WritePlan } from '../plan.ts';
import { scanPage } from './quick-page.ts';
import { type ReadList, readList, readSentList, type SentList } from './sent-list.ts';

/** A list as sent, or already parsed records. */
export type ListBody = SentList | readonly Row[];

/** Rows that fit: in a file if they are large, otherwise `text` is a JSON list of them. */
export type PlannedRows = Omit<WritePlan, 'rowTexts'> & ({ text: string } | { path: string });

export interface Tasks {
  /** Parses a body that is not a list of records. */
  json: { input: { body: { bytes: Uint8Array }; bounds: JsonBounds }; output: JsonValue };
  /** Reads a whole page; its feed is written to `path` if any records fit. */
  page: {
    input: { body: ListBody; path: string; columns: readonly LakeColumn[]; rules: PageRules };
    output: PageReading;
  };
  /** Checks rows against a table's columns. */
  rows: {
    input: {
      body: ListBody;
      path: string;
      columns: readonly LakeColumn[];
      keys: readonly string[];
      rowIds?: 'required' | 'optional';
    };
    output: PlannedRows;
  };
  /** The other members of the body, and faults of the list or of those members. */
  members: { input: { body: SentList }; output: Pick<ReadList, 'members' | 'faults'> };
  /** The hash of the canonical records. */
  hash: { input: { body: ListBody }; output: string };
  /** Writes an Arrow stream to `path` as Parquet. */
  arrow: { input: { body: { bytes: Uint8Array }; path: string; limits: ArrowLimits }; output: undefined };
}

export type Task = { [Name in keyof Tasks]: { name: Name } & Tasks[Name]['input'] }[keyof Tasks];

/** Rows up to this size stay in memory between reading and commit. */
const inlineBytes = 262_144;

/** Runs one task in the calling thread: a worker thread, or the main one if the body is small. */
export function doTask(task: Task): unknown {
  switch (task.name) {
    case 'json':
      return parseBoundedJson(bufferOf(task.body), task.bounds);
    case 'page':
      return pageOf(task);
    case 'rows':
      return rowsOf(task);
    case 'members':
      return membersOf(task.body);
    case 'hash':
      return createHash('sha256')
        .update(canonicalJson([...recordsOf(task.body)]))
        .digest('hex');
    case 'arrow':
      return repack(task);
  }
}

if (!isMainThread) lowerThreadPriority();

/**
 * Where a thread can be addressed separately from its process (Linux), threads that serve people run before
 * it.
 */
function lowerThreadPriority(): void {
  try {
    // `<process>/task/<thread>`
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 10);
  } catch {
    // The work is done in any case.
  }
}

export type TaskAnswer = { output: unknown; hasRawNumbers: boolean } | { error: SentError };

/** Entry point of the threads: errors are returned in serialised form. */
export function doTaskInThread(task: Task): TaskAnswer {
  try {
    const output = doTask(task);
    const isJson = task.name === 'json' || task.name === 'members';
    return { output, hasRawNumbers: isJson && isContainer(output) && packRawNumbers(output) };
  } catch (error) {
    return { error: toSent(error) };
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function bufferOf({ bytes }: { bytes: Uint8Array }): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isSent(body: ListBody): body is SentList {
  return !Array.isArray(body);
}

function recordsOf(body: ListBody): readonly Row[] {
  return isSent(body) ? readSentList(body) : body;
}

function pageOf({ body, path, columns, rules }: Tasks['page']['input']): PageReading {
  const quick = isSent(body) ? scanPage({ path, ...body, columns, rules }) : undefined;
  if (quick !== undefined) return quick;
  const { feed, ...page } = readPage(columns, recordsOf(body), rules);
  if (page.records > 0) writeFileSync(path, feed);
  return { ...page, feedBytes: feed.length };
}

function rowsOf({ body, path, columns, keys, rowIds }: Tasks['rows']['input']): PlannedRows {
  const { rowTexts, ...plan } = planRows(columns, recordsOf(body), keys, rowIds);
  const text = `[${rowTexts.join(',')}]`;
  if (text.length <= inlineBytes) return { ...plan, text };
  writeFileSync(path, text);
  return { ...plan, path };
}

function repack({ body, path, limits }: Tasks['arrow']['input']): undefined {
  try {
    const file = openSync(path, 'w');
    try {
      for (const pieces of inParts(arrowToParquet(body.bytes, limits))) writevSync(file, pieces);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (!(error instanceof ArrowFault)) throw error;
    const { message, column, row } = error;
    const place = row === undefined ? ['columns'] : ['records', row];
    const loc = ['body', ...(column === undefined ? [] : [...place, column])];
    throw new ValidationError([{ loc, msg: message, type: 'value_error' }]);
  }
}

/** The system takes about a thousand pieces at once. */
function* inParts(pieces: Uint8Array[]): Generator<Uint8Array[]> {
  for (let start = 0; start < pieces.length; start += 1_000) yield pieces.slice(start, start + 1_000);
}

/** Does not parse the records if the other members can be read without that. */
function membersOf(body: SentList): Tasks['members']['output'] {
  const skimmed = skimBody(bufferOf(body));
  const isPlain = skimmed !== undefined && Object.keys(skimmed).every((name) => body.members.includes(name));
  if (isPlain) return { members: skimmed, faults: [] };
  const { members, faults } = readList(body);
  return { members, faults };
}
