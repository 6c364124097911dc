import { Link } from '@tanstack/react-router';
import type { Entry } from '../data/tables.ts';
import { Time } from '../parts/time.tsx';
import * as texts from '../texts/index.ts';
import { Few } from './few.tsx';

const maxShown = 8;

/** The tables and views that changed last. */
export const RecentTables = ({ entries }: { entries: readonly Entry[] }) => (
  <Few
    title={texts.home.tables}
    none={texts.data.empty}
    items={[...entries]
      .sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt))
      .slice(0, maxShown)
      .map(({ id, name, kind, rowCount, updatedAt }) => ({
        key: id,
        name: (
          <Link to="/tables/$tableId" params={{ tableId: id }}>
            {name}
          </Link>
        ),
        state: rowCount === null ? texts.data.kinds[kind] : texts.table.counted(rowCount),
        when: <Time at={updatedAt} />,
      }))}
  />
);
