import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readBytes } from '../../../../data/objects/read.ts';
import type { ObjectStore } from '../../../../data/objects/store.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../../data/postgres/client.ts';
import { replicationOf } from '../../data-connections/change.ts';
import type { SourceClients } from '../../data-connections/clients.ts';
import type { DataConnection } from '../../data-connections/data-connections.ts';
import { ours } from '../../data-connections/failure.ts';
import type { ReplicatedResource } from '../../data-connections/replication-policy.ts';
import type { LimitedFor } from '../../data-connections/request-limits.ts';
import {
  firstPosition,
  nextPosition,
  pageUrl,
  positionsAhead,
} from '../../data-connections/sources/http-pages.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import { copyTooLarge } from '../copy/limits.ts';
import { type CopyProgress, countRequest, type SnapshotRun } from '../snapshot-runs.ts';
import { createPagesAhead } from './ahead.ts';
import type { PageParser } from './parser.ts';
import { keepReading, type Reading } from './reading.ts';
import { earlyBytes, LimitWait, type Page, type PageRequests, requestEarly, requestPage } from './request.ts';

export interface ReadDeps {
  db: Database;
  objects: ObjectStore;
  sources: SourceClients;
  parser: PageParser;
  /** Of one copy, as text. */
  maxBytes: number;
}

export interface ReadRequest {
  row: SnapshotRun;
  connection: DataConnection;
  resource: ReplicatedResource;
  /** Whether records need a place, by which the last of a key is known. */
  isKeyed: boolean;
  /** Key of the folder of objects of this snapshot; ends in a slash. */
  prefix: string;
}

/** One activity reads for so long: a reading that takes days is many of them. */
const chunkMs = 45_000;
const sessionMs = 600_000;
/** Text that is held before it is kept as an object. */
const partBytes = 8_388_608;
/** So many answers in a row that are the same say that the source does not heed what it is asked. */
const maxSameAnswers = 3;
const defaultMaxPages = 1_000_000;
/** Pages that are asked for early are held in memory. */
const maxAhead = 7;

/**
 * Reads pages until there is none left, the snapshot met its bound, or it is time for the next activity;
 * keeps what it read and how far it is. What a try that was lost had not kept is read again.
 *
 * @returns how far it is, and how long nothing may be asked of the source, where it has to wait
 */
