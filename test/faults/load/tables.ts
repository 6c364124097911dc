import type { Answer, FaultClient } from '../client.ts';
import { columns, type TableKey, tableKeys } from '../rows.ts';
import type { LoadContext } from './context.ts';
import { faultPlaybook } from './run-lanes.ts';

/**
 * The four tables, the data sync, and a project with a playbook for conversations about two tables: before
 * anything is disturbed.
 */
export async function prepare(
  client: FaultClient,
): Promise<Pick<LoadContext, 'tables' | 'sync' | 'projectId' | 'playbookPath'>> {
  const create = async (kind: string, path: string, body: unknown) => {
    const settled = await client.settle({ kind, method: 'POST', path, body });
    if (settled.outcome !== 'acknowledged') throw new Error(`${path}: ${JSON.stringify(settled)}`);
    return (settled.answer satisfies Answer).body.data ?? {};
  };
  const tables = {} as Record<TableKey, string>;
  for (const name of tableKeys) {
    const keys = name === 'items' ? { key_columns: ['item'] } : {};
    const made = await create('table', '/v1/grid/tables', { name, kind: 'data', columns, ...keys });
    tables[name] = String(made['tableId']);
  }
  const generation = 'generation 0';
  const sync = await create('sync', '/v1/data-syncs', {
    table_id: tables.snapshot,
    provider: 'faults',
    generation,
  });
  const project = await create('project', '/v1/projects', { name: 'Faults' });
  const projectId = String(project['id']);
  for (const name of ['items', 'appends'] as const) {
    const path = `/v1/projects/${projectId}/catalog-entries`;
    await create('catalog entry', path, { table_id: tables[name] });
  }
  const playbooks = `/v1/projects/${projectId}/playbooks`;
  const playbook = await create('playbook', playbooks, faultPlaybook);
  const playbookPath = `${playbooks}/${playbook['id']}`;
  return { tables, projectId, playbookPath, sync: { id: String(sync['id']), generation } };
}
