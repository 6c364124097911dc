import { z } from 'zod';
import { AppError, ValidationError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { pauseWorkflowsWithoutGrant } from '../../../domain/automation/workflows/definitions/pause-all.ts';
import { accessOf, type Grant, grantsOf, unknownPrincipals } from '../../../domain/tables/tables/grants.ts';
import {
  findTable,
  getTable,
  grantedBy,
  lockTable,
  type TableRow,
  updateTableRow,
} from '../../../domain/tables/tables/registry.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { type Load, route } from '../../route.ts';
import { envelope, idText } from '../../schemas.ts';

const access = z
  .enum(['read', 'write'])
  .describe('What the grant allows. Write access includes read access.');
const grantSchema = z.discriminatedUnion('principal', [
  z.strictObject({ principal: z.literal('everyone'), access }),
  z.strictObject({ principal: z.literal('user'), id: idText, access }),
  z.strictObject({ principal: z.literal('client'), id: idText, access }),
]);

const example = {
  grants: [
    { principal: 'everyone', access: 'read' },
    { principal: 'client', id: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x', access: 'write' },
  ],
} satisfies { grants: Grant[] };

const body = z.strictObject({ grants: z.array(grantSchema).max(1_000) }).meta({ example });
const answer = envelope(z.object({ grants: z.array(grantSchema) }).meta({ id: 'TableGrants' })).meta({
  examples: [{ data: example }],
});

const mostAudited = 20;

/** Who may read and write a table. */
export function tableGrantsRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag: 'Tables' };
  const path = '/v1/tables/:table_id/grants';
  const exists: Load<'/:table_id'> = (db, organizationId, { table_id: id }) =>
    getTable(db, organizationId, id);

  route(
    app,
    at,
    ['GET', path],
    {
      summary: 'Show the grants of a table',
      description: 'Everyone can read and write a new table. Administrators can always do both.',
      admin: true,
      exists,
    },
    { 200: answer },
    async ({ organizationId, params, transaction }) => {
      const table = await transaction((db) => getTable(db, organizationId, params.table_id));
      return { data: { grants: grantsOf(table) } };
    },
  );

  route(
    app,
    at,
    ['PUT', path],
    {
      summary: 'Replace the grants of a table',
      audit: 'table.grants_replaced',
      description:
        "For anyone without a grant, the table doesn't exist: it isn't listed, its routes respond with 404, and statements can't use it. Changes take effect at once, also for everything that runs as the person or client. A turn or node in progress keeps the rights that it started with. Active workflows whose owner loses a table that they read are paused with `pauseReason: grant_lost`. The quarantine table of a table has the same grants as the table, and none of its own: the response is 409 `conflict` and names the table to change.",
      admin: true,
      body,
      errors: ['conflict'],
      exists,
    },
    { 200: answer },
    async ({ organizationId, params, body: { grants }, transaction, audit }) => {
      const table = await transaction(async (db) => {
        await refuseQuarantine(db, await lockTable(db, organizationId, params.table_id));
        await refuseUnknown(db, organizationId, grants);
        const changed = await updateTableRow(db, organizationId, params.table_id, accessOf(grants));
        const now = grantsOf(changed);
        audit({ detail: { grants: now.slice(0, mostAudited), total: now.length } });
        await pauseWorkflowsWithoutGrant(db, changed);
        return changed;
      });
      return { data: { grants: grantsOf(table) } };
    },
  );
}

/** The database gives a quarantine table, and one of failing rows, the grants of its table. */
async function refuseQuarantine(db: OrganizationTransaction, quarantine: TableRow): Promise<void> {
  const { organization_id: organizationId, failures_of: failuresOf } = quarantine;
  const id = grantedBy(quarantine);
  const table = id === null ? undefined : await findTable(db, organizationId, id);
  if (table === undefined) return;
  throw new AppError(
    'conflict',
    `This is ${failuresOf === null ? 'the quarantine' : 'a table of failing rows'} of the table ${table.name} and has the same grants. Change the grants of ${table.id}.`,
  );
}

async function refuseUnknown(
  db: OrganizationTransaction,
  organizationId: string,
  grants: readonly Grant[],
): Promise<void> {
  const ids = grants.map((grant) => (grant.principal === 'everyone' ? undefined : grant.id));
  const unknown = await unknownPrincipals(
    db,
    organizationId,
    ids.flatMap((id) => id ?? []),
  );
  const faults = grants.flatMap((grant, index) => {
    if (grant.principal === 'everyone') return [];
    const prefix = grant.principal === 'user' ? 'usr_' : 'cli_';
    if (grant.id.startsWith(prefix) && !unknown.has(grant.id)) return [];
    const msg = `The organization has no such ${grant.principal}.`;
    return [{ loc: ['body', 'grants', index, 'id'], type: 'value_error', msg }];
  });
  if (faults.length > 0) throw new ValidationError(faults);
}
