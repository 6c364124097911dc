import { Group } from '@mantine/core';
import { Action } from '../parts/action.tsx';
import { download } from '../session/download.ts';
import * as texts from '../texts/index.ts';
import type { OfReport } from './report.ts';
import { contentPath } from './report-text.ts';

const labels = texts.reports;
const formats = ['pdf', 'docx', 'markdown', 'raw'] as const;

/** The revision that is read, in each format that there is. */
export function Downloads({ report: { id, projectId }, revision }: OfReport) {
  return (
    <section aria-label={labels.download}>
      <h2>{labels.download}</h2>
      <Group>
        {formats.map((format) => (
          <Action
            key={format}
            does={() => download(contentPath({ projectId, reportId: id, revision, format }))}
          >
            {labels.formats[format]}
          </Action>
        ))}
      </Group>
    </section>
  );
}
