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
  /** Maximum bytes of one copy, as text. */
  maxBytes: number;
}

export interface ReadRequest {
  row: SnapshotRun;
  connection: DataConnection;
  resource: ReplicatedResource;
  /** Whether records need a position, which determines the last record of each key. */
  isKeyed: boolean;
  /** Key of the folder for this snapshot's objects; ends with a slash. */
  prefix: string;
}

/** Duration of one activity; a reading that takes days consists of many. */
const chunkMs = 45_000;
const sessionMs = 600_000;
/** Bytes buffered before they are stored as an object. */
const partBytes = 8_388_608;
/** This many identical answers in a row mean that the source ignores the pagination parameters. */
const maxSameAnswers = 3;
const defaultMaxPages = 1_000_000;
/** Prefetched pages are held in memory. */
const maxAhead = 7;

/**
 * Reads pages until none are left, the snapshot's limit is reached, or the activity's time is up. Stores the
 * records and the position; records that a lost attempt had not stored are read again.
 *
 * @returns the position, and how long to wait before the next request, if a limit requires it
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
   * Extends the last part while it has room, so that a reading with many pauses does not have more parts than
   * one without.
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
    // Near the end, pages that are already being prefetched must not be dropped.
    if (next.length > 0) requests.ahead.ask(next.map((one) => pageUrl(target, resource, reading.base, one)));
    if (reading.bytes > deps.maxBytes) throw copyTooLarge(deps.maxBytes);
    reportProgress();
    if (held >= partBytes || reading.isOver) await ours(keep());
    // A source that answers immediately must not block the event loop.
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
      parse: ({ bytes, headers }) => {
        const { records, reached } = reading;
        const firstPlace = request.isKeyed ? records : undefined;
        const { resource } = request;
        const secrets = target.redaction.secrets();
        const isLater = reading.pages > 0 || reading.base !== null || reading.goesOn;
        const link = headers.get('link');
        const task = { bytes, resource, firstPlace, reached, isLater, link, secrets };
        return deps.parser.parse(row.organization_id, task);
      },
    };
    try {
      while (!reading.isOver && Date.now() < requests.deadline) await readOne(requests);
      return undefined;
    } catch (error) {
      reading = { ...reading, refusals: requests.refusals };
      if (error instanceof LimitWait) return error;
      // Stores earlier pages, so that they are not requested again.
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

/** Statuses that mean that a page does not exist: after the last one, or where an earlier reading stopped. */
function missingOf({ position, pages, goesOn }: Reading): readonly number[] {
  if (pages === 0) return goesOn ? [400, 404, 410, 422] : [];
  return position?.at === 'page' || position?.at === 'offset' ? [404] : [];
}

/** If the page where an earlier reading stopped is gone, starts over. Any other missing page is the end. */
function afterMissing(reading: Reading, resource: ReplicatedResource): Reading {
  if (reading.pages > 0) return { ...reading, position: null, isOver: true };
  return { ...reading, goesOn: false, position: firstPosition(resource), reached: reading.base };
}

function afterPage(
  reading: Reading,
  resource: ReplicatedResource,
  target: SourceTarget,
  { next, records, url, bytes, digest, showsMore }: Page,
): Reading {
  const position = nextPosition(target, resource, { next, records, url, position: reading.position! });
  const times = reading.last?.digest === digest ? reading.last.times + 1 : 1;
  if (times >= maxSameAnswers && records > 0 && position !== null)
    throw new RemoteFailure(
      'request',
      `The source answered with the same page ${times} times. It ignores the parameter for the next page.`,
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
    showsMore: showsMore || reading.showsMore === true,
  };
}

/**
 * How many pages beyond the next one to prefetch: only if their positions are known, the policy allows
 * concurrent requests, and there were enough full pages for a few unnecessary requests at the end to be
 * negligible.
 */
function aheadOf(
  { pages, isOver }: Reading,
  { resource: { pagination }, connection }: ReadRequest,
  { records, bytes }: Page,
): number {
  const { max_concurrency: atOnce = 1 } = replicationOf(connection)?.limits ?? {};
  const isFull = pagination?.page_size !== undefined && records === pagination.page_size;
  // An answer above the limit of prefetching would be requested twice.
  if (isOver || !isFull || bytes * 2 > earlyBytes) return 0;
  const left = (pagination.max_pages_per_run ?? defaultMaxPages) - pages - 1;
  return Math.min(atOnce - 1, maxAhead, left, Math.floor(pages / 4));
}

/** The number of pages is unknown: approaches one half, the share of reading. */
function fractionOf({ pages }: Reading, { pagination }: ReplicatedResource): number {
  const most = pagination?.max_pages_per_run;
  return 0.5 * (most === undefined ? pages / (pages + 20) : Math.min(1, pages / most));
}
