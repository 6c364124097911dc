import { isRawNumber } from '../../../../data/exact-json.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { placeColumn, type ReplicatedResource } from '../../data-connections/replication-policy.ts';
import { laterOf, type Reached } from '../../data-connections/sources/http-cursor.ts';
import {
  mappedRecord,
  parseAnswer,
  pointedTo,
  recordsOf,
} from '../../data-connections/sources/http-records.ts';

/** An answer, and what of it is wanted. */
export interface PageTask {
  bytes: Uint8Array;
  resource: ReplicatedResource;
  /** Whether records need a place, by which the last of a key is known; the first one's. */
  firstPlace: number | undefined;
  reached: Reached | null;
}

export interface ParsedPage {
  /** The records as newline-delimited JSON, with the fields under the names of their columns. */
  lines: Uint8Array;
  records: number;
  /** The later of what was reached before and by these records. */
  reached: Reached | null;
  /** What leads to the next page, of the modes that have such a thing. */
  next: string | number | null;
}

/** No JSON: it may have been cut off on its way. */
export interface BrokenPage {
  broken: string;
}

/** @throws RemoteFailure where it is JSON, but not what the policy says */
export function parsePage({ bytes, resource, firstPlace, reached }: PageTask): ParsedPage | BrokenPage {
  const answer = jsonOf(bytes);
  if (answer instanceof RemoteFailure) return { broken: answer.message };
  const records = recordsOf(answer, resource);
  let latest = reached;
  const lines = records.map((record, index) => {
    if (resource.cursor !== undefined) latest = laterOf(latest, record, resource.cursor);
    const place = firstPlace === undefined ? {} : { [placeColumn]: firstPlace + index };
    return `${JSON.stringify({ ...mappedRecord(record, resource), ...place })}\n`;
  });
  const next = nextIn(answer, resource);
  return { lines: Buffer.from(lines.join('')), records: records.length, reached: latest, next };
}

function jsonOf(bytes: Uint8Array) {
  try {
    return parseAnswer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    if (error instanceof RemoteFailure) return error;
    throw error;
  }
}

function nextIn(
  answer: Parameters<typeof pointedTo>[0],
  { pagination }: ReplicatedResource,
): ParsedPage['next'] {
  const { mode, next_pointer: pointer = '' } = pagination ?? {};
  if (mode !== 'next_link' && mode !== 'next_token') return null;
  const next = pointedTo(answer, pointer);
  if (next === undefined || next === null || next === '' || next === false) return null;
  if (isRawNumber(next)) return next.rawJSON;
  if (typeof next === 'string' || typeof next === 'number') return next;
  throw new RemoteFailure(
    'request',
    `What leads to the next page at ${pointer} is neither a text nor a number.`,
  );
}

export type ThreadAnswer = ParsedPage | BrokenPage | { refused: string };

/** What the threads run: failures go as they can travel. */
export function parseInThread(task: PageTask): ThreadAnswer {
  try {
    return parsePage(task);
  } catch (error) {
    if (error instanceof RemoteFailure) return { refused: error.message };
    throw error;
  }
}
