import { notFound, ValidationError } from '../../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { findProject } from '../../workspace/projects/projects.ts';
import { findTable } from '../tables/registry.ts';
import { refuseTooMuch } from './bounds.ts';
import { type CheckDeps, checkTest } from './check.ts';
import {
  findTestDefinition,
  getTestDefinition,
  insertTestDefinition,
  paramsOf,
  refuseOtherRevision,
  type Selector,
  type TestDefinition,
  updateTestDefinition,
} from './definitions.ts';
import type { Severity } from './effective-set.ts';
import { checkSomeParams, type Params, readTest, type TestKind } from './kinds.ts';
import { compilePattern } from './name-patterns.ts';
import { getOverlay, insertOverlay, type Overlay, updateOverlay } from './overlays.ts';

export type Target = { tableId: string } | { selector: Selector };

/** What people write of a definition. */
export interface WrittenDefinition {
  name: string;
  description: string;
  kind: TestKind;
  params: Params;
  target: Target;
  severity: Severity;
  blocking: boolean;
  enabled: boolean;
  keepRows: boolean;
}

interface Write {
  organizationId: string;
  id: string;
  callerId: string;
  signal: AbortSignal;
}

const paramsAt = ['body', 'params'];

/** @throws ValidationError at what does not fit, AppError conflict where there are too many */
export async function createTestDefinition(
  deps: CheckDeps,
  { organizationId, id, callerId, signal }: Write,
  written: WrittenDefinition,
): Promise<TestDefinition> {
  const earlier = await inOrganization(deps.db, organizationId, (db) =>
    findTestDefinition(db, organizationId, id),
  );
  if (earlier !== undefined) return earlier;
  const test = readTest(written.kind, written.params, paramsAt);
  await inOrganization(deps.db, organizationId, (db) => refuseTarget(db, organizationId, written.target));
  const tableId = 'tableId' in written.target ? written.target.tableId : undefined;
  await checkTest(deps, { organizationId, test, tableId, definerId: callerId, signal });
  return inOrganization(deps.db, organizationId, async (db) => {
    await refuseTooMuch(db, 'verification_definitions', { organizationId, id, params: written.params });
    return insertTestDefinition(db, {
      ...{ organization_id: organizationId, id, created_by: callerId },
      ...columnsOf(written, callerId),
      kind: written.kind,
    });
  });
}

export type DefinitionChange = Partial<Omit<WrittenDefinition, 'kind'>> & {
  expectedRevision?: number | undefined;
};

/** @throws ValidationError at what does not fit, AppError not_found, revision_conflict */
export async function changeTestDefinition(
  deps: CheckDeps,
  { organizationId, id, callerId, signal }: Write,
  { expectedRevision, ...change }: DefinitionChange,
): Promise<TestDefinition> {
  const before = await inOrganization(deps.db, organizationId, (db) =>
    getTestDefinition(db, organizationId, id),
  );
  refuseOtherRevision(before, expectedRevision);
  const written = { ...writtenOf(before), ...change };
  const test = readTest(before.kind, written.params, paramsAt);
  if (change.target !== undefined)
    await inOrganization(deps.db, organizationId, (db) => refuseTarget(db, organizationId, written.target));
  // A definition whose table changed meanwhile can still be switched off, or lose its name.
  const tableId = 'tableId' in written.target ? written.target.tableId : undefined;
  if (change.params !== undefined || change.target !== undefined)
    await checkTest(deps, { organizationId, test, tableId, definerId: callerId, signal });
  return inOrganization(deps.db, organizationId, async (db) => {
    const now = await getTestDefinition(db, organizationId, id, 'update');
    refuseOtherRevision(now, before.revision);
    await refuseTooMuch(db, 'verification_definitions', { organizationId, id, params: written.params });
    const definer = change.params === undefined ? now.defined_by : callerId;
    return updateTestDefinition(db, organizationId, id, {
      ...columnsOf(written, definer),
      revision: now.revision + 1,
      updated_at: new Date(),
    });
  });
}

function writtenOf(row: TestDefinition): WrittenDefinition {
  return {
    ...{ name: row.name, description: row.description, kind: row.kind, params: paramsOf(row) },
    target: row.table_id === null ? { selector: row.selector as Selector } : { tableId: row.table_id },
    ...{ severity: row.severity, blocking: row.blocking, enabled: row.enabled, keepRows: row.keep_rows },
  };
}

const columnsOf = (written: WrittenDefinition, definerId: string) => ({
  ...{ name: written.name, description: written.description, severity: written.severity },
  ...{ blocking: written.blocking, enabled: written.enabled, keep_rows: written.keepRows },
  params: JSON.stringify(written.params),
  table_id: 'tableId' in written.target ? written.target.tableId : null,
  selector: 'selector' in written.target ? JSON.stringify(written.target.selector) : null,
  defined_by: definerId,
});

