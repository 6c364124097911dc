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
  return all.sort((one, other) => one.name.localeCompare(other.name));
}

export const tablesQuery = { queryKey: ['tables'], queryFn: allEntries };
