import { useQuery } from '@tanstack/react-query';
import { type components, WorkspaceError } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { useGone } from '../parts/use-gone.ts';
import { cellText } from '../parts/value.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

type TableProfile = components['schemas']['TableProfile'];
type Column = TableProfile['columns'][number];

const labels = texts.table.profile;
const everyMs = 1_000;
/** A profile takes as long as reading the table; after that, whoever waits looks again. */
const mostMs = 600_000;

/** The profile of a table; null where there is none yet. */
export const profileOf = (tableId: string) => ({
  queryKey: ['profile', tableId],
  queryFn: () => read(tableId),
});

/** What is in the columns of a table: counts, extremes, and how the values are spread. */
export function Profile({ tableId }: { tableId: string }) {
  const path = { table_id: tableId };
  const { queryKey } = profileOf(tableId);
  const asked = useQuery(profileOf(tableId));
  const isGone = useGone();
  const make = async () => {
    const { data: run } = await workspace.post('/v1/tables/{table_id}/profile', { params: { path } });
    for (const giveUpAt = Date.now() + mostMs; Date.now() < giveUpAt; ) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      const { profile, failure } = await read(tableId);
      if (failure !== undefined) throw new Error(failure);
      if (profile !== null && profile.computedAt >= run.createdAt) return;
      if (isGone.current) return;
    }
    throw new Error(labels.notDone);
  };
  return (
    <Fetched asked={asked}>
      {({ profile }) => (
        <>
          {profile === null ? <p>{labels.none}</p> : <Counted profile={profile} />}
          <Action changes={[queryKey]} does={make}>
            {profile === null ? labels.make : labels.again}
          </Action>
        </>
      )}
    </Fetched>
  );
}

interface Known {
  profile: TableProfile | null;
  /** Why the last attempt made none. */
  failure?: string;
}

async function read(tableId: string): Promise<Known> {
  try {
    const path = { table_id: tableId };
    return { profile: (await workspace.get('/v1/tables/{table_id}/profile', { params: { path } })).data };
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== 'not_materialized') throw error;
    const [, failure] = /(The last attempt failed .*)$/.exec(error.message) ?? [];
    return { profile: null, ...(failure === undefined ? {} : { failure }) };
  }
}

function Counted({ profile }: { profile: TableProfile }) {
  const { rowCount, columns, computedAt, stale } = profile;
  return (
    <>
      <p className="facts">
        {texts.table.counted(rowCount)} · {labels.at} <Time at={computedAt} /> {stale && labels.stale}
      </p>
      <List
        label={labels.title}
        items={columns}
        keyOf={({ name }) => name}
        columns={[
          { title: labels.columns.name, value: ({ name }) => name },
          { title: labels.columns.nulls, value: ({ nulls }) => nulls.toLocaleString(), isNumber: true },
          {
            title: labels.columns.distinct,
            value: ({ distinctApprox }) => distinctApprox.toLocaleString(),
            isNumber: true,
          },
          {
            title: labels.columns.range,
            value: ({ min, max }) => (min === null ? '' : `${cellText(min)} … ${cellText(max)}`),
          },
          {
            title: labels.columns.mean,
            value: ({ mean }) => mean?.toLocaleString(undefined, { maximumSignificantDigits: 6 }),
            isNumber: true,
          },
          { title: labels.columns.spread, value: (column) => <Spread column={column} /> },
        ]}
      />
    </>
  );
}

const width = 160;
const height = 36;

/** Bars of equal width, each with its count for whoever points at it; of texts the most frequent ones. */
function Spread({ column: { name, histogram, top } }: { column: Column }) {
  if (histogram.length === 0)
    return top
      .map(({ value, count }) => labels.value(cellText(value), count))
      .slice(0, 5)
      .join(', ');
  const most = Math.max(...histogram.map(({ count }) => count), 1);
  const step = width / histogram.length;
  return (
    <svg width={width} height={height} role="img" aria-label={labels.spread(name)}>
      {histogram.map(({ from, to, count }, at) => (
        <rect
          key={cellText(from)}
          className="bar"
          x={at * step}
          width={Math.max(1, step - 1)}
          y={height - (count / most) * height}
          height={(count / most) * height}
        >
          <title>{labels.bin(cellText(from), cellText(to), count)}</title>
        </rect>
      ))}
    </svg>
  );
}
