import type { Query } from '@tanstack/react-query';
import { freshMs } from '../parts/polling.ts';
import { workspace } from '../session/login.ts';
import type * as texts from '../texts/index.ts';

export interface Entry {
  id: string;
  name: string;
  kind: keyof typeof texts.data.kinds;
  rowCount: number | null;
  updatedAt: string;
}

/** Tables and views, by name. */
async function allEntries(): Promise<Entry[]> {
  const [{ tables }, { views }] = await Promise.all([
    workspace.get('/v1/tables'),
    workspace.get('/v1/views'),
  ]);
  const all = [
    ...tables.map(
      ({ id, name, kind, rowCount, updatedAt }): Entry => ({ id, name, kind, rowCount, updatedAt }),
    ),
    ...views.map(({ id, name, updatedAt }): Entry => ({ id, name, kind: 'view', rowCount: null, updatedAt })),
  ];
  return all.sort((a, b) => a.name.localeCompare(b.name));
}

export const tablesQuery = { queryKey: ['tables'], queryFn: allEntries };

/** The same list, read anew where it lacks one of these: what was made a moment ago has a name too. */
export const tablesWith = (ids: readonly string[]) => ({
  ...tablesQuery,
  staleTime: ({ state: { data = [] } }: Query<Entry[], Error, Entry[], string[]>) =>
    ids.every((id) => data.some((entry) => entry.id === id)) ? freshMs : 0,
});
