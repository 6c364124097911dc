/**
 * One turn of a conversation on LangGraph's local server without the model's own time: its model answers at
 * once with a tool call, and after the tool's constant result with five chunks of text.
 *
 *   node bench/peers/langgraph_turn.ts [sequential turns] [concurrent conversations] [jobs]
 *
 * Needs Python 3.11 or newer (`PYTHON` names an executable other than python3) and, the first time, a package
 * index. `jobs` is the number of runs the server works on concurrently; without it, its own default of 1. The
 * idle in-memory server polls for new runs every half second and takes one at the second poll: "after its
 * first event" gives the figures without that wait. Five warm-up turns are not counted.
 */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createHttpClient, quantile } from '../workspace.ts';
import { type LangGraphOptions, type LangGraphServer, startLangGraph } from './langgraph_server.ts';
import { runTurn, type Turn, wholeText } from './langgraph_stream.ts';
import { watchRss } from './process_tree.ts';

export interface TurnTimes {
  acceptedMs: number[];
  startedMs: number[];
  firstTextMs: number[];
  wholeTurnMs: number[];
}

export interface LoadResult extends TurnTimes {
  /** Accepted, but the answer is not in the thread after all streams have ended. */
  lost: number;
  /** Refused, failed, or ended before the whole text. */
  errors: number;
  elapsedMs: number;
  peakRssMib: number;
}

const warmUpTurns = 5;
const json = { 'content-type': 'application/json' };

/** `turns` in total, each in a new thread, `conversations` of them concurrently; sequential by default. */
export async function langGraphTurns({
  turns,
  conversations = 1,
  ...options
}: { turns: number; conversations?: number } & LangGraphOptions): Promise<TurnTimes> {
  return withServer(options, async ({ url }) => {
    const threads = await createThreads(url, turns);
    const done: Turn[] = [];
    const converse = async () => {
      for (let thread = threads.pop(); thread !== undefined; thread = threads.pop())
        done.push(await runTurn(url, thread));
    };
    await Promise.all(Array.from({ length: conversations }, converse));
    return timesOf(done);
  });
}

/**
 * One turn in each of that many threads, started at an even pace regardless of whether earlier ones have
 * ended.
 */
export async function langGraphLoad({
  conversations,
  withinMs = 30_000,
  ...options
}: { conversations: number; withinMs?: number } & LangGraphOptions): Promise<LoadResult> {
  return withServer(options, async ({ url, pid }) => {
    const threads = await createThreads(url, conversations);
    const rss = watchRss(pid);
    const accepted: { thread: string; ms: number }[] = [];
    const startedAt = performance.now();
    const ended = await Promise.allSettled(
      threads.map(async (thread, index) => {
        await delay(Math.max(0, startedAt + (index * withinMs) / conversations - performance.now()));
        return runTurn(url, thread, (ms) => accepted.push({ thread, ms }));
      }),
    );
    const elapsedMs = performance.now() - startedAt;
    const peakRssMib = rss.stop();
    const failures = ended.filter((turn) => turn.status === 'rejected');
    for (const message of new Set(failures.map(({ reason }) => String(reason)))) console.error(message);
    let lost = 0;
    for (const { thread } of accepted) if (!(await holdsAnswer(url, thread))) lost += 1;
    const times = timesOf(ended.filter((turn) => turn.status === 'fulfilled').map(({ value }) => value));
    return {
      ...times,
      acceptedMs: accepted.map(({ ms }) => ms),
      lost,
      errors: failures.length,
      elapsedMs,
      peakRssMib,
    };
  });
}

/** A new server, warmed up: the first runs import and compile. */
async function withServer<T>(
  options: LangGraphOptions,
  use: (server: LangGraphServer) => Promise<T>,
): Promise<T> {
  const server = await startLangGraph(options);
  try {
    for (const thread of await createThreads(server.url, warmUpTurns)) await runTurn(server.url, thread);
    return await use(server);
  } finally {
    await server.close();
  }
}

async function createThreads(url: string, count: number): Promise<string[]> {
  const send = createHttpClient(url, 1);
  const threads: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { status, text } = await send('POST', '/threads', json, '{}');
    if (status !== 200) throw new Error(`A thread was answered with ${status}: ${text}`);
    threads.push((JSON.parse(text) as { thread_id: string }).thread_id);
  }
  return threads;
}

async function holdsAnswer(url: string, thread: string): Promise<boolean> {
  const answer = await fetch(`${url}/threads/${thread}/state`).catch(() => undefined);
  if (!answer?.ok) return false;
  const { values } = (await answer.json()) as { values?: { messages?: { content: string }[] } };
  return values?.messages?.at(-1)?.content === wholeText;
}

const timesOf = (turns: readonly Turn[]): TurnTimes => ({
  acceptedMs: turns.map((turn) => turn.acceptedMs),
  startedMs: turns.map((turn) => turn.startedMs),
  firstTextMs: turns.map((turn) => turn.firstTextMs),
  wholeTurnMs: turns.map((turn) => turn.wholeTurnMs),
});

function rowsOf({ acceptedMs, startedMs, firstTextMs, wholeTurnMs }: TurnTimes) {
  const fromStart = (values: readonly number[]) => values.map((ms, index) => ms - startedMs[index]!);
  const rows = {
    accepted: acceptedMs,
    'first event': startedMs,
    'first text': firstTextMs,
    'whole turn': wholeTurnMs,
    'first text, after its first event': fromStart(firstTextMs),
    'whole turn, after its first event': fromStart(wholeTurnMs),
  };
  const round = (ms: number) => Math.round(ms * 10) / 10;
  return Object.fromEntries(
    Object.entries(rows).map(([name, values]) => [
      name,
      { 'p50 ms': round(quantile(values, 0.5)), 'p99 ms': round(quantile(values, 0.99)) },
    ]),
  );
}

async function main(): Promise<void> {
  // A signal ends the process by an exit, which also ends the server.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const [turns = 50, conversations = 500, jobs] = process.argv.slice(2).map(Number);
  const options = jobs === undefined ? {} : { jobs };
  const load = () => `load ${loadavg()[0]!.toFixed(1)}`;
  console.log(`${turns} turns one at a time, ${load()}`);
  console.table(rowsOf(await langGraphTurns({ turns, ...options })));
  console.log(`${conversations} conversations within 30 s, a turn each, ${load()}`);
  const result = await langGraphLoad({ conversations, ...options });
  console.table(rowsOf(result));
  console.log(
    `lost ${result.lost}, errors ${result.errors}, all ended after ${(result.elapsedMs / 1_000).toFixed(1)} s, peak ${result.peakRssMib} MiB, ${load()}`,
  );
}

if (import.meta.main) await main();
