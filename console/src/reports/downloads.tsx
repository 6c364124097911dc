import { Action } from '../parts/action.tsx';
import { download } from '../parts/download.ts';
import * as texts from '../texts/index.ts';
import type { OfReport } from './report.ts';
import { contentPath } from './report-text.ts';

const told = texts.reports;
const formats = ['pdf', 'docx', 'markdown', 'raw'] as const;

/** The revision that is read, in each format that there is. */
export function Downloads({ report: { id, projectId }, revision }: OfReport) {
  return (
    <section aria-label={told.download}>
      <h2>{told.download}</h2>
      <div className="buttons">
        {formats.map((format) => (
          <Action
            key={format}
            isPlain
            does={() => download(contentPath({ projectId, reportId: id, revision, format }))}
          >
            {told.formats[format]}
          </Action>
        ))}
      </div>
    </section>
  );
}
