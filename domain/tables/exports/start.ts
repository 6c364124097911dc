import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { withoutTail } from '../../../packages/sql-guard/index.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { startRun } from '../../workspace/runs/kind.ts';
import { countUnfinished, deleteRun, findRun, insertRun, type Run } from '../../workspace/runs/runs.ts';
import { type AskedVersion, askedVersions } from '../query/asked-versions.ts';
import { checkDraftSql } from '../query/check-draft.ts';
import type { QueryPool } from '../query/pool/pool.ts';
import { readByName } from '../query/relation-tables.ts';
import { type AskedVersions, type ExportFormat, insertExport } from './exports.ts';
import { exportProcess, exportRuns } from './process.ts';
import { type ExportSource, nameOf, type Read, type ReadDeps, readAs } from './read.ts';

export interface ExportRequest {
  organizationId: string;
  exportId: string;
  callerId: string;
  source: ExportSource;
  /** Version by table id or name. */
  atVersions: Readonly<Record<string, number>>;
  format: ExportFormat;
  /** Without its ending; of the table, or `export`, if omitted. */
  name: string | undefined;
  maxFileBytes: number | undefined;
  /** Of CSV. */
  byteOrderMark: boolean;
  projectId: string | undefined;
  /** Of the project file that it becomes. */
  path: string | undefined;
  memo: Record<string, string>;
  signal: AbortSignal;
}

type StartDeps = ProcessDeps & ReadDeps & { queries: QueryPool };

const checkTimeoutMs = 20_000;
/** More exports of an organization do not wait for their turn. */
const mostActive = limits.exports.underWay.most;

/**
 * Checks what is to go out, and starts the process that writes it. A statement that could not run is refused
 * now, with what is wrong with it.
 *
 * @throws AppError with one of the query codes, not_found, conflict, workflows_unavailable
 */
export async function startExport(deps: StartDeps, request: ExportRequest): Promise<Run> {
  const { organizationId, exportId, callerId, source } = request;
  const read = await readAs(deps, organizationId, callerId, source);
  const lake = await deps.lake.catalog.get(organizationId);
  const tables = read.named.filter(({ kind }) => kind !== 'view');
  const asked = await askedVersions(deps.lake, lake.schema, tables, request.atVersions);
  const reads = await check(deps, request, read, asked);
  const { run } = await startRun(deps, exportRuns, {
    ...{ organizationId, runId: exportId, memo: request.memo },
    make: (db) => findOrInsert(db, request, { read, asked, reads }),
    undo: (db) => deleteRun(db, organizationId, exportId),
  });
  return run;
}

/** What the statement reads by the rights of its caller, without running it. */
async function check(
  deps: StartDeps,
  { organizationId, source, signal }: ExportRequest,
  { sql, relations }: Read,
  asked: ReadonlyMap<{ name: string }, AskedVersion>,
): Promise<string[]> {
  if ('sql' in source) await checkDraftSql(deps, { organizationId, sql, values: new Map(), signal });
  const { reader: location } = await deps.lake.catalog.get(organizationId);
  const { scannedRelationIds } = await deps.queries.run({
    sql: `SELECT * FROM (${withoutTail(sql)}\n) AS exported LIMIT 0`,
    ...{ location, relations, limit: 1, rowFormat: 'rows', timeoutMs: checkTimeoutMs, signal },
    atVersions: new Map([...asked].map(([{ name }, { snapshotId }]) => [name, snapshotId])),
  });
  return readByName(relations, scannedRelationIds);
}

interface Checked {
  read: Read;
  asked: ReadonlyMap<{ id: string }, AskedVersion>;
  reads: string[];
}

async function findOrInsert(
  db: OrganizationTransaction,
  request: ExportRequest,
  { read, asked, reads }: Checked,
): Promise<Run> {
  const { organizationId, exportId, callerId, source, format, projectId } = request;
  if (projectId !== undefined) await getOpenProject(db, organizationId, projectId);
  // Of two at the same time, the second one counts the first, or is the same and gets its run.
  await lockByName(db, `exports of ${organizationId}`);
  const earlier = await findRun(db, organizationId, exportId);
  if (earlier !== undefined) return earlier;
  await refuseTooMany(db, organizationId);
  const name = request.name ?? ('tableId' in source ? nameOf(read.named, source.tableId) : 'export');
  const run = await insertRun(db, {
    ...{ organization_id: organizationId, id: exportId, project_id: projectId ?? null, kind: 'export' },
    ...{ trigger_type: 'api', trigger_id: callerId, title: `Export as ${format}` },
    ...{ resource_type: 'export', resource_id: exportId },
    workflow_id: exportProcess.workflowId(exportId),
  });
  const byId: AskedVersions = Object.fromEntries([...asked].map(([{ id }, version]) => [id, version]));
  await insertExport(db, {
    ...{ organization_id: organizationId, id: exportId, created_by: callerId },
    ...('sql' in source ? { sql: source.sql } : { table_id: source.tableId }),
    ...{ format, name, max_file_bytes: request.maxFileBytes ?? null, path: request.path ?? null },
    ...{ at_versions: JSON.stringify(byId), reads, byte_order_mark: request.byteOrderMark },
  });
  return run;
}

async function refuseTooMany(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const { unfinished } = await countUnfinished(db, organizationId, ['export']);
  if (unfinished >= mostActive)
    throw new AppError(
      'conflict',
      `${mostActive} exports of the organization are already running or waiting, which is the limit. Try again when some of them have ended.`,
    );
  const { kept } = await db
    .selectFrom('exports')
    .select(({ fn }) => fn.countAll<number>().as('kept'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.exports.exports, Number(kept));
}
