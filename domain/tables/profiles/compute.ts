import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { LakeEngine } from '../../../data/lake/engine/contract.ts';
import { isOutOfMemory } from '../../../data/lake/engine/failure.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import type { Database } from '../../../data/postgres/client.ts';
import { pinSnapshot } from '../lake-maintenance/expire.ts';
import type { ColumnProfile } from './column-profile.ts';
import { type Content, readContent } from './content.ts';
import { readColumns } from './read-columns.ts';
import type { ProfileId } from './runs.ts';
import { profilePin } from './runs.ts';
import type { Rows } from './statements.ts';

export interface ProfileDeps {
  db: Database;
  lake: LakeDeps;
  staging: LakeEngine;
}

export interface ProfileProgress {
  columnsDone: number;
  columns: number;
}

/** A profile as computed, with the version that it is of. */
export interface ComputedProfile {
  version: number;
  rowCount: number;
  sampled: boolean;
  columns: ColumnProfile[];
}

export interface ComputeOptions {
  progress(progress: ProfileProgress): void;
  signal: AbortSignal;
  /** Of a table with more rows, a sample of about as many is read. */
  sampleRows?: number;
}

const defaultSampleRows = 100_000_000;

/** Columns that are read together: the memory of their figures, and what one engine does before others. */
const columnsAtOnce = 10;

/** Longer than any attempt, whose end releases the pin. */
const pinMs = 24 * 3_600_000;

/**
 * Reads every column of the table at its current version, a group at a time. Each group has an engine of its
 * own, so that others of the organization take turns with it.
 *
 * @throws AppError not_found, not_materialized, query_too_large
 */
export async function computeProfile(
  deps: ProfileDeps,
  id: ProfileId,
  { progress, signal, sampleRows = defaultSampleRows }: ComputeOptions,
): Promise<ComputedProfile> {
  const { organizationId } = id;
  const lake = await deps.lake.catalog.get(organizationId);
  const content = await readContent(deps, lake, id);
  const pin = {
    snapshotId: content.snapshotId,
    holder: profilePin(id),
    expiresAt: new Date(Date.now() + pinMs),
  };
  await pinSnapshot(deps, lake, organizationId, pin);
  const sampled = content.rowCount > sampleRows;
  const rows: Rows = {
    table: content.name,
    snapshotId: content.snapshotId,
    samplePercent: sampled ? (sampleRows / content.rowCount) * 100 : undefined,
  };
  const columns: ColumnProfile[] = [];
  while (columns.length < content.columns.length) {
    progress({ columnsDone: columns.length, columns: content.columns.length });
    columns.push(...(await readGroup(deps, lake, content, { rows, done: columns.length, signal })));
  }
  return { version: content.version, rowCount: content.rowCount, sampled, columns };
}

async function readGroup(
  { staging }: ProfileDeps,
  lake: Lake,
  content: Content,
  { rows, done, signal }: { rows: Rows; done: number; signal: AbortSignal },
): Promise<ColumnProfile[]> {
  const group = content.columns.slice(done, done + columnsAtOnce);
  const read = await staging
    .use(lake.writer, (connection) => readColumns(connection, rows, group), { signal })
    .catch((error: unknown) => {
      throw isOutOfMemory(error) ? tooLarge(group.map(({ name }) => name)) : error;
    });
  if (rows.samplePercent === undefined) return read.columns;
  const scale = read.rowCount === 0 ? 0 : content.rowCount / read.rowCount;
  return read.columns.map((column) => scaled(column, scale));
}

/** What the whole table holds, if it is as the sample. Different values cannot be counted from a sample. */
function scaled(column: ColumnProfile, scale: number): ColumnProfile {
  const times = <T extends { count: number }>(bin: T): T => ({
    ...bin,
    count: Math.round(bin.count * scale),
  });
  return {
    ...column,
    nulls: Math.round(column.nulls * scale),
    top: column.top.map(times),
    histogram: column.histogram.map(times),
  };
}

function tooLarge(names: readonly string[]): AppError {
  const shown = names.map((name) => JSON.stringify(name.slice(0, 50))).join(', ');
  return new AppError('query_too_large', `Values of these columns are too large for a profile: ${shown}.`);
}
