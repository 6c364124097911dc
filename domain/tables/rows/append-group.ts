import type { Context } from '@opentelemetry/api';
import type { LakeOperation } from '../../../data/lake/ledger.ts';
import { counts, histogram } from '../../../data/telemetry/instruments.ts';
import { repeatsOf } from '../row-input/duplicates.ts';
import type { PlannedRows } from '../row-input/reading/tasks.ts';
import type { RowsBody } from './body.ts';
import type { SharedCommit } from './write-appended.ts';

export interface AppendRequest {
  organizationId: string;
  tableId: string;
  body: RowsBody;
  /** The same for a repeated request: rows already committed under it are not written again. */
  operationId: string;
  committedBy: string;
}

export interface AppendResult {
  rowsWritten: number;
  tableVersion: number;
}

/** A request waiting for its commit, with its callbacks. */
export interface Waiting {
  request: AppendRequest;
  /** Whom it acts for, because the group's commit acts for none of its requests alone. */
  principalId: string | undefined;
  /** The trace that it is part of. */
  trace: Context;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

/** A request whose rows fit the current table. */
export interface Planned {
  waiting: Waiting;
  plan: PlannedRows;
}

/** Requests of a group, by what is known of their s_ids before anything is written. */
export interface Admission {
  admitted: Planned[];
  /** Requests with s_ids that the table has, or that occur twice in the request itself. */
  refused: Planned[];
  /**
   * Requests with s_ids that another request of the group brings; they are taken only once that one is
   * written.
   */
  repeated: Planned[];
  taken: ReadonlySet<bigint>;
}

export function admit(group: readonly Planned[], taken: ReadonlySet<bigint>): Admission {
  const admission: Admission = { admitted: [], refused: [], repeated: [], taken };
  const brought = new Set<bigint>();
  for (const planned of group) {
    const { rowIds } = planned.plan;
    if (repeatsOf(rowIds, taken).length > 0) admission.refused.push(planned);
    else if (rowIds.some((id) => brought.has(id))) admission.repeated.push(planned);
    else {
      for (const id of rowIds) brought.add(id);
      admission.admitted.push(planned);
    }
  }
  return admission;
}

/** What one request changes, as the ledger keeps it. */
export const operationOf = (
  { operationId, tableId, committedBy }: Pick<AppendRequest, 'operationId' | 'tableId' | 'committedBy'>,
  operation: LakeOperation['operation'],
  rowsAdded: number,
  rowsRemoved: number,
): LakeOperation => ({
  ...{ id: operationId, tableId, operation, rowsAdded, rowsRemoved, runId: null, committedBy },
});

export const sharedCommit = (admitted: readonly Planned[]): SharedCommit => ({
  plans: admitted.map(({ plan }) => plan),
  operations: admitted.map(({ waiting, plan }) =>
    operationOf(waiting.request, 'append', plan.rowIds.length, 0),
  ),
});

const requests = histogram(
  'workspace.append.commit.requests',
  '{request}',
  'Appends that one commit of a table holds.',
  counts,
);
const rows = histogram(
  'workspace.append.commit.rows',
  '{row}',
  'Rows that one commit of appends holds.',
  counts,
);

/** Answers the requests of one commit. */
export function resolveAll(admitted: readonly Planned[], version: number): void {
  requests.record(admitted.length, {});
  rows.record(
    admitted.reduce((sum, { plan }) => sum + plan.rowIds.length, 0),
    {},
  );
  for (const { waiting, plan } of admitted)
    waiting.resolve({ rowsWritten: plan.rowIds.length, tableVersion: version });
}
