import { ValidationError, type ValidationFault } from '../../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { findDashboard } from '../../../publishing/dashboards/dashboards.ts';
import { filterValues } from '../../../publishing/dashboards/data.ts';
import type { NodeToExamine } from '../graphs/validate.ts';
import type { Workflow } from './workflows.ts';

/**
 * Dashboards that nodes name must exist in the project, and have their filters with values of these types.
 */
export async function dashboardFaults(
  db: OrganizationTransaction,
  { organization_id: organizationId, project_id: projectId }: Workflow,
  nodes: ReadonlyMap<number, NodeToExamine>,
): Promise<ValidationFault[]> {
  const faults: ValidationFault[] = [];
  for (const [index, { type, config }] of nodes) {
    const id = config['dashboard_id'];
    if (type !== 'dashboard' || typeof id !== 'string' || isOpen(id)) continue;
    const at = ['body', 'graph', 'nodes', index, 'config'];
    const dashboard = await findDashboard(db, organizationId, id);
    if (dashboard?.project_id !== projectId) {
      const msg = 'The project has no such dashboard.';
      faults.push({ loc: [...at, 'dashboard_id'], type: 'value_error', msg });
      continue;
    }
    const filters = Object.entries((config['filters'] ?? {}) as Record<string, unknown>);
    // The value of a placeholder is known only in a run, and checked there.
    const known = Object.fromEntries(filters.map(([name, value]) => [name, isOpen(value) ? null : value]));
    try {
      filterValues(dashboard.filters, known);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      faults.push(...error.faults.map((fault) => ({ ...fault, loc: [...at, ...fault.loc.slice(1)] })));
    }
  }
  return faults;
}

const isOpen = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('${') : Array.isArray(value) && value.some(isOpen);
