import { createHash } from 'node:crypto';
import { readlinkSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { parseBoundedJson } from '../../../../data/bounded-json.ts';
import { canonicalJson } from '../../../../data/canonical-json.ts';
import { type JsonValue, packRawNumbers } from '../../../../data/exact-json.ts';
import type { JsonBounds } from '../../../../data/json-bounds.ts';
import { type SentError, toSent } from '../../../../data/lake/sent-error.ts';
import type { LakeColumn } from '../../tables/columns.ts';
import { skimBody } from '../page/members.ts';
import { type PageReading, type PageRules, readPage } from '../page/page.ts';
import { planRows, type Row, type WritePlan } from '../plan.ts';
import { scanPage } from './quick-page.ts';
import { type ReadList, readList, readSentList, type SentList } from './sent-list.ts';

/** A list as it was sent, or records that were read already. */
export type ListBody = SentList | readonly Row[];

/** Rows that fit, in a file where they are many bytes: `text` is a JSON list of them otherwise. */
export type PlannedRows = Omit<WritePlan, 'rowTexts'> & ({ text: string } | { path: string });

export interface Tasks {
  /** The value of a body that is no list of records. */
  json: { input: { body: { bytes: Uint8Array }; bounds: JsonBounds }; output: JsonValue };
  /** Reads a page whole; its feed is written to `path`, if it has records that fit. */
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
  /** What stands beside the list, and what is wrong with the list or beside it. */
  members: { input: { body: SentList }; output: Pick<ReadList, 'members' | 'faults'> };
  /** The hash of the canonical records. */
  hash: { input: { body: ListBody }; output: string };
}

export type Task = { [Name in keyof Tasks]: { name: Name } & Tasks[Name]['input'] }[keyof Tasks];

/** A body of rows up to this size stays in memory between its reading and its commit. */
const inlineBytes = 262_144;

/** Does one task where it is called: in a thread, or where the body is small. */
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
  }
}

if (!isMainThread) lowerThreadPriority();

/** Where a thread can be told from its process (Linux), what serves people goes before it. */
function lowerThreadPriority(): void {
  try {
    // `<process>/task/<thread>`
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 10);
  } catch {
    // The work is done either way.
  }
}

export type TaskAnswer = { output: unknown; hasRawNumbers: boolean } | { error: SentError };

/** What the threads run: errors go as they can travel. */
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

/** Without a look into the records where what stands beside them is plain. */
function membersOf(body: SentList): Tasks['members']['output'] {
  const skimmed = skimBody(bufferOf(body));
  const isPlain = skimmed !== undefined && Object.keys(skimmed).every((name) => body.members.includes(name));
  if (isPlain) return { members: skimmed, faults: [] };
  const { members, faults } = readList(body);
  return { members, faults };
}
