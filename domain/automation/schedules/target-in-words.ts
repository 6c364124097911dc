import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

/** What a schedule fires, for operators: "the playbook Orders by month, in the project Sales". */
export async function targetInWords(
  db: OrganizationTransaction,
  organizationId: string,
  scheduleId: string,
): Promise<string> {
  const row = await db
    .selectFrom('schedules')
    .leftJoin('playbooks', (join) =>
      join
        .onRef('playbooks.organization_id', '=', 'schedules.organization_id')
        .onRef('playbooks.id', '=', 'schedules.playbook_id'),
    )
    .leftJoin('workflows', (join) =>
      join
        .onRef('workflows.organization_id', '=', 'schedules.organization_id')
        .onRef('workflows.id', '=', 'schedules.workflow_id'),
    )
    .leftJoin('datasets', (join) =>
      join
        .onRef('datasets.organization_id', '=', 'schedules.organization_id')
        .onRef('datasets.id', '=', 'schedules.dataset_id'),
    )
    .leftJoin('projects', (join) =>
      join
        .onRef('projects.organization_id', '=', 'schedules.organization_id')
        .onRef('projects.id', '=', 'schedules.project_id'),
    )
    .select([
      'playbooks.title as playbook',
      'workflows.title as workflow',
      'datasets.name as dataset',
      'projects.name as project',
    ])
    .where('schedules.organization_id', '=', organizationId)
    .where('schedules.id', '=', scheduleId)
    .executeTakeFirst();
  if (row === undefined) return 'a deleted target';
  const target =
    row.playbook === null
      ? row.workflow === null
        ? `the dataset ${row.dataset}`
        : `the workflow ${row.workflow}`
      : `the playbook ${row.playbook}`;
  return row.project === null ? target : `${target}, in the project ${row.project}`;
}
