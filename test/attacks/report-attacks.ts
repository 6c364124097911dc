import type { Attack } from './attack.ts';
import { newTable, type Session } from './session.ts';

const newProject = async (session: Session): Promise<string> =>
  `/v1/projects/${(await session.call('POST', '/v1/projects', { name: 'Reports' })).body.data.id}`;

/** As much as a document may contain, in one table. */
const table = [
  '| a | b | c | d |',
  '|---|---|---|---|',
  ...Array.from({ length: 6_000 }, (_, row) => `| ${row} | word ${row} | ${row * 7} | another word |`),
].join('\n');

/** A table of a few pages. */
const usual = table.split('\n').slice(0, 800).join('\n');

/** As much as a paragraph may have of what is slow to parse, in as many paragraphs as a report may have. */
const dense = `${'**a_ '.repeat(300)}\n\n`.repeat(120);

/** A PDF of a report, whose client may leave before it is made. */
async function pdfOf(session: Session, path: string, signal: AbortSignal): Promise<number> {
  const answer = await fetch(`${session.apiUrl}${path}/content?format=pdf`, {
    headers: session.headers,
    signal,
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** A report of a few pages, and how to ask for it as PDF. */
export async function usualReport(session: Session): Promise<() => Promise<{ status: number }>> {
  const project = await newProject(session);
  const made = await session.call('POST', `${project}/reports`, {
    title: 'Usual',
    content: usual,
  });
  const path = `${project}/reports/${made.body.data.id}`;
  return async () => ({ status: await pdfOf(session, path, AbortSignal.timeout(120_000)) });
}

export const reportAttacks: readonly Attack[] = [
  {
    name: 'reports that are slow to parse as PDF, whose clients leave',
    atOnce: 12,
    async prepare(session) {
      const project = await newProject(session);
      const made = await session.call('POST', `${project}/reports`, { title: 'Dense', content: dense });
      const path = `${project}/reports/${made.body.data.id}`;
      return (count) =>
        pdfOf(session, path, AbortSignal.timeout(count % 2 === 0 ? 1_000 : 60_000)).catch(
          (error: Error) => error.name,
        );
    },
  },
  {
    name: 'large reports as PDF and DOCX',
    atOnce: 8,
    async prepare(session) {
      const project = await newProject(session);
      const made = await session.call('POST', `${project}/reports`, { title: 'Large', content: table });
      const { id } = made.body.data;
      return async (count) => {
        const format = count % 2 === 0 ? 'pdf' : 'docx';
        const url = `${session.apiUrl}${project}/reports/${id}/content?format=${format}`;
        const answer = await fetch(url, { headers: session.headers });
        await answer.arrayBuffer();
        return answer.status;
      };
    },
  },
  {
    name: 'as many runs of a playbook as there may be',
    atOnce: 8,
    async prepare(session) {
      const project = await newProject(session);
      const columns = Array.from({ length: 40 }, (_, index) => ({ name: `column ${index} of many words` }));
      const attached = await newTable(session, columns);
      await session.call('POST', `${project}/catalog-entries`, { table_id: attached });
      const instructions = Array.from(
        { length: 60 },
        (_, index) => `- number of rows by column ${index % 40} of many words as a bar chart`,
      ).join('\n');
      const body = { title: 'Much', instructions, model: 'offline' };
      const { id } = (await session.call('POST', `${project}/playbooks`, body)).body.data;
      return async () => (await session.call('POST', `${project}/playbooks/${id}/runs`, {})).status;
    },
  },
];
