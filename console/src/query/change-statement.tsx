import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { isView } from '../data/subject.ts';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const told = texts.query.change;

interface Definition {
  id: string;
  name: string;
  query: string | null;
  revision: number;
}

/** A statement that was opened to be changed takes the place of the one that its view or calculated table has. */
export function ChangeStatement({ id, sql }: { id: string; sql: string }) {
  const asked = useQuery({
    queryKey: ['definition', id],
    queryFn: () => definitionOf(id),
    // The revision stays the one that was opened: what somebody else saves meanwhile is not replaced unseen.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Fetched asked={asked}>{(definition) => <Save key={id} definition={definition} sql={sql} />}</Fetched>
  );
}

function Save({ definition: { id, name, query, revision }, sql }: { definition: Definition; sql: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => replace(id, sql, revision),
    onSuccess: async () => {
      for (const key of ['catalog', 'rows', 'view', 'grid-table'])
        void queries.resetQueries({ queryKey: [key, id] });
      void queries.invalidateQueries({ queryKey: ['tables'] });
      await navigate({ to: '/tables/$tableId', params: { tableId: id } });
    },
  });
  return (
    <section aria-label={told.title(name)}>
      <p className="buttons">
        <span>
          {told.of}{' '}
          <Link to="/tables/$tableId" params={{ tableId: id }}>
            {name}
          </Link>
        </span>
        <button
          type="button"
          disabled={isPending || sql === query || sql.trim() === ''}
          onClick={() => mutate()}
        >
          {told.title(name)}
        </button>
      </p>
      {error !== null && <Failure error={error} />}
    </section>
  );
}

async function definitionOf(id: string): Promise<Definition> {
  if (isView(id)) {
    const { data } = await workspace.get('/v1/views/{view_id}', { params: { path: { view_id: id } } });
    return data;
  }
  const params = { path: { table_id: id } };
  return { id, ...(await workspace.get('/v1/grid/tables/{table_id}', { params })).data };
}

async function replace(id: string, query: string, revision: number): Promise<void> {
  const body = { query, expected_revision: revision };
  await (isView(id)
    ? workspace.patch('/v1/views/{view_id}', { params: { path: { view_id: id } }, body })
    : workspace.patch('/v1/grid/tables/{table_id}', { params: { path: { table_id: id } }, body }));
}
