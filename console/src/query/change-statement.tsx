import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { isView } from '../data/subject.ts';
import type { Changed } from '../parts/statement-address.ts';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.query.change;

interface Definition {
  name: string;
  query: string | null;
  revision: number;
}

/** A statement that was opened to be changed takes the place of the one that its view or calculated table has. */
export function ChangeStatement({ changed, sql }: { changed: Changed; sql: string }) {
  const queryKey = ['definition', changed.id];
  const asked = useQuery({ queryKey, queryFn: () => definitionOf(changed.id) });
  return (
    <Fetched asked={asked}>
      {(definition) => <Save key={changed.id} {...{ definition, changed, sql, queryKey }} />}
    </Fetched>
  );
}

interface SaveProps {
  /** As it is now. */
  definition: Definition;
  /** As it was opened. */
  changed: Changed;
  sql: string;
  queryKey: string[];
}

function Save({
  definition: { name, query, revision },
  changed: { id, revision: opened },
  sql,
  queryKey,
}: SaveProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (expected: number) => replace(id, sql, expected),
    onSuccess: async () => {
      for (const key of ['catalog', 'rows', 'view', 'grid-table'])
        void queries.resetQueries({ queryKey: [key, id] });
      void queries.invalidateQueries({ queryKey: ['tables'] });
      await navigate({ to: '/tables/$tableId', params: { tableId: id } });
    },
    onError: () => queries.invalidateQueries({ queryKey }),
  });
  const isOther = error instanceof WorkspaceError && error.code === 'revision_conflict';
  return (
    <section aria-label={labels.title(name)}>
      <Group>
        <span>
          {labels.of}{' '}
          <Link to="/tables/$tableId" params={{ tableId: id }}>
            {name}
          </Link>
        </span>
        <Button disabled={isPending || sql === query || sql.trim() === ''} onClick={() => mutate(opened)}>
          {labels.title(name)}
        </Button>
      </Group>
      {error !== null && <Failure error={error} />}
      {isOther && (
        <>
          <p>{labels.now}</p>
          <pre>{query}</pre>
          <Group>
            <Button disabled={isPending} onClick={() => mutate(revision)}>
              {labels.replace}
            </Button>
          </Group>
        </>
      )}
    </section>
  );
}

async function definitionOf(id: string): Promise<Definition> {
  if (isView(id))
    return (await workspace.get('/v1/views/{view_id}', { params: { path: { view_id: id } } })).data;
  return (await workspace.get('/v1/grid/tables/{table_id}', { params: { path: { table_id: id } } })).data;
}

async function replace(id: string, query: string, revision: number): Promise<void> {
  const body = { query, expected_revision: revision };
  await (isView(id)
    ? workspace.patch('/v1/views/{view_id}', { params: { path: { view_id: id } }, body })
    : workspace.patch('/v1/grid/tables/{table_id}', { params: { path: { table_id: id } }, body }));
}
