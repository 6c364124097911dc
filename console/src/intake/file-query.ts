import { queryOptions } from '@tanstack/react-query';
import { workspace } from '../session/login.ts';

/** A file of a project, by its id. */
export const fileQuery = (projectId: string, fileId: string) =>
  queryOptions({
    queryKey: ['file', fileId],
    queryFn: () =>
      workspace.get('/v1/projects/{project_id}/files/{file_id}', {
        params: { path: { project_id: projectId, file_id: fileId } },
      }),
  });
