import { randomUUID } from 'node:crypto';
import { mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type BodyReader, threadedFromBytes } from '../records/reading/reader.ts';
import { readSentList } from '../records/reading/sent-list.ts';
import type { PlannedRows } from '../records/reading/tasks.ts';
import type { LakeColumn } from '../tables/columns.ts';

/** The rows of one request, as they were sent until a table's columns are known. */
export interface RowsBody {
  readonly sizeBytes: number;
  /** Whether it is worth checking the rows before they wait for their table. */
  readonly isLarge: boolean;
  /**
   * Checks the rows against columns; the same ones again cost nothing. Throws every fault at its place, to
   * 20.
   */
  plan(
    columns: readonly LakeColumn[],
    keys: readonly string[],
    rowIds: 'required' | 'optional',
  ): Promise<PlannedRows>;
}

export interface RowsBodies {
  /** Gives `work` the rows of a body; whatever was kept of them goes when it ends. */
  use<T>(organizationId: string, bytes: Uint8Array, work: (body: RowsBody) => Promise<T>): Promise<T>;
}

export async function createRowsBodies(reader: BodyReader, workDir: string): Promise<RowsBodies> {
  const folder = join(workDir, 'rows');
  await mkdir(folder, { recursive: true });
  return {
    async use(organizationId, bytes, work) {
      const files: string[] = [];
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
            files.push(path);
            const plan = reader.read(organizationId, 'rows', { body, path, columns, keys, rowIds });
            last = { key, plan };
            return plan;
          },
        });
      } finally {
        await Promise.all(files.map((path) => unlink(path).catch(() => undefined)));
      }
    },
  };
}
