import { SampleData } from '../intake/sample.tsx';
import { Unfetched } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import { EntryList } from './entry-list.tsx';
import type { Filter } from './filter.tsx';
import { useKnown } from './known.ts';
import type { Entry } from './tables.ts';

interface EntriesProps extends Filter {
  all: readonly Entry[];
  search: string;
}

/** Those tables and views that are asked for; what the service keeps for itself is below them. */
export function Entries({ all, search, kind, tier }: EntriesProps) {
  const asked = useKnown();
  const known = asked.data;
  // Which are of a tier is not known before.
  if (tier !== undefined && known === undefined) return <Unfetched asked={asked} />;
  const found = all.filter(
    (entry) =>
      entry.name.toLowerCase().includes(search.toLowerCase()) &&
      (kind === undefined || entry.kind === kind) &&
      (tier === undefined || known?.get(entry.id)?.tier === tier),
  );
  const own = found.filter((entry) => entry.kind !== 'system');
  const system = found.filter((entry) => entry.kind === 'system');
  const isFiltered = kind !== undefined || tier !== undefined;
  const isEmpty = own.length === 0 && !isFiltered && search === '';
  return (
    <>
      {own.length > 0 ? (
        <EntryList entries={own} known={known} />
      ) : (
        <p>
          {isFiltered ? texts.data.noneSuch : search === '' ? texts.data.empty : texts.data.noneFound(search)}
        </p>
      )}
      {known === undefined && asked.error !== null && <Unfetched asked={asked} />}
      {isEmpty && <SampleData />}
      {system.length > 0 && (
        <details>
          <summary>{texts.data.system}</summary>
          <EntryList entries={system} known={known} />
        </details>
      )}
    </>
  );
}
