import type { LakeDeps } from './commit.ts';
import type { EngineConnection } from './engine/contract.ts';
import type { Lake } from './provision.ts';

/** Runs one of DuckLake's procedures; it is a commit of its own where it changes anything. */
export async function callProcedure<T>(
  deps: LakeDeps,
  lake: Lake,
  procedure: string,
  connection?: EngineConnection,
): Promise<T[]> {
  const call = (on: EngineConnection) => on.read(`CALL ${procedure}`);
  const { names, rows } = await (connection === undefined
    ? deps.engine.use(lake.writer, call)
    : call(connection));
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])) as T);
}
