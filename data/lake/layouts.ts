import type pg from 'pg';
import {
  type LookedAt,
  layoutOf,
  lookAtTables,
  mostChanges,
  type StoredLayout,
  type TableLayout,
} from './ducklake/table-layout.ts';
import type { Lake } from './provision.ts';

/** A table as the service names it. */
export interface WantedTable {
  id: string;
  name: string;
}

/** Tables at one snapshot of their lake. */
export interface TablesAtSnapshot {
  snapshotId: number;
  /** Changes with the names and rights of the organization. */
  namesVersion: number;
  /** The newest version of each table, by id. */
  versions: ReadonlyMap<string, number>;
  /** By id; absent if the lake has no such table. */
  layouts: ReadonlyMap<string, TableLayout>;
}

export interface TableLayouts {
  /** What these tables consist of at the newest snapshot. It is read again only after they have changed. */
  newest(lake: Lake, tables: readonly WantedTable[]): Promise<TablesAtSnapshot>;
}

/** Characters of layouts kept in this process, and of one lake. */
const mostCharacters = 64 * 1_048_576;
const mostCharactersOfLake = mostCharacters / 4;
/** A table that changes more often than this while it is read is left to DuckLake. */
const attempts = 3;

interface Kept {
  tableId: number;
  layout: TableLayout;
  characters: number;
}

interface KnownLake {
  /** All that is kept holds at this snapshot. */
  snapshotId: number;
  /** By name, folded; least recently used first. */
  tables: Map<string, Kept>;
  characters: number;
  /** Those who wait for the next look. */
  waiting: { tables: readonly WantedTable[]; done: PromiseWithResolvers<TablesAtSnapshot> }[];
  isLooking: boolean;
}

/**
 * Remembers what tables consist of. Each look asks the catalog which tables were changed since the last one,
 * in one short statement; callers that ask meanwhile share the next look.
 */
export function createTableLayouts(pool: Pick<pg.Pool, 'query'>): TableLayouts {
  /** By schema; least recently used first. */
  const lakes = new Map<string, KnownLake>();

  function lakeOf(schema: string): KnownLake {
    const known = lakes.get(schema) ?? {
      ...{ snapshotId: -1, tables: new Map(), characters: 0, waiting: [], isLooking: false },
    };
    lakes.delete(schema);
    lakes.set(schema, known);
    return known;
  }

  async function serve(lake: Lake, known: KnownLake): Promise<void> {
    known.isLooking = true;
    while (known.waiting.length > 0) {
      const served = known.waiting.splice(0);
      const tables = [
        ...new Map(served.flatMap((each) => each.tables).map((each) => [each.id, each])).values(),
      ];
      try {
        const found = await look(pool, lake, known, tables);
        for (const { done } of served) done.resolve(found);
      } catch (error) {
        for (const { done } of served) done.reject(error);
      }
    }
    known.isLooking = false;
    forgetSome();
  }

  function forgetSome(): void {
    let characters = 0;
    for (const known of lakes.values()) characters += known.characters;
    for (const [schema, known] of lakes) {
      if (characters <= mostCharacters && lakes.size <= 10_000) break;
      if (known.isLooking) continue;
      lakes.delete(schema);
      characters -= known.characters;
    }
  }

  return {
    newest: (lake, tables) => {
      const known = lakeOf(lake.schema);
      const done = Promise.withResolvers<TablesAtSnapshot>();
      known.waiting.push({ tables, done });
      if (!known.isLooking) void serve(lake, known);
      return done.promise;
    },
  };
}

async function look(
  pool: Pick<pg.Pool, 'query'>,
  lake: Lake,
  known: KnownLake,
  tables: readonly WantedTable[],
): Promise<TablesAtSnapshot> {
  const place = { organizationId: lake.writer.organizationId, schemaName: lake.schema };
  const ids = tables.map(({ id }) => id);
  let looked = await lookAtTables(pool, place, { since: known.snapshotId, ids });
  apply(known, looked);
  const absent = new Set<string>();
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const missing = tables.filter(({ name }) => !known.tables.has(folded(name)) && !absent.has(name));
    if (missing.length === 0) break;
    const names = missing.map(({ name }) => name);
    looked = await lookAtTables(pool, place, { since: known.snapshotId, ids, names });
    apply(known, looked);
    for (const [index, text] of (looked.layouts ?? []).entries()) {
      if (text === null) absent.add(names[index]!);
      else keep(known, names[index]!, text, lake.reader.dataPath);
    }
  }
  const layouts = new Map<string, TableLayout>();
  for (const { id, name } of tables) {
    const kept = known.tables.get(folded(name));
    if (kept !== undefined) {
      known.tables.delete(folded(name));
      known.tables.set(folded(name), kept);
      layouts.set(id, kept.layout);
    }
  }
  forgetTables(known, tables);
  return {
    snapshotId: looked.snapshot_id,
    namesVersion: looked.names_version,
    versions: new Map(Object.entries(looked.versions ?? {})),
    layouts,
  };
}

/** Forgets what was changed since the last look; everything if that is not known. */
function apply(known: KnownLake, { snapshot_id: snapshotId, changes }: LookedAt): void {
  const list = changes ?? [];
  if (known.snapshotId < 0 || list.length > mostChanges || list.length !== snapshotId - known.snapshotId) {
    known.tables.clear();
    known.characters = 0;
  } else if (list.length > 0) {
    const changed = new Set(
      list.flatMap((text) => [...(text ?? '').matchAll(/:(\d+)/g)].map(([, id]) => Number(id))),
    );
    for (const [name, { tableId }] of known.tables) if (changed.has(tableId)) forget(known, name);
  }
  known.snapshotId = snapshotId;
}

function keep(known: KnownLake, name: string, text: string, dataPath: string): void {
  const stored = JSON.parse(text) as StoredLayout;
  const layout = layoutOf(stored, dataPath);
  const characters = layout.plain === undefined ? 500 : text.length;
  forget(known, folded(name));
  known.tables.set(folded(name), { tableId: stored.tableId, layout, characters });
  known.characters += characters;
}

function forget(known: KnownLake, name: string): void {
  known.characters -= known.tables.get(name)?.characters ?? 0;
  known.tables.delete(name);
}

/** Least recently used first, without those that were just asked for. */
function forgetTables(known: KnownLake, tables: readonly WantedTable[]): void {
  if (known.characters <= mostCharactersOfLake) return;
  const asked = new Set(tables.map(({ name }) => folded(name)));
  for (const name of known.tables.keys()) {
    if (known.characters <= mostCharactersOfLake) break;
    if (!asked.has(name)) forget(known, name);
  }
}

const folded = (name: string): string => name.toLowerCase();
