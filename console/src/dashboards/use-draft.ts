import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { useKept } from '../parts/use-kept.ts';
import { useUnsaved } from '../parts/use-unsaved.ts';
import type { Dashboard, Filter, Tile } from '../saved/resources.ts';
import { tileBody } from '../saved/tile-body.ts';
import { workspace } from '../session/login.ts';

/** What is edited of a dashboard, and the revision that it was made from. */
export interface Draft {
  revision: number;
  name: string;
  description: string;
  tiles: Tile[];
  filters: Filter[];
}

const draftOf = ({ revision, name, description, tiles, filters }: Dashboard): Draft => ({
  ...{ revision, name, description, tiles, filters },
});

const isDraft = (value: unknown): boolean => {
  const { revision, tiles, filters } = (value ?? {}) as Partial<Draft>;
  return typeof revision === 'number' && Array.isArray(tiles) && Array.isArray(filters);
};

/** In the order in which they are read. */
const ordered = (tiles: readonly Tile[]): Tile[] => [...tiles].sort((a, b) => a.y - b.y || a.x - b.x);

/** A dashboard that is edited. A reload of the browser's tab keeps what was changed. */
export function useDraft(dashboard: Dashboard, onEnd: () => Promise<void>) {
  const { id, projectId } = dashboard;
  const queries = useQueryClient();
  const key = `dashboard draft ${id}`;
  const [draft, setDraft] = useKept(key, () => draftOf(dashboard), isDraft);
  const isOver = useRef(false);
  const { name, description, tiles, filters } = draft;
  /** As it was when the editing began. */
  const [before] = useState(() => draftOf(dashboard));
  const isChanged =
    JSON.stringify({ ...before, revision: 0 }) !==
    JSON.stringify({ revision: 0, name, description, tiles, filters });
  // What nobody has changed begins with the newest revision the next time.
  useEffect(() => {
    if (!isChanged) sessionStorage.removeItem(key);
  });
  useUnsaved(isChanged && !isOver.current);
  const end = async () => {
    isOver.current = true;
    sessionStorage.removeItem(key);
    await onEnd();
  };
  const save = useMutation({
    mutationFn: (revision: number) =>
      workspace.patch('/v1/projects/{project_id}/dashboards/{dashboard_id}', {
        params: { path: { project_id: projectId, dashboard_id: id } },
        body: {
          ...{ name, description, expected_revision: revision },
          tiles: ordered(tiles).map(tileBody),
          filters: filters.map((filter) => ({ ...filter, default: filter.default as never })),
        },
      }),
    onSuccess: async ({ data }) => {
      queries.setQueryData(['dashboard', id], data);
      void queries.invalidateQueries({ queryKey: ['dashboards', projectId] });
      await end();
    },
  });
  return {
    draft,
    isChanged,
    change: (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part })),
    changeTiles: (to: (tiles: readonly Tile[]) => Tile[]) =>
      setDraft((now) => ({ ...now, tiles: to(now.tiles) })),
    save: () => save.mutate(draft.revision),
    isSaving: save.isPending,
    error: save.error,
    /** The revision that somebody else saved meanwhile. */
    newer: newerRevision(save.error),
    overwrite: (revision: number) => save.mutate(revision),
    discard: async () => {
      await queries.invalidateQueries({ queryKey: ['dashboard', id] });
      await end();
    },
  };
}

function newerRevision(error: Error | null): number | undefined {
  if (!(error instanceof WorkspaceError) || error.code !== 'revision_conflict') return undefined;
  const { current_revision: current } = error.problem;
  return typeof current === 'number' ? current : undefined;
}
