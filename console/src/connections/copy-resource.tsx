import { Action } from '../parts/action.tsx';
import { useProjectId } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { CopyNow } from './copy-now.tsx';

const told = texts.connections.resources;

interface CopyResourceProps {
  connectionId: string;
  resource: string;
  name: string;
  /** Of the dataset that copies it already. */
  datasetId: string | undefined;
}

/** Makes a dataset of a resource; where there is one, has it copied. */
export function CopyResource({ connectionId, resource, name, datasetId }: CopyResourceProps) {
  const projectId = useProjectId();
  if (datasetId !== undefined)
    return (
      <span className="buttons">
        <span role="status">{told.isThere}</span> <CopyNow isPlain {...{ connectionId, datasetId }} />
      </span>
    );
  return (
    <Action
      isPlain
      changes={[['datasets', connectionId]]}
      does={() =>
        workspace.post('/v1/connections/data/{connection_id}/datasets', {
          params: { path: { connection_id: connectionId } },
          body: { resource, name, snapshot_enabled: true, project_id: projectId ?? null },
        })
      }
    >
      {told.copy}
    </Action>
  );
}
