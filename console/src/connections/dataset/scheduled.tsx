import { Action } from '../../parts/action.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { scheduleInWords } from './in-words.ts';
import type { Dataset } from './settings.ts';

const labels = texts.connections.dataset;
const path = '/v1/connections/data/{connection_id}/datasets/{dataset_id}';

/** When a dataset is copied by itself, which can be paused. */
export function Scheduled({ dataset }: { dataset: Dataset }) {
  const { id, connectionId, scheduleStatus } = dataset;
  const params = { path: { connection_id: connectionId, dataset_id: id } };
  const changes = [['datasets', connectionId]];
  return (
    <>
      {scheduleInWords(dataset)}{' '}
      {scheduleStatus === 'active' && (
        <Action changes={changes} does={() => workspace.post(`${path}/pause`, { params })}>
          {labels.pause}
        </Action>
      )}
      {scheduleStatus === 'paused' && (
        <Action changes={changes} does={() => workspace.post(`${path}/resume`, { params })}>
          {labels.resume}
        </Action>
      )}
    </>
  );
}
