import type { Insertable } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { type AppConnectionRow, lockNames } from './app-connections.ts';
import { type ListedTool, maxTools } from './listed-tool.ts';

const maxOfferedName = 64;
const maxConnectionPart = 20;
const maxToolPart = 36;
/** Number of no longer listed tools that are remembered; those with a decision are kept first. */
const maxRemoved = 100;

/** Stores a server's list of tools. Decisions are kept, together with the fingerprints they were made for. */
export async function recordTools(
  db: OrganizationTransaction,
  connection: AppConnectionRow,
  listed: readonly ListedTool[],
): Promise<void> {
  const { organization_id: organizationId, id: connectionId } = connection;
  await lockNames(db, organizationId);
  const known = await db
    .selectFrom('app_tools')
    .select(['connection_id', 'name', 'offered_name'])
    .where('organization_id', '=', organizationId)
    .execute();
  const taken = new Set(known.map((tool) => tool.offered_name));
  const own = new Map(
    known.flatMap((tool) => (tool.connection_id === connectionId ? [[tool.name, tool.offered_name]] : [])),
  );
  const seenAt = new Date();
  const rows = listed.slice(0, maxTools).map((tool): Insertable<DB['app_tools']> => {
    const offeredName = own.get(tool.name) ?? offeredNameFor(connection.name, tool.name, taken);
    taken.add(offeredName);
    return {
      organization_id: organizationId,
      connection_id: connectionId,
      name: tool.name,
      offered_name: offeredName,
      title: tool.title,
      description: tool.description,
      input_schema: tool.inputSchema === undefined ? null : JSON.stringify(tool.inputSchema),
      is_read_only: tool.isReadOnly,
      refusal: tool.refusal,
      fingerprint: tool.fingerprint,
      approved_fingerprint: tool.fingerprint,
      policy: null,
      seen_at: seenAt,
      is_gone: false,
    };
  });
  if (rows.length > 0) await upsert(db, rows);
  await db
    .updateTable('app_tools')
    .set({ is_gone: true })
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('name', 'not in', rows.length === 0 ? [''] : rows.map(({ name }) => name))
    .execute();
  await deleteRemoved(db, organizationId, connectionId);
}

async function upsert(db: OrganizationTransaction, rows: Insertable<DB['app_tools']>[]): Promise<void> {
  const seen = [
    ...(['title', 'description', 'input_schema', 'is_read_only', 'refusal'] as const),
    ...(['fingerprint', 'seen_at', 'is_gone'] as const),
  ];
  await db
    .insertInto('app_tools')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'connection_id', 'name'])
        .doUpdateSet((row) =>
          Object.fromEntries(seen.map((column) => [column, row.ref(`excluded.${column}`)])),
        ),
    )
    .execute();
}

async function deleteRemoved(
  db: OrganizationTransaction,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  const gone = db
    .selectFrom('app_tools')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('is_gone', '=', true)
    .orderBy((row) => row('policy', 'is not', null), 'desc')
    .orderBy('seen_at', 'desc')
    .orderBy('name')
    .offset(maxRemoved);
  await db
    .deleteFrom('app_tools')
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('name', 'in', gone)
    .execute();
}

/**
 * The connection now points to another server: approvals of the previous server's tools do not apply to the
 * new one's, even if they look the same. Denied tools stay denied.
 */
export async function forgetApprovals(
  db: OrganizationTransaction,
  { organization_id: organizationId, id: connectionId }: AppConnectionRow,
): Promise<void> {
  await db
    .updateTable('app_tools')
    .set({ approved_fingerprint: '' })
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .execute();
}

/** The name under which the analyst gets a tool: letters, digits and `_`, unique in the organization. */
function offeredNameFor(connection: string, tool: string, taken: ReadonlySet<string>): string {
  const parts = [slug(connection, maxConnectionPart), slug(tool, maxToolPart)].filter((part) => part !== '');
  const base = ['app', ...parts].join('_');
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : `_${number}`;
    const name = base.slice(0, maxOfferedName - end.length) + end;
    if (!taken.has(name)) return name;
  }
}

function slug(text: string, characters: number): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, characters)
    .replace(/^_|_$/g, '');
}
