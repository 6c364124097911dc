import { isRawNumber } from '../../../../data/exact-json.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { placeColumn, type ReplicatedResource } from '../../data-connections/replication-policy.ts';
import { laterOf, type Reached } from '../../data-connections/sources/http-cursor.ts';
import { showsMore } from '../../data-connections/sources/http-more.ts';
import {
  mappedRecord,
  parseAnswer,
  pointedTo,
  recordsOf,
} from '../../data-connections/sources/http-records.ts';
import { refuseEchoed } from './echoed.ts';

/** An answer, and how to parse it. */
export interface PageTask {
  bytes: Uint8Array;
  resource: ReplicatedResource;
  /**
   * Position of the first record; undefined if records need none. Positions determine the last record of each
   * key.
   */
  firstPlace: number | undefined;
  reached: Reached | null;
  /** Whether a page before it had a list of records. */
  isLater: boolean;
  /** The answer's `Link` header. */
  link: string | null;
  /** What the connection sends to be let in; an answer that echoes it is refused. */
  secrets: readonly string[];
}

export interface ParsedPage {
  /** The records as newline-delimited JSON, with fields renamed to their columns. */
  lines: Uint8Array;
  records: number;
  /** The later of `task.reached` and these records. */
  reached: Reached | null;
  /** Link or token of the next page, for the pagination modes that have one. */
  next: string | number | null;
  /** Whether the answer shows another page, which the policy does not read. */
  showsMore: boolean;
}

/** Invalid JSON, possibly truncated in transit. */
export interface BrokenPage {
  broken: string;
}

/** @throws RemoteFailure if the answer is JSON, but does not match the policy */
export function parsePage({
  bytes,
  resource,
  firstPlace,
  reached,
  isLater,
  link,
  secrets,
}: PageTask): ParsedPage | BrokenPage {
  const answer = jsonOf(bytes);
  if (answer instanceof RemoteFailure) return { broken: answer.message };
  const records = recordsOf(answer, resource, { isLater });
  let latest = reached;
  const mapped = records.map((record) => mappedRecord(record, resource));
  refuseEchoed(mapped, bytes, secrets);
  const lines = records.map((record, index) => {
    if (resource.cursor !== undefined) latest = laterOf(latest, record, resource.cursor);
    const place = firstPlace === undefined ? {} : { [placeColumn]: firstPlace + index };
    return `${JSON.stringify({ ...mapped[index], ...place })}\n`;
  });
  const next = nextIn(answer, resource);
  const isWhole = (resource.pagination?.mode ?? 'none') === 'none';
  return {
    ...{ lines: Buffer.from(lines.join('')), records: records.length, reached: latest, next },
    showsMore: isWhole && showsMore(answer, link),
  };
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
    `The value at ${pointer}, which should lead to the next page, is neither a text nor a number.`,
  );
}

export type ThreadAnswer = ParsedPage | BrokenPage | { refused: string };

/** Entry point of the threads: failures are returned in a form that can be transferred. */
export function parseInThread(task: PageTask): ThreadAnswer {
  try {
    return parsePage(task);
  } catch (error) {
    if (error instanceof RemoteFailure) return { refused: error.message };
    throw error;
  }
}
