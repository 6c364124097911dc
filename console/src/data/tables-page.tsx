import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../parts/list.tsx';
import { Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/index.ts';
import { type Entry, tablesQuery } from './tables.ts';

const route = getRouteApi('/framed/');
const { columns, kinds } = texts.data;

export function TablesPage() {
  const { search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const asked = useQuery(tablesQuery);
  return (
    <>
      <h1>{texts.pages.data}</h1>
      <p className="buttons">
        <Link className="button" to="/in-project/$room" params={{ room: 'import' }}>
          {texts.intake.title}
        </Link>
      </p>
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
        <Listed entries={own} />
      ) : (
        <p>{search === '' ? texts.data.empty : texts.data.noneFound(search)}</p>
      )}
      {system.length > 0 && (
        <details>
          <summary>{texts.data.system}</summary>
          <Listed entries={system} />
        </details>
      )}
    </>
  );
}

function Listed({ entries }: { entries: readonly Entry[] }) {
  return (
    <List
      items={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          title: columns.name,
          value: ({ id, name }) => (
            <Link to="/tables/$tableId" params={{ tableId: id }}>
              {name}
            </Link>
          ),
        },
        { title: columns.kind, value: ({ kind }) => kinds[kind] },
        { title: columns.rows, value: ({ rowCount }) => rowCount?.toLocaleString('en'), isNumber: true },
        { title: columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
      ]}
    />
  );
}
