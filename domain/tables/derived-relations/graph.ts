import { AppError } from '../../../data/errors.ts';
import { unrestricted } from '../../../data/postgres/acting.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

/** Which tables and views the definitions of an organization name, and are named by. */
export interface DefinitionGraph {
  /** What a definition names; nothing for any other table. */
  reads(id: string): readonly string[];
  readBy(id: string): readonly string[];
}

/** Every edge of the organization, whether or not the caller can see both ends. */
export async function loadGraph(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<DefinitionGraph> {
  const edges = await unrestricted(db, () =>
    db
      .selectFrom('definition_reads')
      .select(['definition_id', 'relation_id'])
      .where('organization_id', '=', organizationId)
      .orderBy('definition_id')
      .orderBy('relation_id')
      .execute(),
  );
  const reads = new Map<string, string[]>();
  const readBy = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, from: string, to: string) => {
    const known = map.get(from);
    if (known === undefined) map.set(from, [to]);
    else known.push(to);
  };
  for (const { definition_id: definition, relation_id: relation } of edges) {
    add(reads, definition, relation);
    add(readBy, relation, definition);
  }
  return { reads: (id) => reads.get(id) ?? [], readBy: (id) => readBy.get(id) ?? [] };
}

/** Everything reachable from these ids, themselves excluded unless reached; each once, nearest first. */
export function reachable(ids: readonly string[], next: (id: string) => readonly string[]): string[] {
  const seen = new Set<string>();
  const queue = ids.flatMap(next);
  for (const id of queue) {
    if (seen.has(id)) continue;
    seen.add(id);
    queue.push(...next(id));
  }
  return [...seen];
}

/** The way from `id` back to itself if it read these; undefined if there is none. */
export function circle(graph: DefinitionGraph, id: string, reads: readonly string[]): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>(reads.map((first) => [first, undefined]));
  const queue = [...reads];
  for (const at of queue) {
    if (at === id) {
      const path = [id];
      for (let step = cameFrom.get(at); step !== undefined; step = cameFrom.get(step)) path.unshift(step);
      return [id, ...path];
    }
    for (const following of graph.reads(at)) {
      if (cameFrom.has(following)) continue;
      cameFrom.set(following, at);
      queue.push(following);
    }
  }
  return undefined;
}

/** These ids so that each comes after all that it reads among them. */
export function inOrder(ids: readonly string[], reads: (id: string) => readonly string[]): string[] {
  const wanted = new Set(ids);
  const done = new Set<string>();
  const ordered: string[] = [];
  const stack = [...ids].reverse().map((id) => ({ id, isLeaving: false }));
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { id, isLeaving } = step;
    if (isLeaving) {
      if (wanted.has(id)) ordered.push(id);
      continue;
    }
    if (done.has(id)) continue;
    done.add(id);
    stack.push({ id, isLeaving: true });
    for (const before of reads(id)) if (!done.has(before)) stack.push({ id: before, isLeaving: false });
  }
  return ordered;
}

/** Maximum number of dependents that a refusal names. */
const mostNamed = 100;

/** Refuses a deletion while views or calculated tables name what would be deleted. */
export async function refuseWhileRead(
  db: OrganizationTransaction,
  organizationId: string,
  relationId: string,
): Promise<void> {
  const dependents = await db
    .selectFrom('definition_reads')
    .innerJoin('tables', (join) =>
      join
        .onRef('tables.organization_id', '=', 'definition_reads.organization_id')
        .onRef('tables.id', '=', 'definition_reads.definition_id'),
    )
    .select(['tables.id', 'tables.kind', 'tables.name'])
    .where('definition_reads.organization_id', '=', organizationId)
    .where('definition_reads.relation_id', '=', relationId)
    .where('definition_reads.definition_id', '<>', relationId)
    .orderBy('tables.name')
    .limit(mostNamed)
    .execute();
  const isHidden =
    dependents.length === 0 &&
    (await loadGraph(db, organizationId)).readBy(relationId).some((id) => id !== relationId);
  if (dependents.length === 0 && !isHidden) return;
  const named = dependents.map(({ name }) => JSON.stringify(name)).slice(0, 10);
  throw new AppError(
    'conflict',
    isHidden
      ? "Tables or views that you can't see read from it. Ask an administrator to delete them first."
      : `These tables or views read from it: ${named.join(', ')}${dependents.length > 10 ? ', …' : ''}. Delete or change them first.`,
    {
      extensions: {
        dependents: dependents.map(({ id, kind, name }) => ({
          id,
          kind: kind === 'view' ? 'view' : 'table',
          name,
        })),
      },
    },
  );
}
