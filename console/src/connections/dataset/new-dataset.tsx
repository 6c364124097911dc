import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useProjectId } from '../../project/current.ts';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { DatasetForm } from './dataset-form.tsx';
import { type ConnectionKind, newSettings, type Resource } from './settings.ts';

const labels = texts.connections.dataset;

interface NewDatasetProps {
  connectionId: string;
  type: ConnectionKind;
  resource: Resource;
  onEnd: () => void;
}

/** Makes a dataset of a resource, copied as one chooses. */
export function NewDataset({ connectionId, type, resource, onEnd }: NewDatasetProps) {
  const queries = useQueryClient();
  const projectId = useProjectId();
  return (
    <DatasetForm
      type={type}
      columns={resource.columns}
      label={labels.how(resource.resource)}
      initial={() => newSettings(resource, type, projectId)}
      submit={labels.create}
      saved={labels.saved}
      save={(body) =>
        workspace.post('/v1/connections/data/{connection_id}/datasets', {
          params: { path: { connection_id: connectionId } },
          body: { resource: resource.resource, ...body },
        })
      }
      onSaved={async () => {
        await queries.invalidateQueries({ queryKey: ['datasets', connectionId] });
        onEnd();
      }}
    >
      <Button onClick={onEnd}>{texts.parts.cancel}</Button>
    </DatasetForm>
  );
}
