import { derivedId } from '../../../../../data/ids.ts';
import { type NodeCall, seedOf } from '../node-work.ts';

/** The id of the snapshot or run that a node starts, one per attempt. It may never have been started. */
export const childRunId = (call: Pick<NodeCall, 'run' | 'node' | 'state'>): string =>
  derivedId(
    call.node.type === 'snapshot' ? 'snp' : 'run',
    call.run.created_at.getTime(),
    seedOf(call as NodeCall),
  );
