import { inOrganization } from '../../../../data/postgres/client.ts';
import { relationRefs } from '../../../tables/derived-relations/describe.ts';
import { failingTables } from '../../../tables/verification/table-state.ts';
import type { ToolCall } from './tool.ts';

/** Maximum number of tables, and of tests of one, that are named. */
const maxNamed = 5;

/** A table that was read although its tests fail. */
export interface FailingTable {
  name: string;
  testedAt: string;
  tests: string[];
}

/** Those of the tables that were read whose tests fail, as far as the asker may see them. */
export function failingOf(
  { deps, organizationId }: Pick<ToolCall, 'deps' | 'organizationId'>,
  tableIds: readonly string[],
): Promise<FailingTable[]> {
  return inOrganization(deps.db, organizationId, async (db) => {
    const found = await failingTables(db, organizationId, tableIds);
    const ids = found.map(({ tableId }) => tableId);
    const names = ids.length === 0 ? new Map() : await relationRefs(db, organizationId, ids);
    return found
      .flatMap(({ tableId, at, tests }): FailingTable[] => {
        const name = names.get(tableId)?.name;
        if (name === undefined) return [];
        return [{ name, testedAt: at.toISOString(), tests: tests.slice(0, maxNamed) }];
      })
      .slice(0, maxNamed);
  });
}

/** What a tool says of them, which its model must repeat; nothing if there are none. */
export function failingNotice(tables: readonly FailingTable[]): {
  failingTables?: readonly FailingTable[];
  mustTellTests?: string;
} {
  if (tables.length === 0) return {};
  return {
    failingTables: tables,
    mustTellTests:
      'The answer uses tables whose tests fail. Say in one sentence which tables, and which tests.',
  };
}
