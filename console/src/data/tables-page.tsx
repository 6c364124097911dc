import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { Input } from '../parts/input.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Fetched } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { Entries } from './entries.tsx';
import { type Filter, FilterChoice, filterOf } from './filter.tsx';
import { tablesQuery } from './tables.ts';

const route = getRouteApi('/framed/data');
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
      <PageHead title={texts.pages.data}>
        <LinkButton to="/tests">{texts.pages.tests}</LinkButton>
        <LinkButton to="/in-project/$room" params={{ room: 'files' }}>
          {texts.pages.files}
        </LinkButton>
        <LinkButton
          to="/in-project/$room"
          params={{ room: 'import' }}
          variant="filled"
          leftSection={<FileUp size={14} />}
        >
          {texts.intake.title}
        </LinkButton>
      </PageHead>
      <Group mb="sm">
        <Input
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
      </Group>
      <Fetched asked={found}>{(all) => <Entries {...{ all, kind, tier }} search={shown} />}</Fetched>
    </>
  );
}
