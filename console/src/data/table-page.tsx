import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { OnDemand } from '../parts/on-demand.tsx';
import { asLongAs } from '../parts/polling.ts';
import { Fetched } from '../parts/states.tsx';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';
import { About } from './about.tsx';
import { Columns } from './columns.tsx';
import { Grants } from './grants.tsx';
import { Lineage } from './lineage.tsx';
import { Profile } from './profile.tsx';
import { RemoveSubject } from './remove-subject.tsx';
import { RowCount } from './row-count.tsx';
import { Rows } from './rows.tsx';
import { Statement } from './statement.tsx';
import { type Catalog, describe, isView } from './subject.ts';
import { Verification } from './verification.tsx';
import { Versions } from './versions.tsx';

const route = getRouteApi('/framed/tables/$tableId');
const labels = texts.table;
const everyMs = 2_000;

/** A table or a view: its rows first, and what is known of it as one asks. */
export function TablePage() {
  const { tableId } = route.useParams();
  const asked = useQuery({
    queryKey: ['catalog', tableId],
    queryFn: () => describe(tableId),
    refetchInterval: asLongAs((data) => 'isUnbuilt' in data, everyMs),
  });
  return (
    <Fetched asked={asked}>
      {(found) =>
        'isUnbuilt' in found ? (
          <>
            <h1>{found.name}</h1>
            <Statement id={tableId} />
          </>
        ) : (
          <Described key={tableId} id={tableId} catalog={found} />
        )
      }
    </Fetched>
  );
}

function Described({ id, catalog }: { id: string; catalog: Catalog }) {
  const { version } = route.useSearch();
  const { data: me } = useMe();
  const { name, qualifiedName, description, modelingTier, lineage } = catalog;
  const facts = [
    labels.about.tiers[modelingTier],
    ...('verification' in catalog ? [labels.tests[catalog.verification.state]] : []),
    labels.made(lineage.upstream, lineage.downstream),
  ];
  // Something else may have been typed into the address.
  const past = version !== undefined && /^\d{1,15}$/.test(version) ? Number(version) : undefined;
  return (
    <>
      <h1>{name}</h1>
      <p className="facts">
        <RowCount id={id} catalog={catalog} version={past} />
        {facts.join(' · ')} ·{' '}
        <Link to="/query" search={{ sql: `SELECT * FROM ${qualifiedName}` }}>
          {labels.query}
        </Link>
      </p>
      {description !== '' && <p className="pre">{description}</p>}
      <Statement id={id} />
      <h2>{labels.rows}</h2>
      {past !== undefined && (
        <p role="status">
          {labels.past(past)}{' '}
          <Link to="/tables/$tableId" params={{ tableId: id }}>
            {labels.now}
          </Link>
        </p>
      )}
      <Rows id={id} catalog={catalog} version={past} />
      <h2>{labels.columns}</h2>
      <Columns catalog={catalog} />
      <OnDemand isKept title={labels.about.title}>
        <About id={id} catalog={catalog} />
      </OnDemand>
      {!isView(id) && (
        <>
          <OnDemand title={labels.profile.title}>
            <Profile tableId={id} />
          </OnDemand>
          <OnDemand title={labels.verification.title}>
            <Verification tableId={id} />
          </OnDemand>
          <OnDemand title={labels.versions.title}>
            <Versions tableId={id} />
          </OnDemand>
          {me?.data.admin && (
            <OnDemand isKept title={labels.grants.title}>
              <Grants tableId={id} />
            </OnDemand>
          )}
        </>
      )}
      <OnDemand title={labels.lineage.title}>
        <Lineage id={id} name={name} />
      </OnDemand>
      <RemoveSubject id={id} name={name} />
    </>
  );
}