export async function readPages(
  deps: ReadDeps,
  request: ReadRequest,
  before: Reading,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<{ reading: Reading; limited: LimitedFor | undefined }> {
  const { row, connection } = request;
  let reading = before;
  let lines: Uint8Array[] = [];
  let held = 0;

  const reportProgress = (): void =>
    progress({
      fraction: fractionOf(reading, request.resource),
      rows: reading.records,
      bytes: reading.bytes,
    });

  /**
   * What the last part has room for goes into it: a reading of many pauses has no more parts than one of
   * none.
   */
  async function keep(): Promise<void> {
    const parts = [...reading.parts];
    const last = parts.at(-1);
    const grown = held > 0 && last !== undefined && last.bytes + held <= partBytes ? parts.pop() : undefined;
    if (held > 0) {
      const before = grown === undefined ? [] : [await readBytes(deps.objects, grown.key)];
      const content = Buffer.concat([...before, ...lines]);
      const key = `${request.prefix}${randomUUID()}.ndjson`;
      await deps.objects.put(key, content, 'application/x-ndjson');
      parts.push({ key, bytes: content.length });
    }
    reading = await inOrganization(deps.db, row.organization_id, (db) =>
      keepReading(db, row, { ...reading, parts }),
    );
    lines = [];
    held = 0;
    if (grown !== undefined) await deps.objects.remove(grown.key).catch(() => undefined);
  }

  async function readOne(requests: PageRequests): Promise<void> {
    const { target } = requests;
    const { resource } = request;
    const position = reading.position!;
    const url = pageUrl(target, resource, reading.base, position);
    const page = await requestPage(requests, url, missingOf(reading));
    reading = { ...reading, refusals: requests.refusals };
    if (page === undefined) {
      reading = afterMissing(reading, resource);
      return;
    }
    lines.push(page.lines);
    held += page.lines.length;
    reading = afterPage({ ...reading, reached: page.reached }, resource, target, page);
    const next = positionsAhead(reading.position, page.records, aheadOf(reading, request, page));
    // Towards the end what was asked for before is still to be read.
    if (next.length > 0) requests.ahead.ask(next.map((one) => pageUrl(target, resource, reading.base, one)));
    if (reading.bytes > deps.maxBytes) throw copyTooLarge(deps.maxBytes);
    reportProgress();
    if (held >= partBytes || reading.isOver) await ours(keep());
    // A source that answers at once must not be all that this process does.
    await nextTurn();
  }

  reportProgress();
  const session = deps.sources.use(connection, sessionMs, async (_source, target, late) => {
    const common = {
      target,
      signal: AbortSignal.any([signal, late]),
      deadline: Date.now() + chunkMs,
      refusals: reading.refusals,
      onRequest: (db: OrganizationTransaction) => countRequest(db, row),
    };
    const ahead = createPagesAhead((url, over) =>
      requestEarly({ ...common, signal: AbortSignal.any([common.signal, over]) }, url),
    );
    const requests: PageRequests = {
      ...common,
      ahead,
      parse: (bytes) => {
        const { records, reached } = reading;
        const firstPlace = request.isKeyed ? records : undefined;
        const { resource } = request;
        return deps.parser.parse(row.organization_id, { bytes, resource, firstPlace, reached });
      },
    };
    try {
      while (!reading.isOver && Date.now() < requests.deadline) await readOne(requests);
      return undefined;
    } catch (error) {
      reading = { ...reading, refusals: requests.refusals };
      if (error instanceof LimitWait) return error;
      // What came before need not be asked for again.
      if (!signal.aborted) await keep().catch(() => undefined);
      throw error;
    } finally {
      await ahead.close();
    }
  });
  const limited = await session.catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
  if (!reading.isOver || held > 0) await keep();
  return { reading, limited };
}

/**
 * Statuses that say of a page that it is not there: after the last one, or where an earlier reading left off.
 */
function missingOf({ position, pages, goesOn }: Reading): readonly number[] {
  if (pages === 0) return goesOn ? [400, 404, 410, 422] : [];
  return position?.at === 'page' || position?.at === 'offset' ? [404] : [];
}

/** What an earlier reading left is gone: it begins anew. Any other page that is missing is the end. */
function afterMissing(reading: Reading, resource: ReplicatedResource): Reading {
  if (reading.pages > 0) return { ...reading, position: null, isOver: true };
  return { ...reading, goesOn: false, position: firstPosition(resource), reached: reading.base };
}

function afterPage(
  reading: Reading,
  resource: ReplicatedResource,
  target: SourceTarget,
  { next, records, url, bytes, digest }: Page,
): Reading {
  const position = nextPosition(target, resource, { next, records, url, position: reading.position! });
  const times = reading.last?.digest === digest ? reading.last.times + 1 : 1;
  if (times >= maxSameAnswers && records > 0 && position !== null)
    throw new RemoteFailure(
      'request',
      `The source answered the same page ${times} times: it does not heed what leads to the next one.`,
    );
  const pages = reading.pages + 1;
  return {
    ...reading,
    position,
    isOver: position === null || pages >= (resource.pagination?.max_pages_per_run ?? defaultMaxPages),
    pages,
    records: reading.records + records,
    bytes: reading.bytes + bytes,
    last: { digest, times },
  };
}

/**
 * How many pages beyond the next one are asked for early: where their places are known, the policy lets
 * several requests out at once, and there have been so many full ones that a few too many at the end are
 * little.
 */
function aheadOf(
  { pages, isOver }: Reading,
  { resource: { pagination }, connection }: ReadRequest,
  { records, bytes }: Page,
): number {
  const { max_concurrency: atOnce = 1 } = replicationOf(connection)?.limits ?? {};
  const isFull = pagination?.page_size !== undefined && records === pagination.page_size;
  // One that is larger than an early one may be would be read twice.
  if (isOver || !isFull || bytes * 2 > earlyBytes) return 0;
  const left = (pagination.max_pages_per_run ?? defaultMaxPages) - pages - 1;
  return Math.min(atOnce - 1, maxAhead, left, Math.floor(pages / 4));
}

/** How many pages there are nobody knows: it comes nearer to the half with each. */
function fractionOf({ pages }: Reading, { pagination }: ReplicatedResource): number {
  const most = pagination?.max_pages_per_run;
  return 0.5 * (most === undefined ? pages / (pages + 20) : Math.min(1, pages / most));
}
