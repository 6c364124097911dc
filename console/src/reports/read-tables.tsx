import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { tablesWith } from '../data/tables.ts';
import { Unfetched } from '../parts/states.tsx';
import * as texts from '../texts/index.ts';
import type { Report } from './report.ts';

/** The tables whose rows a report tells of, as far as its reader may see them. */
export function ReadTables({ report: { dataVersions } }: { report: Report }) {
  const ids = dataVersions.map(({ tableId }) => tableId);
  const asked = useQuery({ ...tablesWith(ids), enabled: ids.length > 0 });
  if (ids.length === 0) return null;
  if (asked.data === undefined) return <Unfetched asked={asked} />;
  const read = asked.data.filter(({ id }) => ids.includes(id));
  if (read.length === 0) return null;
  return (
    <section aria-label={texts.reports.read}>
      <h2>{texts.reports.read}</h2>
      <ul className="plain">
        {read.map(({ id, name }) => (
          <li key={id}>
            <Link to="/tables/$tableId" params={{ tableId: id }}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
