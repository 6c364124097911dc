import { unrestricted } from '../../../data/postgres/acting.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type BuildRecord, builtOf, type Defined, listDefined } from '../derived-relations/definitions.ts';
import { type DefinitionGraph, loadGraph, reachable } from '../derived-relations/graph.ts';

/** The definitions that some tables are made from, and how they hang together. */
export interface Surroundings {
  graph: DefinitionGraph;
  /** Definitions by id: those asked about, and all that they read. */
  defined: ReadonlyMap<string, Defined>;
  /** The version of each table of the lake. */
  versions: ReadonlyMap<string, number>;
}

/** The same for every caller: the inputs of a table don't depend on who can see it. */
export async function surroundings(
  db: OrganizationTransaction,
  organizationId: string,
  ids: readonly string[],
  versions: ReadonlyMap<string, number>,
): Promise<Surroundings> {
  const graph = await loadGraph(db, organizationId);
  const all = [...new Set([...ids, ...reachable(ids, graph.reads)])];
  const defined = await unrestricted(db, () => listDefined(db, organizationId, { ids: all }));
  return { graph, defined: new Map(defined.map((definition) => [definition.id, definition])), versions };
}

const isView = ({ defined }: Surroundings, id: string): boolean => defined.get(id)?.kind === 'view';

/** The tables that a definition reads, also through views, and those views. */
export function readsThrough(around: Surroundings, id: string): { tables: string[]; views: string[] } {
  const seen = new Set<string>();
  const queue = [...around.graph.reads(id)];
  for (const each of queue) {
    if (seen.has(each)) continue;
    seen.add(each);
    if (isView(around, each)) queue.push(...around.graph.reads(each));
  }
  const all = [...seen];
  return {
    tables: all.filter((each) => !isView(around, each)),
    views: all.filter((each) => isView(around, each)),
  };
}

/** The tables at the sources of a definition, through views and calculated tables. */
export function sourcesOf(around: Surroundings, id: string): string[] {
  return reachable([id], around.graph.reads).filter((each) => !around.defined.has(each));
}

/** Why a calculated table is not what its query would give now; empty if it is. */
export type Staleness = readonly string[];

/**
 * Compares what a table was built from with what is there now, for it and all that it reads: ids of tables
 * that changed, or `definition`.
 */
export function staleness(around: Surroundings): (id: string) => Staleness {
  const known = new Map<string, Staleness>();
  const of = (id: string): Staleness => {
    const found = known.get(id);
    if (found !== undefined) return found;
    // There is no circle; a value that is there ends one all the same.
    known.set(id, []);
    const stale = compare(around, id, of);
    known.set(id, stale);
    return stale;
  };
  return of;
}

function compare(around: Surroundings, id: string, of: (id: string) => Staleness): Staleness {
  const definition = around.defined.get(id);
  if (definition === undefined) return [];
  const built = builtOf(definition);
  if (built === undefined || built.revision !== definition.revision) return ['definition'];
  const { tables, views } = readsThrough(around, id);
  if (views.some((view) => built.views[view] !== around.defined.get(view)?.revision)) return ['definition'];
  const moved = sourcesOf(around, id).filter(
    (source) => around.versions.get(source) !== built.sources[source],
  );
  if (moved.length > 0) return moved;
  return tables.filter((table) => {
    const isCalculated = around.defined.has(table);
    if (isCalculated && of(table).length > 0) return true;
    return around.versions.get(table) !== built.read[table];
  });
}

/** What a table was built from, for the ones that are built from it: the oldest of two versions counts. */
export function sourcesRead(
  around: Surroundings,
  read: Readonly<Record<string, number>>,
  builtNow: ReadonlyMap<string, BuildRecord>,
): Record<string, number> {
  const sources: Record<string, number> = {};
  const note = (id: string, version: number) => {
    sources[id] = Math.min(sources[id] ?? version, version);
  };
  for (const [id, version] of Object.entries(read)) {
    const definition = around.defined.get(id);
    if (definition === undefined) {
      note(id, version);
      continue;
    }
    const built = builtNow.get(id) ?? builtOf(definition);
    for (const [source, from] of Object.entries(built?.sources ?? {})) note(source, from);
  }
  return sources;
}
