import { unrestricted } from '../../../../data/postgres/acting.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { calculationStates } from '../../../tables/calculated-tables/status.ts';
import { listDefined } from '../../../tables/derived-relations/definitions.ts';
import { relationRefs } from '../../../tables/derived-relations/describe.ts';
import type { ToolCall } from './tool.ts';

/** Maximum number of tables, and of what changed for one, that are named. */
const maxNamed = 5;

/** When a calculated table was built, and what has changed since; nothing if it is fresh. */
export interface Freshness {
  /** Null if the asker may not see the table, but a view that reads it. */
  name: string | null;
  builtAt: string;
  /** Names of tables, as far as the asker may see them. */
  changed: string[];
  /** Whether its query, or that of a view in it, is another one. */
  isRedefined: boolean;
  isStale: boolean;
}

/** How fresh the calculated tables among these are, by id; those that were never built are left out. */
export async function freshnessOf(
  { deps, organizationId }: Pick<ToolCall, 'deps' | 'organizationId'>,
  relationIds: readonly string[],
): Promise<Map<string, Freshness>> {
  const ids = await inOrganization(deps.db, organizationId, (db) =>
    unrestricted(db, async () => {
      const calculated = await listDefined(db, organizationId, { ids: relationIds, kind: 'calc' });
      return calculated.filter(({ built }) => built !== null).map(({ id }) => id);
    }),
  );
  if (ids.length === 0) return new Map();
  const states = await calculationStates(deps, organizationId, ids);
  const because = [...states.values()].flatMap(({ staleBecause }) => staleBecause);
  const names = await inOrganization(deps.db, organizationId, (db) =>
    relationRefs(db, organizationId, [...ids, ...because]),
  );
  return new Map(
    [...states].map(([id, { materializedAt, staleBecause }]): [string, Freshness] => [
      id,
      {
        name: names.get(id)?.name ?? null,
        builtAt: materializedAt ?? '',
        changed: staleBecause.flatMap((each) => names.get(each)?.name ?? []).slice(0, maxNamed),
        isRedefined: staleBecause.includes('definition'),
        isStale: staleBecause.length > 0,
      },
    ]),
  );
}

export type StaleTable = Omit<Freshness, 'isStale'>;

/** What a tool says about the stale ones, which its model must repeat; nothing if there are none. */
export function staleNotice(found: Iterable<Freshness>): { staleTables?: StaleTable[]; mustTell?: string } {
  const stale = [...found].filter(({ isStale }) => isStale).slice(0, maxNamed);
  if (stale.length === 0) return {};
  return {
    staleTables: stale.map(({ isStale: _, ...table }) => table),
    mustTell:
      'The answer uses stale tables. Say which tables, when each was built, and what has changed since.',
  };
}
