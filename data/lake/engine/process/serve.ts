import { flushCompileCache } from 'node:module';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { encoderFor, keepByteOrderMarks } from '../../../../packages/row-formats/index.ts';
import { keepsTooMuch, type MemoryWatch, watchMemory } from '../../../process-pool/memory.ts';
import { toSent } from '../../sent-error.ts';
import type { SqlValue } from '../contract.ts';
import { isBrokenEngine } from '../failure.ts';
import { createLocalEngine, type LocalEngine, type OpenConnection } from '../local.ts';
import type { Call, EngineProcessSettings, FromEngineProcess, ToEngineProcess } from './messages.ts';

keepByteOrderMarks();

export interface Channel {
  send(message: FromEngineProcess): void;
  onMessage(listener: (message: ToEngineProcess) => void): void;
  onParentGone(listener: () => void): void;
}

export type Job = (
  input: never,
  context: { signal: AbortSignal; onProgress: (progress: unknown) => void },
) => Promise<unknown>;

export type LoadJobs = (
  engine: LocalEngine,
  settings: EngineProcessSettings,
) => Promise<Readonly<Record<string, Job>>>;

/** An interrupt between two steps of a statement is lost, so it is repeated until the call ends. */
const interruptIntervalMs = 50;

interface Running {
  callId: number;
  controller: AbortController;
}

export function serveEngine(channel: Channel, loadJobs: LoadJobs): void {
  let settings: EngineProcessSettings | undefined;
  let engine: Promise<LocalEngine> | undefined;
  let jobs: ReturnType<LoadJobs> | undefined;
  let session: OpenConnection | undefined;
  /** By call id, from when the call is received: an interrupt may arrive before its work begins. */
  const calls = new Map<number, AbortController>();
  let last: Promise<unknown> = Promise.resolve();

  // SIGKILL, because an ordinary exit waits for the running statement.
  channel.onParentGone(() => process.kill(process.pid, 'SIGKILL'));
  channel.onMessage((message) => {
    if (message.kind === 'configure') {
      settings = message.settings;
      engine = createLocalEngine(settings);
      engine
        .then(({ extensionsFromFiles }) => channel.send({ kind: 'ready', extensionsFromFiles }))
        .catch(endLoudly);
      // Flushed now, because the process is killed in the end, which would lose the cache for the next one.
      flushCompileCache();
    } else if (message.kind === 'interrupt') {
      calls.get(message.callId)?.abort();
    } else {
      const { callId, call } = message;
      const controller = new AbortController();
      calls.set(callId, controller);
      last = last.then(() => answer({ callId, controller }, call)).catch(endLoudly);
    }
  });

  async function answer(current: Running, call: Call): Promise<void> {
    const { callId } = current;
    const stopInterrupting = interruptOnAbort(current.controller.signal, () => session?.connection);
    const memory = watch(current);
    try {
      const value = await perform(call, current);
      memory.stop();
      const isSpent = keepsTooMuch(settings!.memoryLimitBytes);
      channel.send({ kind: 'done', callId, value, isSpent });
    } catch (error) {
      const isOver = memory.stop();
      const shown = isOver
        ? new Error('Out of Memory Error: the process needs more memory than it may use')
        : error;
      channel.send({
        kind: 'failed',
        callId,
        error: toSent(shown),
        isSpent: isOver || isBrokenEngine(error),
      });
    } finally {
      stopInterrupting();
      calls.delete(callId);
    }
  }

  function watch({ controller }: Running): MemoryWatch {
    return watchMemory(settings!.memoryLimitBytes, {
      onExceeded: () => controller.abort(),
      onHopeless: () => process.kill(process.pid, 'SIGKILL'),
    });
  }

  async function perform(call: Call, { callId, controller }: Running): Promise<unknown> {
    const local = await engine!;
    switch (call.do) {
      case 'open':
        session = await local.open(call.location);
        return undefined;
      case 'close':
        session?.close(call.isClean);
        session = undefined;
        return undefined;
      case 'perform': {
        jobs ??= loadJobs(local, settings!);
        const job = (await jobs)[call.name];
        if (job === undefined) throw new Error(`There is no job ${call.name}.`);
        return job(call.input as never, {
          signal: controller.signal,
          onProgress: (progress) => channel.send({ kind: 'progress', callId, progress }),
        });
      }
      default:
        controller.signal.throwIfAborted();
        return runStatement(session!.connection, call, settings!.maxTextsCharacters);
    }
  }
}

const usualTextsCharacters = 67_108_864;

async function runStatement(
  connection: DuckDBConnection,
  { do: kind, sql, values: given }: Extract<Call, { sql: string }>,
  maxTextsCharacters: number | undefined,
): Promise<unknown> {
  // With values the statement is prepared, and DuckLake's procedures cannot run in a prepared statement.
  const values = given.length === 0 ? undefined : [...given];
  if (kind === 'run') return (await connection.run(sql, values)).rowsChanged;
  if (kind === 'readTexts') return readTexts(connection, sql, values, maxTextsCharacters);
  const reader = await connection.runAndReadAll(sql, values);
  const rows = reader.getRows().map((row) => row.map(toSqlValue));
  return { names: reader.columnNames(), rows };
}

/**
 * Encodes no further than the limit. The result is complete before: the engine keeps it in its own bounded
 * memory, and one that is streamed could end early without an error.
 */
async function readTexts(
  connection: DuckDBConnection,
  sql: string,
  values: SqlValue[] | undefined,
  maxCharacters = usualTextsCharacters,
): Promise<{ first: SqlValue; text: string }[]> {
  const result = await connection.run(sql, values);
  const names = result.columnNames().map((name) => JSON.stringify(name));
  const encoders = result.columnTypes().map((type) => encoderFor(type, 'name'));
  const texts: { first: SqlValue; text: string }[] = [];
  let characters = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return texts;
    const vectors = encoders.map((_, index) => chunk.getColumnVector(index));
    for (let row = 0; row < chunk.rowCount; row += 1) {
      const cells = vectors.slice(1).map((vector, index) => {
        const value = vector.getItem(row);
        const text = value === null ? 'null' : encoders[index + 1]!(value);
        return `${names[index + 1]}:${text}`;
      });
      const text = `{${cells.join(',')}}`;
      characters += text.length;
      if (characters > maxCharacters) throw new Error('Out of Memory Error: the rows are too large');
      texts.push({ first: toSqlValue(vectors[0]!.getItem(row)), text });
    }
  }
}

function toSqlValue(value: DuckDBValue): SqlValue {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? String(value) : value;
}

/** Once `signal` aborts, interrupts the running statement until the returned function is called. */
function interruptOnAbort(signal: AbortSignal, connection: () => DuckDBConnection | undefined): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection()?.interrupt();
    timer ??= setInterval(interrupt, interruptIntervalMs);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  return () => {
    clearInterval(timer);
    signal.removeEventListener('abort', interrupt);
  };
}

/** If the engine cannot open, the process cannot serve anything; the parent sees the exit and the reason. */
function endLoudly(error: unknown): void {
  process.stderr.write(`engine process: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
