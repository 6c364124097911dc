import { Group } from '@mantine/core';
import weather from '@observablehq/sample-datasets/weather.csv?url';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { uploadFile, WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { projectsQuery, useProjectId } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { beginImport } from './begun.ts';
import { uploadPathOf } from './name.ts';

/** The sample that comes with the console becomes a table, in a first project where there is none. */
export function SampleData() {
  const current = useProjectId();
  const queries = useQueryClient();
  const navigate = useNavigate();

  async function firstProject(): Promise<string> {
    const [newest] = await queries.ensureQueryData(projectsQuery);
    if (newest !== undefined) return newest.id;
    const made = await workspace.post('/v1/projects', { body: { name: texts.project.first } });
    await queries.invalidateQueries({ queryKey: projectsQuery.queryKey });
    return made.data.id;
  }

  async function bringIn(): Promise<void> {
    const response = await fetch(weather);
    if (!response.ok) throw new Error(response.statusText);
    const content = new File([await response.blob()], 'weather.csv', { type: 'text/csv' });
    const projectId = current ?? (await firstProject());
    const file = await uploadFile(workspace, { projectId, path: uploadPathOf(content), content });
    const begun = await workspace
      .post('/v1/projects/{project_id}/files/{file_id}/imports', {
        params: { path: { project_id: projectId, file_id: file.id } },
        body: { table_name: 'weather' },
      })
      .catch((error: unknown) => {
        // Whoever has such a table already may give it another name.
        if (error instanceof WorkspaceError && error.code === 'name_taken') return undefined;
        throw error;
      });
    if (begun !== undefined) beginImport({ importId: begun.data.id, projectId });
    await navigate({
      to: '/projects/$projectId/import',
      params: { projectId },
      search: begun === undefined ? { file: file.id } : { run: begun.data.id },
    });
  }

  return (
    <Group>
      <Action does={bringIn}>{texts.intake.sample}</Action>
    </Group>
  );
}
