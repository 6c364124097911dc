import type { Selectable } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';

export type AppTool = Selectable<DB['app_tools']>;
export type ToolPolicy = 'allow' | 'ask' | 'deny';

/** Whether it is another one than what was decided on, or first seen where nobody decided. */
export function isChanged(tool: Pick<AppTool, 'fingerprint' | 'approved_fingerprint'>): boolean {
  return tool.fingerprint !== tool.approved_fingerprint;
}

/** What was decided, or holds until somebody does. */
export function policyOf({ policy, is_read_only }: Pick<AppTool, 'policy' | 'is_read_only'>): ToolPolicy {
  return policy ?? (is_read_only ? 'allow' : 'ask');
}

/** What holds now: a tool that changed asks again, unless it is denied anyway. */
export function effectivePolicy(tool: AppTool): ToolPolicy {
  const policy = policyOf(tool);
  return policy === 'allow' && isChanged(tool) ? 'ask' : policy;
}

/** Why a tool is not offered to the analyst; undefined where it is. */
export function notOfferedReason(tool: AppTool): string | undefined {
  if (tool.is_gone) return 'The server lists it no longer.';
  if (tool.refusal !== null) return tool.refusal;
  return tool.policy === 'deny' ? 'It is denied.' : undefined;
}

/** By name, those that their server lists no longer too. */
export async function toolsOf(
  db: OrganizationTransaction,
  organizationId: string,
  connectionIds: readonly string[],
): Promise<AppTool[]> {
  const tools = await db
    .selectFrom('app_tools')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('connection_id', 'in', connectionIds.length === 0 ? [''] : connectionIds)
    .execute();
  return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function getTool(
  db: OrganizationTransaction,
  organizationId: string,
  connectionId: string,
  name: string,
): Promise<AppTool> {
  const tool = await db
    .selectFrom('app_tools')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (tool === undefined) throw notFound('The tool');
  return tool;
}

export interface Decision {
  organizationId: string;
  connectionId: string;
  tool: string;
  policy: ToolPolicy;
  /** What the person saw, where they say so. */
  fingerprint: string | undefined;
  decidedBy: string;
}

/** Decides on a tool as it is now. @throws AppError conflict where that is not what was seen */
export async function decideTool(db: OrganizationTransaction, decision: Decision): Promise<AppTool> {
  const { organizationId, connectionId, tool: name, policy, fingerprint, decidedBy } = decision;
  const tool = await getTool(db, organizationId, connectionId, name);
  if (fingerprint !== undefined && fingerprint !== tool.fingerprint)
    throw new AppError('conflict', 'The tool has changed since it was seen: read it again and decide anew.');
  const decided = await db
    .updateTable('app_tools')
    .set({ policy, approved_fingerprint: tool.fingerprint, decided_by: decidedBy, decided_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('name', '=', name)
    // A listing that was recorded meanwhile is one that nobody decided on.
    .where('fingerprint', '=', tool.fingerprint)
    .returningAll()
    .executeTakeFirst();
  if (decided !== undefined) return decided;
  throw new AppError('conflict', 'The tool changed at this moment: read it again and decide anew.');
}
