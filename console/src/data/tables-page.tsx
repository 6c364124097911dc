import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useState } from 'react';
import { Fetched } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { Entries } from './entries.tsx';
import { type Filter, FilterChoice, filterOf } from './filter.tsx';
import { tablesQuery } from './tables.ts';

const route = getRouteApi('/framed/');
const pauseMs = 300;

const searchOf = (search: string, { kind, tier }: Filter) => ({
  ...(search !== '' && { search }),
  ...(kind && { kind }),
  ...(tier && { tier }),
});

/** Tables and views, found by name, kind and tier. */
export function TablesPage() {
  const asked = route.useSearch();
  const { search: given = '' } = asked;
  const { kind, tier } = filterOf(asked);
  const navigate = route.useNavigate();
  const [search, setSearch] = useState(given);
  const shown = useDeferredValue(search);
  // The address follows when one pauses.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (search !== given) void navigate({ search: searchOf(search, { kind, tier }), replace: true });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [search, given, kind, tier, navigate]);
  const found = useQuery(tablesQuery);
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
      <FilterChoice
        {...{ kind, tier }}
        onChoose={(chosen) => void navigate({ search: searchOf(search, chosen), replace: true })}
      />
      <Fetched asked={found}>{(all) => <Entries {...{ all, kind, tier }} search={shown} />}</Fetched>
    </>
  );
}
