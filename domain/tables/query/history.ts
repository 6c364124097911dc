import { setTimeout as delay } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import { actingAsService } from '../../../data/postgres/acting.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';

export type QueryRecord = Insertable<DB['query_executions']>;

/** Writes records of statements in groups, beside their answers. */
export interface QueryHistory {
  /** Takes a record. Resolves at once, unless many of the organization are still waiting. */
  add(record: QueryRecord): Promise<void>;
  /** Resolves when all records of the organization that were taken before are written. */
  written(organizationId: string): Promise<void>;
  /** Writes what is left. */
  close(): Promise<void>;
}

interface HistoryLogger {
  error(fields: object, message: string): void;
}

/** A process that is killed loses what was taken since the last write. */
const intervalMs = 100;
const mostAtOnce = 200;
/** Of one organization: whoever adds more waits for the database. */
const mostWaiting = 1_000;
/** A database that restarts is back by then. */
const attempts = 7;
const longestPauseMs = 5_000;

/** @param waits Whether a record is written before the answer is given, as where nobody waits for it */
export function createQueryHistory(db: Database, logger: HistoryLogger, waits = false): QueryHistory {
  const waiting = new Map<string, QueryRecord[]>();
  const writing = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  /** After what is being written already. */
  function write(organizationId: string): Promise<void> {
    const written = (writing.get(organizationId) ?? Promise.resolve()).then(async () => {
      const records = waiting.get(organizationId) ?? [];
      waiting.delete(organizationId);
      for (let at = 0; at < records.length; at += mostAtOnce)
        await actingAsService(() => insert(organizationId, records.slice(at, at + mostAtOnce)));
      if (writing.get(organizationId) === written) writing.delete(organizationId);
    });
    writing.set(organizationId, written);
    return written;
  }

  async function insert(organizationId: string, records: QueryRecord[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // Only a crash of the database itself may lose the latest records.
        return await inOrganization(
          db,
          organizationId,
          async (transaction) => {
            const ifNew = transaction.insertInto('query_executions').values(records);
            await ifNew.onConflict((conflict) => conflict.doNothing()).execute();
          },
          { synchronous_commit: 'off' },
        );
      } catch (error) {
        if (attempt < attempts) {
          await delay(Math.min(longestPauseMs, 100 * 2 ** attempt));
          continue;
        }
        logger.error(
          { err: error, organizationId, records: records.length },
          'records of statements could not be written',
        );
        return;
      }
    }
  }

  const writeAll = () => Promise.all([...waiting.keys()].map(write));

  return {
    async add(record) {
      const { organization_id: organizationId } = record;
      const list = waiting.get(organizationId) ?? [];
      waiting.set(organizationId, list);
      list.push({ created_at: new Date(), ...record });
      timer ??= setTimeout(() => {
        timer = undefined;
        void writeAll();
      }, intervalMs);
      if (waits || list.length >= mostWaiting) await write(organizationId);
    },
    written: write,
    async close() {
      clearTimeout(timer);
      await writeAll();
    },
  };
}
