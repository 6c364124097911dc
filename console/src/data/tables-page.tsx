import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useState } from 'react';
import { List } from '../parts/list.tsx';
import { Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import * as texts from '../texts/index.ts';
import { type Entry, tablesQuery } from './tables.ts';

const route = getRouteApi('/framed/');
const { columns, kinds } = texts.data;
const pauseMs = 300;
/** More than that nobody reads; the search finds the others. */
const maxShown = 500;

export function TablesPage() {
  const { search: given = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [search, setSearch] = useState(given);
  const shown = useDeferredValue(search);
  // The address follows when one pauses.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (search !== given) void navigate({ search: search === '' ? {} : { search }, replace: true });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [search, given, navigate]);
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
        onChange={({ target }) => setSearch(target.value)}
      />
      <Fetched asked={asked}>{(all) => <Entries all={all} search={shown} />}</Fetched>
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
    <>
      <List
        items={entries.slice(0, maxShown)}
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
      {entries.length > maxShown && <p className="hint">{texts.data.more(entries.length - maxShown)}</p>}
    </>
  );
}
