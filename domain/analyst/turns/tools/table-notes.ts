import { inOrganization, type OrganizationTransaction } from '../../../../data/postgres/client.ts';
import type { ColumnProfile, Shown } from '../../../tables/profiles/column-profile.ts';
import { listProfiles } from '../../../tables/profiles/profiles.ts';
import type { ToolCall } from './tool.ts';

const maxTopValues = 5;
const maxTopCharacters = 60;

/** What people wrote about a column, and what its last profile found. */
export type ColumnNotes = Partial<
  Record<'description' | 'semanticType' | 'note', string> & {
    profile: Pick<ColumnProfile, 'nulls' | 'distinctApprox' | 'min' | 'max' | 'top'>;
  }
>;

/** What is known about a table without reading it. */
export interface TableNotes {
  /** By name of the column, because a column may be named like any member of an object. */
  columns: ReadonlyMap<string, ColumnNotes>;
  /** Its last profile, which may be of a version other than the one that the turn reads. */
  profile?: { rows: number; computedAt: string; isOfOtherVersion: boolean; isSample: boolean };
}

/** The notes of tables and views, by id. `maxText` bounds each text. */
export async function notesOf(
  { deps, organizationId, dataVersions, reads }: ToolCall,
  ids: readonly string[],
  maxText: number,
): Promise<Map<string, TableNotes>> {
  const { written, profiles } = await inOrganization(deps.db, organizationId, async (db) => ({
    written: await columnNotes(db, organizationId, ids),
    profiles: await listProfiles(db, organizationId, ids),
  }));
  const versions = new Map(dataVersions.map(({ tableId, version }) => [tableId, version]));
  return new Map(
    ids.map((id): [string, TableNotes] => {
      const found = profiles.get(id);
      const columns = new Map<string, ColumnNotes>();
      for (const [name, { description, semanticType, note }] of Object.entries(written.get(id) ?? {}))
        columns.set(name, {
          ...(description == null ? {} : { description: cut(description, maxText) }),
          ...(semanticType == null ? {} : { semanticType: cut(semanticType, maxText) }),
          ...(note == null ? {} : { note: cut(note, maxText) }),
        });
      for (const column of found?.columns ?? [])
        columns.set(column.name, { ...columns.get(column.name), profile: shortened(column) });
      if (found === undefined) return [id, { columns }];
      // A profile has values of the table.
      reads.add(id);
      const { row_count: rows, computed_at: computedAt, version, sampled: isSample } = found.row;
      const isOfOtherVersion = version !== versions.get(id);
      const profile = { rows, computedAt: computedAt.toISOString(), isOfOtherVersion, isSample };
      return [id, { columns, profile }];
    }),
  );
}

type Written = Partial<Record<'description' | 'semanticType' | 'note', string | null>>;

async function columnNotes(
  db: OrganizationTransaction,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, Record<string, Written>>> {
  const rows = await db
    .selectFrom('tables')
    .select(['id', 'column_notes'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ['', ...ids])
    .execute();
  return new Map(rows.map(({ id, column_notes: notes }) => [id, notes as Record<string, Written>]));
}

function shortened({ nulls, distinctApprox, min, max, top }: ColumnProfile): ColumnNotes['profile'] {
  return {
    nulls,
    distinctApprox,
    min: shortValue(min),
    max: shortValue(max),
    top: top.slice(0, maxTopValues).map(({ value, count }) => ({ value: shortValue(value), count })),
  };
}

const shortValue = <T extends Shown | null>(value: T): T =>
  typeof value === 'string' ? (cut(value, maxTopCharacters) as T) : value;

/** A text that is longer than this is cut, and says so. */
export const cut = (text: string, maxCharacters: number): string =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()}…` : text;
