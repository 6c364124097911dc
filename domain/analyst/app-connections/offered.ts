import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type AppTool, effectivePolicy } from './app-tools.ts';

/** A tool that may be offered to the analyst. */
export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  policy: 'allow' | 'ask';
  isReadOnly: boolean;
  connectionId: string;
  tool: string;
  fingerprint: string;
  connectionName: string;
  url: string;
}

/** With more tools a model chooses badly, and their descriptions take up its context. */
const maxOffered = 64;
/** Total for all descriptions and schemas, which are part of every request to a model. */
const maxCharacters = 200_000;

/**
 * The tools that may be offered to the analyst, from rows alone without network access: at most 64, by name.
 */
export async function offeredTools(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<OfferedTool[]> {
  const rows = await db
    .selectFrom('app_tools as t')
    .innerJoin('app_connections as c', (join) =>
      join.onRef('c.organization_id', '=', 't.organization_id').onRef('c.id', '=', 't.connection_id'),
    )
    .selectAll('t')
    .select(['c.name as connection_name', 'c.url'])
    .where('t.organization_id', '=', organizationId)
    .where('t.is_gone', '=', false)
    .where('t.refusal', 'is', null)
    .where('t.input_schema', 'is not', null)
    .where((row) => row.or([row('t.policy', 'is', null), row('t.policy', '!=', 'deny')]))
    // Every connection gets its first tools offered before any gets many.
    .orderBy(sql`row_number() OVER (PARTITION BY t.connection_id ORDER BY t.name)`)
    .orderBy('t.connection_id')
    .limit(maxOffered)
    .execute();
  let left = maxCharacters;
  const fitting = rows.filter(({ description, input_schema: schema }) => {
    const characters = description.length + schema!.length;
    if (characters > left) return false;
    left -= characters;
    return true;
  });
  return fitting.map(offered).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function offered(row: AppTool & { connection_name: string; url: string }): OfferedTool {
  return {
    name: row.offered_name,
    description: row.description,
    inputSchema: JSON.parse(row.input_schema!) as Record<string, unknown>,
    policy: effectivePolicy(row) === 'allow' ? 'allow' : 'ask',
    isReadOnly: row.is_read_only,
    connectionId: row.connection_id,
    tool: row.name,
    fingerprint: row.fingerprint,
    connectionName: row.connection_name,
    url: row.url,
  };
}
