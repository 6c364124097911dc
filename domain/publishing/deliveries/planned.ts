import { derivedId } from '../../../data/ids.ts';
import type { DeliveredContent, MailContent } from './content.ts';
import type { NewDelivery } from './deliveries.ts';
import { fileName, maxPathBytes, withoutAround } from './file-name.ts';

/** The output of a fire. */
export type DeliveredOutput =
  | { reportId: string; title: string; revision: number }
  | { fileId: string; path: string };

export interface PlannedOutput {
  organizationId: string;
  projectId: string;
  scheduleRunId: string;
  /** The project folder for copies; empty for none. */
  outputFolder: string;
  emailRecipients: readonly { email: string }[];
  output: DeliveredOutput;
  /**
   * The fire's local time in the schedule: 2027-03-28T02:30:00. Distinguishes the files of one fire from
   * those of the next.
   */
  localTime: string;
  createdAtMs: number;
}

const maxSubjectLength = 250;

const endings = { markdown: 'md', pdf: 'pdf', docx: 'docx' } as const;

/** The deliveries of a fire's output. Planning again gives the same ids. */
export function outputDeliveries(planned: PlannedOutput): NewDelivery[] {
  const rows = [...filesOf(planned), ...mailsOf(planned)];
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

function filesOf(planned: PlannedOutput): NewDelivery[] {
  const folder = withoutAround(planned.outputFolder, '/');
  if (folder === '') return [];
  return thingsOf(planned, maxPathBytes - Buffer.byteLength(`${folder}/`)).map((thing) =>
    delivery(planned, 'file', `${folder}/${thing.name}`, thing),
  );
}

function mailsOf(planned: PlannedOutput): NewDelivery[] {
  const { output, emailRecipients } = planned;
  const things = thingsOf(planned, maxPathBytes);
  const isReport = 'reportId' in output;
  const title = isReport ? output.title : output.path.slice(output.path.lastIndexOf('/') + 1);
  const content: MailContent = {
    subject: oneLine(title),
    text: isReport
      ? { reportId: output.reportId, revision: output.revision }
      : `The file ${output.path} is attached.\n`,
    attachments: things.filter((thing) => thing.type === 'file' || thing.format === 'pdf'),
  };
  return emailRecipients.map(({ email }) => delivery(planned, 'email', email.trim(), content));
}

function thingsOf({ output, localTime }: PlannedOutput, maxBytes: number): DeliveredContent[] {
  const time = localTime.replaceAll(':', '-');
  if ('fileId' in output) {
    const name = output.path.slice(output.path.lastIndexOf('/') + 1);
    const dot = name.lastIndexOf('.');
    const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    return [{ type: 'file', fileId: output.fileId, name: fileName(stem, ` ${time}${ending}`, maxBytes) }];
  }
  const { reportId, revision, title } = output;
  return (['markdown', 'pdf', 'docx'] as const).map((format) => {
    const name = fileName(title, ` ${time}.${endings[format]}`, maxBytes);
    return { type: 'report', reportId, revision, format, name };
  });
}

function delivery(
  { organizationId, projectId, scheduleRunId, createdAtMs }: PlannedOutput,
  kind: 'file' | 'email',
  target: string,
  content: DeliveredContent | MailContent,
): NewDelivery {
  return {
    organization_id: organizationId,
    id: derivedId('dlv', createdAtMs, `${scheduleRunId} ${kind} ${target}`),
    project_id: projectId,
    schedule_run_id: scheduleRunId,
    kind,
    target,
    content: JSON.stringify(content),
    status: 'pending',
  };
}

function oneLine(text: string): string {
  return Array.from(text.replace(/\s+/g, ' ').trim()).slice(0, maxSubjectLength).join('');
}
