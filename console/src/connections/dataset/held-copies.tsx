import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asLongAs } from '../../parts/polling.ts';
import { Unfetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { Held, type Snapshot } from './held.tsx';

const idleMs = 15_000;
const runningMs = 2_000;
/** Of those that ran last; an older one is among the copies of its dataset. */
const limit = 200;

const isHeld = ({ status }: Snapshot): boolean => status === 'awaiting_confirmation';

/** Copies of a connection that wait for a decision, whatever began them. */
export function HeldCopies({ connectionId }: { connectionId: string }) {
  const [decided, setDecided] = useState<readonly string[]>([]);
  // What was decided is under way, even while it is still listed as held.
  const isUnderWay = (run: Snapshot) => run.finishedAt === null && (!isHeld(run) || decided.includes(run.id));
  const asked = useQuery({
    queryKey: ['snapshots of', connectionId],
    queryFn: async () =>
      (
        await workspace.get('/v1/connections/data/{connection_id}/snapshots', {
          params: { path: { connection_id: connectionId }, query: { limit } },
        })
      ).items,
    refetchInterval: (query) =>
      asLongAs<Snapshot[]>(() => true, query.state.data?.some(isUnderWay) ? runningMs : idleMs)(query),
  });
  const shown = (asked.data ?? []).filter((run) => isHeld(run) || decided.includes(run.id));
  // Shows nothing until one is known, but shows a failure to find out.
  if (asked.data === undefined && asked.error !== null) return <Unfetched asked={asked} />;
  if (shown.length === 0) return null;
  return (
    <section aria-label={texts.connections.held.title} className="asks part">
      {shown.map((run) => (
        <div key={run.id}>
          <h2>{texts.connections.held.of(run.snapshotTableName)}</h2>
          <Held run={run} onDecided={() => setDecided((before) => [...before, run.id])} />
        </div>
      ))}
    </section>
  );
}
