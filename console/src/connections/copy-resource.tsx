import { Button, Group } from '@mantine/core';
import { Action } from '../parts/action.tsx';
import { useProjectId } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { CopyNow } from './copy-now.tsx';
import type { Resource } from './dataset/settings.ts';

const labels = texts.connections.resources;

interface CopyResourceProps {
  connectionId: string;
  resource: Resource;
  /** Of the dataset that copies it already. */
  datasetId: string | undefined;
  /** Of this or another resource. */
  isChoosing: boolean;
  onChoose: () => void;
}

/** Makes a dataset of a resource, at once or as one chooses; where there is one, has it copied. */
export function CopyResource({ connectionId, resource, datasetId, isChoosing, onChoose }: CopyResourceProps) {
  const projectId = useProjectId();
  if (datasetId !== undefined)
    return (
      <Group>
        <span role="status">{labels.isThere}</span> <CopyNow {...{ connectionId, datasetId }} />
      </Group>
    );
  const { resource: source, name } = resource;
  return (
    <Group>
      <Action
        changes={[['datasets', connectionId]]}
        does={() =>
          workspace.post('/v1/connections/data/{connection_id}/datasets', {
            params: { path: { connection_id: connectionId } },
            body: { resource: source, name, snapshot_enabled: true, project_id: projectId ?? null },
          })
        }
      >
        {labels.copy}
      </Action>
      <Button disabled={isChoosing} onClick={onChoose}>
        {labels.choose}
      </Button>
    </Group>
  );
}
