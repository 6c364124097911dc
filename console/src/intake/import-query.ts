import { queryOptions } from '@tanstack/react-query';
import { asLongAs } from '../parts/polling.ts';
import { workspace } from '../session/login.ts';

const everyMs = 500;

/** An import, looked at again as long as it runs. */
export const importQuery = (importId: string) =>
  queryOptions({
    queryKey: ['import', importId],
    queryFn: async () =>
      (await workspace.get('/v1/table-imports/{import_id}', { params: { path: { import_id: importId } } }))
        .data,
    refetchInterval: asLongAs(({ finishedAt }) => finishedAt === null, everyMs),
  });
