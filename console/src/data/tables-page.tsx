import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import { texts } from '../texts.ts';

interface Entry {
  id: string;
  name: string;
  kind: keyof typeof texts.data.kinds;
  rowCount: number | null;
  updatedAt: string;
}

/** Tables and views, by name. */
async function allEntries(): Promise<Entry[]> {
  const [{ tables }, { views }] = await Promise.all([
    workspace.get('/v1/tables'),
    workspace.get('/v1/views'),
  ]);
  const all = [
    ...tables.map(
      ({ id, name, kind, rowCount, updatedAt }): Entry => ({ id, name, kind, rowCount, updatedAt }),
    ),
    ...views.map(({ id, name, updatedAt }): Entry => ({ id, name, kind: 'view', rowCount: null, updatedAt })),
  ];
  return all.sort((one, other) => one.name.localeCompare(other.name));
}

const route = getRouteApi('/framed/');
const { columns, kinds } = texts.data;

export function TablesPage() {
  const { search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const asked = useQuery({ queryKey: ['tables'], queryFn: allEntries });
  return (
    <>
      <h1>{texts.pages.data}</h1>
      <input
        type="search"
        aria-label={texts.data.search}
        placeholder={texts.data.search}
        value={search}
        onChange={({ target }) =>
          void navigate({ search: target.value === '' ? {} : { search: target.value }, replace: true })
        }
      />
      <Fetched asked={asked}>{(all) => <Entries all={all} search={search} />}</Fetched>
    </>
  );
}

function Entries({ all, search }: { all: readonly Entry[]; search: string }) {
  const found = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const own = found.filter(({ kind }) => kind !== 'system');
  const system = found.filter(({ kind }) => kind === 'system');
  return (
    <>
      {own.length > 0 ? (
        <List entries={own} />
      ) : (
        <p>{search === '' ? texts.data.empty : texts.data.noneFound(search)}</p>
      )}
      {system.length > 0 && (
        <details>
          <summary>{texts.data.system}</summary>
          <List entries={system} />
        </details>
      )}
    </>
  );
}

function List({ entries }: { entries: readonly Entry[] }) {
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">{columns.name}</th>
          <th scope="col">{columns.kind}</th>
          <th scope="col" className="number">
            {columns.rows}
          </th>
          <th scope="col">{columns.changed}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, name, kind, rowCount, updatedAt }) => (
          <tr key={id}>
            <th scope="row">
              <Link to="/tables/$tableId" params={{ tableId: id }}>
                {name}
              </Link>
            </th>
            <td>{kinds[kind]}</td>
            <td className="number">{rowCount?.toLocaleString('en')}</td>
            <td>
              <time dateTime={updatedAt}>{updatedAt.slice(0, 16).replace('T', ' ')}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
