import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Sparkles, SquareTerminal } from 'lucide-react';
import { LinkButton } from '../parts/link-button.tsx';
import { More } from '../parts/more.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PageTabs, type Tab } from '../parts/page-tabs.tsx';
import { asLongAs } from '../parts/polling.ts';
import { Fetched, Unfetched } from '../parts/states.tsx';
import { useMe } from '../session/me.ts';
import * as texts from '../texts/index.ts';
import { About } from './about.tsx';
import { Builds } from './builds.tsx';
import { Calculated } from './calculated.tsx';
import { Columns } from './columns.tsx';
import { Explore } from './explore/explore.tsx';
import { Grants } from './grants.tsx';
import { Lineage } from './lineage.tsx';
import { Profile } from './profile.tsx';
import { Refresh } from './refresh.tsx';
import { RemoveSubject } from './remove-subject.tsx';
import { RowCount } from './row-count.tsx';
import { Statement, useDefinition } from './statement.tsx';
import { type Catalog, describe, isView } from './subject.ts';
import { Verification } from './verification.tsx';
import { Versions } from './versions.tsx';

const route = getRouteApi('/framed/tables/$tableId');
const labels = texts.table;
const everyMs = 2_000;

/** A table or a view: its rows first, and what is known of it in tabs. */
export function TablePage() {
  const { tableId } = route.useParams();
  const asked = useQuery({
    queryKey: ['catalog', tableId],
    queryFn: () => describe(tableId),
    refetchInterval: asLongAs((data) => 'isUnbuilt' in data, everyMs),
  });
  return (
    <Fetched asked={asked}>
      {(found) => (
        <Shown
          key={tableId}
          id={tableId}
          name={found.name}
          catalog={'isUnbuilt' in found ? undefined : found}
        />
      )}
    </Fetched>
  );
}

interface ShownProps {
  id: string;
  name: string;
  /** Undefined as long as it was never built. */
  catalog: Catalog | undefined;
}

function Shown({ id, name, catalog }: ShownProps) {
  const { version } = route.useSearch();
  const { definition, calculated, failed, isLoading } = useDefinition(id);
  // Something else may have been typed into the address.
  const past = version !== undefined && /^\d{1,15}$/.test(version) ? Number(version) : undefined;
  return (
    <>
      <PageHead title={name} facts={catalog && <Facts {...{ id, catalog, past }} />}>
        {catalog !== undefined && (
          <>
            <LinkButton to="/in-project/$room" params={{ room: 'ask' }} leftSection={<Sparkles size={14} />}>
              {texts.pages.ask}
            </LinkButton>
            <LinkButton
              to="/query"
              search={{ sql: `SELECT * FROM ${catalog.qualifiedName}` }}
              leftSection={<SquareTerminal size={14} />}
            >
              {labels.query}
            </LinkButton>
          </>
        )}
        <More>
          <RemoveSubject id={id} name={name} />
        </More>
      </PageHead>
      {catalog !== undefined && catalog.description !== '' && <p className="pre">{catalog.description}</p>}
      {calculated !== undefined && <Calculated table={calculated} />}
      {(failed ?? isLoading) && <Unfetched asked={(failed ?? isLoading)!} />}
      <PageTabs
        label={name}
        tabs={[
          ...(catalog === undefined ? [] : ofCatalog({ id, catalog, past })),
          ...(definition === undefined
            ? []
            : [{ name: 'statement', title: labels.statement.title, content: <Statement {...definition} /> }]),
          ...(calculated === undefined
            ? []
            : [
                {
                  name: 'builds',
                  title: labels.statement.builds.title,
                  isKept: true,
                  content: (
                    <>
                      <Refresh table={calculated} />
                      <Builds tableId={id} />
                    </>
                  ),
                },
              ]),
          ...(catalog === undefined ? [] : ofContent({ id, catalog, name })),
        ]}
      />
    </>
  );
}

interface OfCatalog {
  id: string;
  catalog: Catalog;
  past: number | undefined;
}

const ofCatalog = ({ id, catalog, past }: OfCatalog): Tab[] => [
  {
    name: 'rows',
    title: labels.rows,
    content: (
      <>
        {past !== undefined && (
          <p role="status">
            {labels.past(past)}{' '}
            <Link to="/tables/$tableId" params={{ tableId: id }}>
              {labels.now}
            </Link>
          </p>
        )}
        <Explore id={id} catalog={catalog} version={past} />
      </>
    ),
  },
  { name: 'columns', title: labels.columns, content: <Columns catalog={catalog} /> },
];

const ofContent = ({ id, catalog, name }: Omit<OfCatalog, 'past'> & { name: string }): Tab[] => [
  ...(isView(id)
    ? []
    : [{ name: 'profile', title: labels.profile.title, content: <Profile tableId={id} /> }]),
  { name: 'lineage', title: labels.lineage.title, content: <Lineage id={id} name={name} /> },
  ...(isView(id)
    ? []
    : [
        { name: 'tests', title: labels.verification.title, content: <Verification tableId={id} /> },
        { name: 'versions', title: labels.versions.title, content: <Versions tableId={id} /> },
      ]),
  {
    name: 'settings',
    title: labels.settings,
    isKept: true,
    content: <SettingsOf id={id} catalog={catalog} />,
  },
];

/** What is known of it at one glance. */
function Facts({ id, catalog, past }: OfCatalog) {
  const { modelingTier, lineage } = catalog;
  return (
    <>
      <RowCount id={id} catalog={catalog} version={past} />
      {[
        labels.about.tiers[modelingTier],
        ...('verification' in catalog ? [labels.tests[catalog.verification.state]] : []),
        labels.made(lineage.upstream, lineage.downstream),
      ].join(' · ')}
    </>
  );
}

function SettingsOf({ id, catalog }: { id: string; catalog: Catalog }) {
  const { data: me } = useMe();
  return (
    <>
      <h2>{labels.about.title}</h2>
      <About id={id} catalog={catalog} />
      {!isView(id) && me?.data.admin === true && (
        <>
          <h2>{labels.grants.title}</h2>
          <Grants tableId={id} />
        </>
      )}
    </>
  );
}
