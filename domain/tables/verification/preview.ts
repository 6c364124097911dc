import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { findProject } from '../../workspace/projects/projects.ts';
import { type EffectiveSet, effectiveSet, type OverlaySource, type TestSource } from './effective-set.ts';
import { loadSources } from './sources.ts';

/** Which tables a set is asked for, and what stands instead of what is stored. */
export interface SetRequest {
  tableIds?: readonly string[] | undefined;
  projectId?: string | undefined;
  /** Each replaces the stored one of its id. */
  definitions?: readonly TestSource[];
  overlays?: readonly OverlaySource[];
  /** Tables as if they had another tier. */
  tiers?: ReadonlyMap<string, string>;
}

/** The tests of tables, all of the organization's if none are named. @throws AppError not_found */
export async function requestedSet(
  db: OrganizationTransaction,
  organizationId: string,
  { tableIds, projectId, definitions = [], overlays = [], tiers = new Map() }: SetRequest,
): Promise<EffectiveSet> {
  const stored = await loadSources(db, organizationId);
  if (projectId !== undefined && (await findProject(db, organizationId, projectId)) === undefined)
    throw notFound('The project');
  const known = new Map(stored.tables.map((table) => [table.id, table]));
  refuseUnknown(tableIds ?? [], known);
  refuseUnknown([...tiers.keys()], known);
  const wanted = tableIds === undefined ? undefined : new Set(tableIds);
  const tables = stored.tables
    .filter(
      ({ id, projectIds }) =>
        (wanted === undefined || wanted.has(id)) &&
        (projectId === undefined || projectIds.includes(projectId)),
    )
    .map((table) => ({ ...table, modelingTier: tiers.get(table.id) ?? table.modelingTier }));
  const since = new Map(stored.overlays.map(({ id, createdAtMs }) => [id, createdAtMs]));
  // One that replaces a stored one keeps its age, as it does when it is saved.
  const aged = overlays.map((overlay) => ({
    ...overlay,
    createdAtMs: since.get(overlay.id) ?? overlay.createdAtMs,
  }));
  return effectiveSet(tables, replaced(stored.definitions, definitions), replaced(stored.overlays, aged));
}

function replaced<T extends { id: string | null }>(stored: readonly T[], given: readonly T[]): T[] {
  const ids = new Set(given.map(({ id }) => id));
  return [...stored.filter(({ id }) => !ids.has(id)), ...given];
}

function refuseUnknown(ids: readonly string[], known: ReadonlyMap<string, unknown>): void {
  if (ids.some((id) => !known.has(id))) throw notFound('The table');
}
