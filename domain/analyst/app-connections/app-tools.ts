import type { Selectable } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';

export type AppTool = Selectable<DB['app_tools']>;
export type ToolPolicy = 'allow' | 'ask' | 'deny';

/**
 * Whether the tool differs from the approved one, or from the first seen one if there was no decision yet.
 */
export function isChanged(tool: Pick<AppTool, 'fingerprint' | 'approved_fingerprint'>): boolean {
  return tool.fingerprint !== tool.approved_fingerprint;
}

/** The decided policy, or the default until there is a decision. */
export function policyOf({ policy, is_read_only }: Pick<AppTool, 'policy' | 'is_read_only'>): ToolPolicy {
  return policy ?? (is_read_only ? 'allow' : 'ask');
}

/** The policy in effect: a changed tool asks again, unless it is denied anyway. */
export function effectivePolicy(tool: AppTool): ToolPolicy {
  const policy = policyOf(tool);
  return policy === 'allow' && isChanged(tool) ? 'ask' : policy;
}

/** Why a tool is not offered to the analyst; undefined if it is. */
export function notOfferedReason(tool: AppTool): string | undefined {
  if (tool.is_gone) return 'The server no longer lists this tool.';
  if (tool.refusal !== null) return tool.refusal;
  return tool.policy === 'deny' ? 'This tool is denied.' : undefined;
}

/** Ordered by name, including tools that their server no longer lists. */
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
  /** The fingerprint the person saw, if they sent it. */
  fingerprint: string | undefined;
  decidedBy: string;
}

/** Decides on the current tool. @throws AppError conflict where that is not what was seen */
export async function decideTool(db: OrganizationTransaction, decision: Decision): Promise<AppTool> {
  const { organizationId, connectionId, tool: name, policy, fingerprint, decidedBy } = decision;
  const tool = await getTool(db, organizationId, connectionId, name);
  if (fingerprint !== undefined && fingerprint !== tool.fingerprint)
    throw new AppError('conflict', 'The tool has changed since you read it. Read it again, then decide.');
  const decided = await db
    .updateTable('app_tools')
    .set({ policy, approved_fingerprint: tool.fingerprint, decided_by: decidedBy, decided_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('name', '=', name)
    // If a new listing was recorded meanwhile, the decision does not apply to it.
    .where('fingerprint', '=', tool.fingerprint)
    .returningAll()
    .executeTakeFirst();
  if (decided !== undefined) return decided;
  throw new AppError('conflict', 'The tool changed at the same time. Read it again, then decide.');
}