async function refuseTarget(
  db: OrganizationTransaction,
  organizationId: string,
  target: Target,
): Promise<void> {
  if ('tableId' in target) return refuseUntestable(db, organizationId, target.tableId);
  const { projectId, namePattern } = target.selector;
  if (projectId !== undefined && (await findProject(db, organizationId, projectId)) === undefined)
    throw notFound('The project');
  if (namePattern === undefined) return;
  try {
    compilePattern(namePattern);
  } catch (error) {
    const msg = `The pattern isn't a valid regular expression: ${error instanceof Error ? error.message : String(error)}.`;
    throw new ValidationError([
      { loc: ['body', 'target', 'selector', 'name_pattern'], msg, type: 'value_error' },
    ]);
  }
}

async function refuseUntestable(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<void> {
  const table = await findTable(db, organizationId, tableId);
  if (table === undefined || table.status === 'deleting' || table.kind === 'system')
    throw notFound('The table');
}

/** What people write of an overlay; null leaves a field as the definition has it. */
export interface WrittenOverlay {
  enabled: boolean | null;
  severity: Severity | null;
  blocking: boolean | null;
  params: Params | null;
  priority: number;
  reason: string;
}

/** @throws ValidationError at a parameter, AppError not_found, conflict */
export async function createOverlay(
  deps: CheckDeps,
  { organizationId, id, callerId, signal }: Write,
  where: { definitionId: string; projectId: string | null; tableId: string | null },
  written: WrittenOverlay,
): Promise<Overlay> {
  const definition = await inOrganization(deps.db, organizationId, async (db) => {
    if (where.tableId !== null) await refuseUntestable(db, organizationId, where.tableId);
    if (where.projectId !== null && (await findProject(db, organizationId, where.projectId)) === undefined)
      throw notFound('The project');
    return getTestDefinition(db, organizationId, where.definitionId);
  });
  await checkOverlaid(deps, { organizationId, definition, params: written.params, callerId, signal });
  return inOrganization(deps.db, organizationId, async (db) => {
    await refuseTooMuch(db, 'verification_overlays', { organizationId, id, params: written.params });
    await getTestDefinition(db, organizationId, where.definitionId, 'share');
    return insertOverlay(db, {
      ...{ organization_id: organizationId, id, created_by: callerId },
      definition_id: where.definitionId,
      ...{ project_id: where.projectId, table_id: where.tableId },
      ...overlayColumns(written),
    });
  });
}

/** @throws ValidationError at a parameter, AppError not_found, revision_conflict */
export async function changeOverlay(
  deps: CheckDeps,
  { organizationId, id, callerId, signal }: Write,
  change: Partial<WrittenOverlay>,
  expectedRevision: number | undefined,
): Promise<Overlay> {
  const { before, definition } = await inOrganization(deps.db, organizationId, async (db) => {
    const row = await getOverlay(db, organizationId, id);
    return { before: row, definition: await getTestDefinition(db, organizationId, row.definition_id) };
  });
  refuseOtherRevision(before, expectedRevision);
  const params = change.params ?? null;
  await checkOverlaid(deps, { organizationId, definition, params, callerId, signal });
  return inOrganization(deps.db, organizationId, async (db) => {
    const now = await getOverlay(db, organizationId, id, 'update');
    refuseOtherRevision(now, before.revision);
    await refuseTooMuch(db, 'verification_overlays', { organizationId, id, params: change.params });
    return updateOverlay(db, organizationId, id, {
      ...overlayColumns(change),
      revision: now.revision + 1,
      updated_at: new Date(),
    });
  });
}

/** Together with other overlays they may still not fit; the result of such a test is an error. */
async function checkOverlaid(
  deps: CheckDeps,
  {
    organizationId,
    definition,
    params,
    callerId,
    signal,
  }: Omit<Write, 'id'> & { definition: TestDefinition; params: Params | null },
): Promise<void> {
  if (params === null) return;
  checkSomeParams(definition.kind, params, paramsAt);
  const test = readTest(definition.kind, { ...paramsOf(definition), ...params }, paramsAt);
  const tableId = definition.table_id ?? undefined;
  await checkTest(deps, { organizationId, test, tableId, definerId: callerId, signal });
}

const overlayColumns = <Written extends Partial<WrittenOverlay>>({ params, ...written }: Written) => ({
  ...written,
  ...(params === undefined ? {} : { params: params === null ? null : JSON.stringify(params) }),
});
