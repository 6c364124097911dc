import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { BadFileError } from '../bad-file.ts';

const interruptEveryMs = 50;

/**
 * Runs statements that the signal can interrupt. The interrupt is repeated until the statement ends, because
 * one sent before the engine starts the statement is lost.
 */
export async function interruptible<T>(
  connection: DuckDBConnection,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection.interrupt();
    timer ??= setInterval(interrupt, interruptEveryMs);
  };
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', interrupt);
  }
}

export async function run(connection: DuckDBConnection, sql: string, signal?: AbortSignal): Promise<void> {
  await interruptible(connection, signal, () => connection.run(sql));
}

export async function runRows(
  connection: DuckDBConnection,
  sql: string,
  signal?: AbortSignal,
): Promise<DuckDBValue[][]> {
  return interruptible(connection, signal, async () => (await connection.runAndReadAll(sql)).getRows());
}

/** Whether an engine error is caused by the file's data or by its memory needs; undefined if by neither. */
export function blame(error: unknown): 'data' | 'memory' | undefined {
  if (!(error instanceof Error)) return undefined;
  if (/^(Invalid Input|Conversion|Invalid|Out of Range) Error/.test(error.message)) return 'data';
  // The reader's error for a record longer than its buffers.
  if (/Parallel CSV Reader/.test(error.message)) return 'data';
  if (error.message.startsWith('Out of Memory Error')) return 'memory';
  return undefined;
}

/**
 * The error, or a BadFileError if the engine cannot process the file within its memory, so that a retry would
 * not help.
 */
export function orTooLarge(error: unknown): unknown {
  if (blame(error) !== 'memory') return error;
  const tooLarge = new BadFileError('too_large', 'The file needs more memory than an import may use');
  tooLarge.cause = error;
  return tooLarge;
}
