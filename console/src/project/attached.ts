import { queryOptions } from '@tanstack/react-query';
import { some } from '../../../clients/typescript/src/index.ts';
import { workspace } from '../session/login.ts';

/** More are not shown. */
export const maxAttached = 1_000;

/** The tables and views that are attached to a project. */
export const attachedQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['attached', projectId],
    queryFn: () =>
      some(maxAttached, (page) =>
        workspace.get('/v1/projects/{project_id}/catalog-entries', {
          params: { path: { project_id: projectId }, query: page },
        }),
      ),
  });
