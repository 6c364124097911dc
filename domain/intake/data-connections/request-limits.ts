import type { ReplicationLimits } from './replication-policy.ts';

/** Recent usage of a source. Times are in milliseconds, on one clock for all workers. */
declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    source_requests: {
      usage: Document<RequestUsage>;
    };
  }
}

export interface RequestUsage {
  second: Count[];
  minute: Count[];
  day: Count[];
  /** In bytes. */
  hour: Count[];
  /** Running requests, each with the time at which its lease expires. */
  leases: [id: string, until: number][];
  /** The source asked for no requests before this time. */
  blockedUntil: number;
}

/** An amount, and the start of its bucket. */
type Count = [from: number, amount: number];

interface Window {
  name: 'second' | 'minute' | 'day' | 'hour';
  spanMs: number;
  bucketMs: number;
  limit: keyof ReplicationLimits;
}

const requestWindows: readonly Window[] = [
  { name: 'second', spanMs: 1_000, bucketMs: 25, limit: 'requests_per_second' },
  { name: 'minute', spanMs: 60_000, bucketMs: 1_000, limit: 'requests_per_minute' },
  { name: 'day', spanMs: 86_400_000, bucketMs: 900_000, limit: 'requests_per_day' },
];
const bytesWindow: Window = {
  name: 'hour',
  spanMs: 3_600_000,
  bucketMs: 60_000,
  limit: 'response_bytes_per_hour',
};

/** Maximum delay between granting and sending a request that still keeps to the limits. */
const slackMs = 50;
/** Polling interval while waiting for a running request to end. */
const concurrencyWaitMs = 100;
/** Longest block that a source may ask for. */
export const maxBlockedMs = 86_400_000;

export const noUsage: RequestUsage = {
  second: [],
  minute: [],
  day: [],
  hour: [],
  leases: [],
  blockedUntil: 0,
};

/** What delays a request: the limits of the policy, or the source, which asked for a pause. */
export type WaitsFor = 'limits' | 'source';

export interface LimitedFor {
  waitMs: number;
  waitsFor: WaitsFor;
}

export type Taken = { usage: RequestUsage; maxBytes: number } | LimitedFor;

/**
 * Grants one more request if every limit allows it, or returns how long to wait. Limits apply to sliding
 * windows, not calendar periods. The bytes that the request may read are counted in advance.
 */
export function takeRequest(
  before: RequestUsage,
  limits: ReplicationLimits,
  request: { id: string; now: number; leaseMs: number; maxBytes: number; minBytes: number },
): Taken {
  const { now } = request;
  const usage = prune(before, now);
  const { max_concurrency: maxConcurrency, response_bytes_per_hour: bytesPerHour } = limits;
  const isFull = maxConcurrency !== undefined && usage.leases.length >= maxConcurrency;
  const blockedMs = usage.blockedUntil - now;
  const waits = [
    blockedMs,
    isFull ? concurrencyWaitMs : 0,
    ...requestWindows.map((window) => waitOf(usage, window, limits, 1, now)),
    waitOf(usage, bytesWindow, limits, Math.min(request.minBytes, bytesPerHour ?? 0), now),
  ];
  const waitMs = Math.max(...waits);
  if (waitMs > 0) return { waitMs, waitsFor: waitMs === blockedMs ? 'source' : 'limits' };
  const left = bytesPerHour === undefined ? Number.POSITIVE_INFINITY : bytesPerHour - sumOf(usage.hour);
  const maxBytes = Math.min(request.maxBytes, left);
  for (const window of requestWindows) if (limits[window.limit] !== undefined) add(usage, window, 1, now);
  if (bytesPerHour !== undefined) add(usage, bytesWindow, maxBytes, now);
  usage.leases.push([request.id, now + request.leaseMs]);
  return { usage, maxBytes };
}

/** Extends a running request's lease; a lease that has ended is not restored. */
export function renewRequest(
  before: RequestUsage,
  { id, now, leaseMs }: { id: string; now: number; leaseMs: number },
): RequestUsage {
  const usage = prune(before, now);
  const leases = usage.leases.map(([lease, until]): [string, number] => [
    lease,
    lease === id ? now + leaseMs : until,
  ]);
  return { ...usage, leases };
}

/** Returns the bytes that a request did not read, and blocks the source if it asked for that. */
export function releasePermit(
  before: RequestUsage,
  request: { id: string; now: number; takenAt: number; unusedBytes: number; blockedForMs: number },
): RequestUsage {
  const { id, now, takenAt, unusedBytes, blockedForMs } = request;
  const usage = prune(before, now);
  const from = bucketOf(bytesWindow, takenAt);
  const blockedUntil = blockedForMs > 0 ? now + Math.min(blockedForMs, maxBlockedMs) : 0;
  return {
    ...usage,
    hour: usage.hour.map(([at, amount]) => [at, at === from ? Math.max(0, amount - unusedBytes) : amount]),
    leases: usage.leases.filter(([lease]) => lease !== id),
    blockedUntil: Math.max(usage.blockedUntil, blockedUntil),
  };
}

function prune(usage: RequestUsage, now: number): RequestUsage {
  const kept = (window: Window): Count[] =>
    usage[window.name]
      .filter(([from]) => from <= now && endOf(window, from) > now)
      .map(([...count]) => count);
  const [second, minute, day] = requestWindows.map(kept);
  return {
    second: second!,
    minute: minute!,
    day: day!,
    hour: kept(bytesWindow),
    leases: usage.leases.filter(([, until]) => until > now),
    blockedUntil: Math.min(usage.blockedUntil, now + maxBlockedMs),
  };
}

/** Time until `amount` more is allowed, that is, until enough usage has left the window. */
function waitOf(
  usage: RequestUsage,
  window: Window,
  limits: ReplicationLimits,
  amount: number,
  now: number,
): number {
  const limit = limits[window.limit];
  if (limit === undefined) return 0;
  const counts = usage[window.name];
  let used = sumOf(counts);
  if (used + amount <= limit) return 0;
  for (const [from, count] of counts) {
    used -= count;
    if (used + amount <= limit) return endOf(window, from) - now;
  }
  return window.bucketMs;
}

function add(usage: RequestUsage, window: Window, amount: number, now: number): void {
  const counts = usage[window.name];
  const from = bucketOf(window, now);
  const last = counts.at(-1);
  if (last?.[0] === from) last[1] += amount;
  else counts.push([from, amount]);
}

const bucketOf = ({ bucketMs }: Window, now: number): number => Math.floor(now / bucketMs) * bucketMs;

/** Usage counts for the whole window from the end of its bucket. */
const endOf = ({ bucketMs, spanMs }: Window, from: number): number => from + bucketMs + spanMs + slackMs;

const sumOf = (counts: readonly Count[]): number => counts.reduce((sum, [, amount]) => sum + amount, 0);
