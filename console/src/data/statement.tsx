import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { addressOf, type Changed } from '../parts/statement-address.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { gridTableQuery } from './grid-table.ts';
import { isView } from './subject.ts';

/** The statement that a view or a calculated table is made by, once it is known; other tables have none. */
export function useDefinition(id: string) {
  const view = useQuery({
    queryKey: ['view', id],
    queryFn: () => workspace.get('/v1/views/{view_id}', { params: { path: { view_id: id } } }),
    enabled: isView(id),
  });
  const table = useQuery({ ...gridTableQuery(id), enabled: !isView(id) });
  const made = view.data?.data;
  const sql = made?.query ?? table.data?.query ?? undefined;
  const revision = made?.revision ?? table.data?.revision ?? 0;
  const asked = isView(id) ? view : table;
  // System tables are not known there, so there is nothing to show for them.
  const isUnknown = asked.error instanceof WorkspaceError && asked.error.status === 404;
  return {
    definition: sql === undefined ? undefined : { sql, of: { id, revision } },
    calculated: sql === undefined ? undefined : table.data,
    failed: asked.data === undefined && asked.error !== null && !isUnknown ? asked : undefined,
    isLoading: isView(id) && view.data === undefined && view.error === null ? view : undefined,
  };
}

/** What a view or a calculated table is made by. */
export const Statement = ({ sql, of }: { sql: string; of: Changed }) => (
  <>
    <Group>
      <LinkButton to="/query" {...addressOf(sql)}>
        {texts.ask.tool.query}
      </LinkButton>
      <LinkButton to="/query" {...addressOf(sql, of)}>
        {texts.table.statement.change}
      </LinkButton>
    </Group>
    <pre>{sql}</pre>
  </>
);
