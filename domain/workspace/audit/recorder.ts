import { actingAsService } from '../../../data/postgres/acting.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { type NewAuditEvent, recordEvents } from './events.ts';

/** Records an event in a transaction of its own; resolves when it is durable. */
export type Recorder = (event: NewAuditEvent) => Promise<void>;

interface Waiting {
  event: NewAuditEvent;
  resolve(): void;
  reject(error: unknown): void;
}

const mostAtOnce = 500;

/**
 * Events of one organization that come while one commit is under way share the next, so that a thousand
 * appends a second do not become a thousand commits more.
 */
export function createRecorder(db: Database): Recorder {
  const queues = new Map<string, Waiting[]>();

  async function drain(organizationId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const group = queue.splice(0, mostAtOnce);
      const events = group.map(({ event }) => event);
      await inOrganization(db, organizationId, (transaction) =>
        recordEvents(transaction, organizationId, events),
      ).then(
        () => {
          for (const { resolve } of group) resolve();
        },
        (error: unknown) => {
          for (const { reject } of group) reject(error);
        },
      );
    }
    queues.delete(organizationId);
  }

  return (event) =>
    new Promise((resolve, reject) => {
      const { organizationId } = event;
      const waiting = { event, resolve, reject };
      const queue = queues.get(organizationId);
      if (queue !== undefined) queue.push(waiting);
      else {
        const started = [waiting];
        queues.set(organizationId, started);
        void actingAsService(() => drain(organizationId, started));
      }
    });
}
