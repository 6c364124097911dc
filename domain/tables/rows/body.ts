import { randomUUID } from 'node:crypto';
import { mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type BodyReader, threadedFromBytes } from '../row-input/reading/reader.ts';
import { readSentList } from '../row-input/reading/sent-list.ts';
import type { PlannedRows } from '../row-input/reading/tasks.ts';
import type { LakeColumn } from '../tables/columns.ts';

/** The rows of one request, kept as sent until a table's columns are known. */
export interface RowsBody {
  readonly sizeBytes: number;
  /** Whether the rows should be checked before they wait for their table. */
  readonly isLarge: boolean;
  /**
   * Checks the rows against columns; repeating it with the same columns costs nothing. Throws up to 20
   * faults, each at its place.
   */
  plan(
    columns: readonly LakeColumn[],
    keys: readonly string[],
    rowIds: 'required' | 'optional',
  ): Promise<PlannedRows>;
}

export interface RowsBodies {
  /** Gives `work` the rows of a body; anything stored for them is removed when it ends. */
  use<T>(organizationId: string, bytes: Uint8Array, work: (body: RowsBody) => Promise<T>): Promise<T>;
}

export async function createRowsBodies(reader: BodyReader, workDir: string): Promise<RowsBodies> {
  const folder = join(workDir, 'rows');
  await mkdir(folder, { recursive: true });
  return {
    async use(organizationId, bytes, work) {
      const plans: { path: string; plan: Promise<PlannedRows> }[] = [];
      let last: { key: string; plan: Promise<PlannedRows> } | undefined;
      const sent = { bytes, list: 'rows', min: 1, members: [] } as const;
      const isLarge = bytes.length >= threadedFromBytes;
      const body = isLarge ? sent : readSentList(sent);
      try {
        return await work({
          sizeBytes: bytes.length,
          isLarge,
          plan(columns, keys, rowIds) {
            const key = JSON.stringify([columns, keys, rowIds]);
            if (last?.key === key) return last.plan;
            const path = join(folder, `${randomUUID()}.json`);
            const plan = reader.read(organizationId, 'rows', { body, path, columns, keys, rowIds });
            plans.push({ path, plan });
            last = { key, plan };
            return plan;
          },
        });
      } finally {
        await Promise.all(plans.map(remove));
      }
    },
  };
}

/** Most plans are in no file; one that failed may have begun to write. */
async function remove({ path, plan }: { path: string; plan: Promise<PlannedRows> }): Promise<void> {
  const isInFile = await plan.then(
    (rows) => 'path' in rows,
    () => true,
  );
  if (isInFile) await unlink(path).catch(() => undefined);
}
