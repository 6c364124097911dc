import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type {
  FireProgress,
  FireStatus,
  ScheduleRunInput,
} from '../../../workflows/automation/schedule-run/contract.ts';
import {
  type Delivery,
  deliveriesOf,
  insertDeliveries,
  type NewDelivery,
} from '../../publishing/deliveries/deliveries.ts';
import { type DeliveredOutput, outputDeliveries } from '../../publishing/deliveries/planned.ts';
import { findReport } from '../../publishing/reports/reports.ts';
import { findFile } from '../../workspace/files/files.ts';
import { findRun, type Run, runStates } from '../../workspace/runs/runs.ts';
import { endRun, findFire, statusOf } from './fires.ts';
import { findScheduleRun, type ScheduleRun } from './schedule-runs.ts';
import type { Schedule } from './schedules.ts';

/** Once the run of a fire has ended: plans the deliveries of its output. */
export function collectFire(db: Database, input: ScheduleRunInput): Promise<FireProgress> {
  return inOrganization(db, input.organizationId, async (transaction) => {
    const found = await findFire(transaction, input);
    if (found === undefined) return { kind: 'ended', status: 'cancelled' };
    const { fire, schedule } = found;
    if (fire.status !== 'running') return { kind: 'ended', status: statusOf(fire) };
    const runId = fire.run_id!;
    const run = await findRun(transaction, input.organizationId, runId);
    if (run !== undefined && !runStates.isEnd(run.status)) return { kind: 'running', runId };
    if (run?.status !== 'succeeded') return { kind: 'ended', status: await endByRun(transaction, fire, run) };
    return { kind: 'delivering', deliveryIds: await planOnce(transaction, fire, schedule, run) };
  });
}

function endByRun(db: OrganizationTransaction, fire: ScheduleRun, run: Run | undefined): Promise<FireStatus> {
  if (run?.status === 'cancelled') return endRun(db, fire, 'cancelled', 'The run was cancelled.');
  const error = run?.error as { message?: string } | null | undefined;
  return endRun(db, fire, 'failed', error?.message ?? 'The run no longer exists.');
}

/**
 * The deliveries of a fire, to the schedule's destinations as they are when this is first asked: they may be
 * changed before it is asked again.
 */
async function planOnce(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: ScheduleRun,
  schedule: Schedule,
  run: Run,
): Promise<string[]> {
  const fire = await findScheduleRun(db, organizationId, id, 'update');
  const planned = await deliveriesOf(db, organizationId, id);
  if (fire?.status !== 'running' || planned.length > 0) return planned.map((delivery) => delivery.id);
  await insertDeliveries(db, await plan(db, fire, schedule, run));
  return (await deliveriesOf(db, organizationId, id)).map((delivery) => delivery.id);
}

async function plan(
  db: OrganizationTransaction,
  fire: ScheduleRun,
  schedule: Schedule,
  run: Run,
): Promise<NewDelivery[]> {
  // A workflow's output is delivered by its own nodes, and a table is not deliverable.
  if (schedule.kind !== 'playbook') return [];
  const output = await outputOf(db, run);
  if (output === undefined) return [];
  return outputDeliveries({
    organizationId: fire.organization_id,
    projectId: schedule.project_id!,
    scheduleRunId: fire.id,
    outputFolder: schedule.output_folder,
    emailRecipients: schedule.email_recipients,
    output,
    localTime: fire.local_time,
    createdAtMs: fire.created_at.getTime(),
  });
}

/** The output of a run; undefined if it was deleted meanwhile, so that there is nothing to deliver. */
async function outputOf(db: OrganizationTransaction, run: Run): Promise<DeliveredOutput | undefined> {
  const made = run.output as { reportId?: string; fileId?: string } | null;
  if (made?.reportId !== undefined) {
    const report = await findReport(db, run.organization_id, made.reportId);
    return report && { reportId: report.id, title: report.title, revision: report.revision };
  }
  const file = made?.fileId === undefined ? undefined : await findFile(db, run.organization_id, made.fileId);
  return file && { fileId: file.id, path: file.path };
}

/** Ends a fire whose run succeeded, by the outcome of its deliveries: any that did not arrive fails it. */
export function endFire(db: Database, input: ScheduleRunInput): Promise<FireStatus> {
  return inOrganization(db, input.organizationId, async (transaction) => {
    const fire = await findScheduleRun(transaction, input.organizationId, input.scheduleRunId);
    if (fire === undefined) return 'cancelled';
    const deliveries = await deliveriesOf(transaction, fire.organization_id, fire.id);
    const open = deliveries.filter(({ status }) => status !== 'delivered');
    if (open.length === 0) return endRun(transaction, fire, 'succeeded', null);
    return endRun(transaction, fire, 'failed', reasonOf(open));
  });
}

const maxListed = 3;

function reasonOf(open: readonly Delivery[]): string {
  const listed = open.slice(0, maxListed).map(({ kind, target, status, error }) => {
    const why = (error as { message?: string } | null)?.message ?? '';
    const what = kind === 'email' ? `The mail to ${target}` : `The file ${target}`;
    return `${what} ${status === 'uncertain' ? 'may not have arrived' : 'was not delivered'}: ${why}`;
  });
  const others = open.length > maxListed ? [`The same is true of ${open.length - maxListed} more.`] : [];
  return [...listed, ...others].join(' ');
}
