import { type Acting, acting, actingAs } from '../../../data/postgres/acting.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type NewAuditEvent, recordEvents } from './events.ts';
import type { Recorder } from './recorder.ts';

/** An event of something done, without what the work itself adds. */
export type DoneEvent = Omit<NewAuditEvent, 'processId' | 'outcome'>;

/**
 * Does work that no signed-in caller asked for, and records it in the first of its transactions that changes
 * something. Work that was recorded and then failed gets a second event, `refused`. `eventOf` is asked in
 * each transaction, with what it returns; without an event, nothing is recorded.
 */
export async function recordedWork<T>(
  record: Recorder,
  eventOf: (db: OrganizationTransaction, result: unknown) => Promise<DoneEvent | undefined>,
  work: () => Promise<T>,
): Promise<T> {
  let processId: string | null = null;
  let recorded: NewAuditEvent | undefined;
  const { principalId } = acting();
  const described: Acting = {
    principalId,
    processStarted: (id) => {
      processId ??= id;
    },
    beforeCommit: async (db, result) => {
      if (recorded !== undefined) return undefined;
      const known = await eventOf(db, result);
      if (known === undefined) return undefined;
      const event: NewAuditEvent = { ...known, processId, outcome: 'done' };
      const count = await recordEvents(db, event.organizationId, [event], { onlyIfWritten: true });
      return () => {
        if (count > 0) recorded = event;
      };
    },
  };
  try {
    return await actingAs(described, work);
  } catch (error) {
    if (recorded !== undefined) await record({ ...recorded, outcome: 'refused' });
    throw error;
  }
}
