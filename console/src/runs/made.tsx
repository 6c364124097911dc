import { Link } from '@tanstack/react-router';
import { TableName } from '../data/table-name.tsx';
import { Action } from '../parts/action.tsx';
import type { Run } from '../parts/run.ts';
import { download } from '../session/download.ts';
import * as texts from '../texts/index.ts';
import { ExportedFiles } from './exported-files.tsx';
import { madeBy } from './made-by.ts';

const labels = texts.runs.made;

/** What came of a run, at its places. */
export function Made({ run, projectId }: { run: Run; projectId: string }) {
  if (run.output === null) return null;
  const { tableIds, reportIds, fileIds, exportId, counts } = madeBy(run.output);
  return (
    <section aria-label={labels.title}>
      <h2>{labels.title}</h2>
      <ul className="plain">
        {tableIds.map((id) => (
          <li key={id}>
            <Link to="/tables/$tableId" params={{ tableId: id }}>
              {labels.table} <TableName id={id} />
            </Link>
          </li>
        ))}
        {reportIds.map((id) => (
          <li key={id}>
            <Link to="/projects/$projectId/reports/$reportId" params={{ projectId, reportId: id }}>
              {labels.report}
            </Link>
          </li>
        ))}
        {fileIds.map((id) => (
          <li key={id}>
            <Action does={() => download(`/v1/projects/${projectId}/files/${id}/content`)}>
              {labels.file}
            </Action>
          </li>
        ))}
        {counts.map(([name, value]) => (
          <li key={name}>
            {name}: {value}
          </li>
        ))}
      </ul>
      {exportId !== undefined && <ExportedFiles exportId={exportId} />}
    </section>
  );
}
