import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CopySource } from './copies.ts';
import type { Moments } from './moments.ts';
import { createRandom } from './random.ts';
import { createSourceRecords, type SourceRecord, type SourceRecords } from './source-records.ts';

/** A request that reached the source, in milliseconds of the driver's monotonic clock. */
export interface SourceRequest {
  fromMs: number;
  /** When it was answered or its connection ended; infinity before that. */
  toMs: number;
}

/** An HTTP API whose records are copied, of one data connection. It is not killed, but misbehaves. */
export interface FaultSource extends CopySource {
  url: string;
  /** Every request, answered or not. */
  requests: SourceRequest[];
  /** From then on it answers everything at once and correctly. */
  getWell(): void;
  close(): Promise<void>;
}

/**
 * Answers two paths, in pages with a link to the next one. `/changes?since=<at>` returns what was changed at
 * that time or later, in its current state: records that change during the read come again. `/whole` returns
 * one consistent state of everything, which its links name.
 */
export async function startSource(seed: number, moments: Moments): Promise<FaultSource> {
  const random = createRandom(seed, 'source');
  const records = createSourceRecords();
  const requests: SourceRequest[] = [];
  let isWell = false;
  const server = createServer((incoming, response) => {
    const request = { fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    requests.push(request);
    response.on('close', () => {
      request.toMs = performance.now();
    });
    const answer = () => {
      const { items, next } = pageOf(records, new URL(incoming.url ?? '', 'http://source'));
      if (next === null) moments.comes('read');
      return JSON.stringify({ items, links: { next } });
    };
    if (isWell) send(response, answer());
    else misbehave(response, answer, random.int(1, 100), random.int(0, 2_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records,
    beside: 0,
    settled: () => records.changes.length,
    change: async (ids) => records.change(ids),
    requests,
    getWell: () => {
      isWell = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Behaviour for a number drawn from a hundred: most requests are answered, some late. */
function misbehave(response: ServerResponse, answer: () => string, drawn: number, ms: number): void {
  if (drawn <= 3) response.destroy();
  else if (drawn <= 5) cutOff(response, answer());
  // A complete HTTP response, but truncated content.
  else if (drawn <= 7) send(response, answer().slice(0, -ms % 100 || -1));
  else if (drawn <= 10) response.writeHead(500).end('broken');
  else if (drawn <= 12) response.writeHead(429, { 'retry-after': '1' }).end('too many');
  else if (drawn <= 14) response.writeHead(503, { 'retry-after': '1' }).end('away');
  else setTimeout(() => send(response, answer()), drawn <= 20 ? ms : ms / 50);
}

function send(response: ServerResponse, text: string): void {
  response.setHeader('content-type', 'application/json');
  response.end(text);
}

/** The connection ends before the answer does. */
function cutOff(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

function pageOf(records: SourceRecords, url: URL): { items: readonly SourceRecord[]; next: string | null } {
  const { searchParams: asked } = url;
  const limit = Number(asked.get('limit') ?? 100);
  const state = Number(asked.get('state') ?? records.changes.length);
  const afterAt = asked.get('after_at') ?? '';
  const afterId = Number(asked.get('after_id') ?? 0);
  const isWhole = url.pathname === '/whole';
  const since = asked.get('since') ?? '';
  const isLeft = ({ id, at }: SourceRecord) =>
    isWhole ? id > afterId : at >= since && (at > afterAt || (at === afterAt && id > afterId));
  const left = [...records.stateAt(state).values()].filter(isLeft).toSorted((a, b) => {
    const inTime = isWhole || a.at === b.at ? 0 : a.at < b.at ? -1 : 1;
    return inTime || a.id - b.id;
  });
  const items = left.slice(0, limit);
  const last = items.at(-1);
  if (last === undefined || left.length <= limit) return { items, next: null };
  const next = new URL(url);
  next.searchParams.set('after_id', String(last.id));
  // Changes are read as they arrive; only `/whole` is consistent.
  if (isWhole) next.searchParams.set('state', String(state));
  else next.searchParams.set('after_at', last.at);
  return { items, next: `${next.pathname}${next.search}` };
}
