import { derivedId } from '../../../../../data/ids.ts';
import { type NodeCall, seedOf } from '../node-work.ts';

/**
 * What a node starts and waits for, once for each try of it: a snapshot, or a run. It may never have been
 * started.
 */
export const childRunId = (call: Pick<NodeCall, 'run' | 'node' | 'state'>): string =>
  derivedId(
    call.node.type === 'snapshot' ? 'snp' : 'run',
    call.run.created_at.getTime(),
    seedOf(call as NodeCall),
  );
