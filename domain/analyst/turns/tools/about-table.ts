import { inOrganization } from '../../../../data/postgres/client.ts';
import { readsThrough, surroundings } from '../../../tables/calculated-tables/freshness.ts';
import type { KnownTable } from './known-tables.ts';
import { type Freshness, freshnessOf, staleNotice } from './staleness.ts';
import { type ColumnNotes, cut, type TableNotes } from './table-notes.ts';
import type { ToolCall } from './tool.ts';

/** What a list of tables says about one of them, besides its columns. */
export function aboutTable(
  { id, name, kind, isUnbuilt, description, note, broken }: KnownTable,
  freshness: readonly Freshness[],
  maxText: number,
) {
  const [own] = kind === 'calc' ? freshness : [];
  const { staleTables } = staleNotice(freshness);
  return {
    name,
    ...(kind === 'view' ? { kind } : {}),
    description: cut(description, maxText),
    note: cut(note, maxText),
    ...(own === undefined ? {} : { builtAt: own.builtAt, isStale: own.isStale }),
    ...(isUnbuilt ? { neverBuilt: `Build it with POST /v1/grid/tables/${id}/materialize.` } : {}),
    ...(broken === undefined ? {} : { broken }),
    ...(staleTables === undefined ? {} : { staleTables }),
  };
}

/** Characters that notes and profiles of columns may still take in one answer of a tool. */
export interface Room {
  left: number;
}

/** Adds to each column what is known about it while there is room. */
export function withNotes<Column extends { name: string }>(
  columns: readonly Column[],
  notes: TableNotes | undefined,
  room: Room,
): (Column & ColumnNotes)[] {
  return columns.map((column) => {
    const known = notes?.columns.get(column.name);
    room.left -= known === undefined ? 0 : JSON.stringify(known).length;
    return room.left < 0 ? column : { ...column, ...known };
  });
}

/** What a profile said about the whole table, and whether notes are left out. */
export const profiled = (notes: TableNotes | undefined, room: Room) => ({
  ...(notes?.profile === undefined ? {} : { profile: notes.profile }),
  ...(room.left < 0
    ? { leftOut: 'The notes of further columns are left out, because there is no more room.' }
    : {}),
});

/** By attached table or view: how fresh the calculated tables are that it is, or reads through views. */
export async function freshnessThrough(
  call: Pick<ToolCall, 'deps' | 'organizationId' | 'tables'>,
): Promise<Map<string, Freshness[]>> {
  const { deps, organizationId, tables } = call;
  const asked = tables.filter(({ kind }) => kind === 'view' || kind === 'calc');
  if (asked.length === 0) return new Map();
  const ids = asked.map(({ id }) => id);
  const around = await inOrganization(deps.db, organizationId, (db) =>
    surroundings(db, organizationId, ids, new Map()),
  );
  const through = new Map(
    asked.map(({ id, kind }) => [id, kind === 'view' ? readsThrough(around, id).tables : [id]]),
  );
  const freshness = await freshnessOf(call, [...new Set([...through.values()].flat())]);
  return new Map([...through].map(([id, read]) => [id, read.flatMap((each) => freshness.get(each) ?? [])]));
}
