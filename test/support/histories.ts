import { writeFileSync } from 'node:fs';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';

const { History } = proto.temporal.api.history.v1;

/**
 * `RECORD_HISTORIES=1` stores the history of a run for the replay test, without the stack traces of its
 * failures: they contain local paths, and replay ignores them.
 */
export async function keepHistory(handle: Pick<WorkflowHandle, 'fetchHistory'>, name: string): Promise<void> {
  if (process.env['RECORD_HISTORIES'] === undefined) return;
  const history = await handle.fetchHistory();
  const file = new URL(`../workflows/histories/${name}.binpb`, import.meta.url);
  writeFileSync(file, History.encode(withoutStackTraces(history)).finish());
}

function withoutStackTraces<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  for (const [key, member] of Object.entries(value)) {
    if (key === 'stackTrace' && typeof member === 'string') (value as Record<string, unknown>)[key] = '';
    else withoutStackTraces(member);
  }
  return value;
}
