import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  requireScopes,
} from '@modelcontextprotocol/server';
import { type Inside, path, Refusal } from './inside.ts';
import { maxAnswer } from './tool.ts';

/** Listed are the newest reports of the newest projects; list_reports has all of a project. */
const listedProjects = 10;
const listedReports = 100;
const maxRows = 1_000;

export const reportUri = (projectId: string, reportId: string): string =>
  `workspace://projects/${projectId}/reports/${reportId}`;

export const resultUri = (projectId: string, conversationId: string, resultId: string): string =>
  `workspace://projects/${projectId}/conversations/${conversationId}/results/${resultId}`;

/** Reports as Markdown, and the rows of the analyst's results as JSON. */
export function addResources(server: McpServer, inside: Inside): void {
  const report = new ResourceTemplate('workspace://projects/{projectId}/reports/{reportId}', {
    list: async () => ({ resources: await asked(() => newestReports(inside)) }),
  });
  server.registerResource(
    'report',
    report,
    {
      title: 'Report',
      description: 'A report of a project.',
      mimeType: 'text/markdown',
      scopeChallenge: requireScopes('agent:read'),
    },
    async (uri, { projectId, reportId }) => {
      const at = () => path`/v1/projects/${String(projectId)}/reports/${String(reportId)}/content`;
      const text = await asked(() => inside.text(at(), { query: { format: 'raw' } }), uri.href);
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text: shortened(text) }] };
    },
  );
  const result = new ResourceTemplate(
    'workspace://projects/{projectId}/conversations/{conversationId}/results/{resultId}',
    { list: undefined },
  );
  server.registerResource(
    'result',
    result,
    {
      title: 'Rows of a result',
      description: `The rows that the analyst saw: up to ${maxRows}, or as many as fit.`,
      mimeType: 'application/json',
      scopeChallenge: requireScopes('agent:read'),
    },
    async (uri, { projectId, conversationId, resultId }) => {
      const [project, conversation, id] = [projectId, conversationId, resultId].map(String);
      const at = () => path`/v1/projects/${project!}/conversations/${conversation!}/results/${id!}`;
      const rows = (limit: number) => asked(() => inside.text(at(), { query: { limit } }), uri.href);
      let text = await rows(maxRows);
      for (let limit = maxRows; text.length > maxAnswer && limit > 1; ) {
        limit = Math.max(1, Math.floor((limit * maxAnswer) / text.length / 2));
        text = await rows(limit);
      }
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: shortened(text) }] };
    },
  );
}

async function newestReports({ json }: Inside) {
  const { items: projects } = await json('GET', '/v1/projects', { query: { limit: listedProjects } });
  const resources: { uri: string; name: string; mimeType: string; description: string }[] = [];
  for (const { id, name } of projects as { id: string; name: string }[]) {
    const { items } = await json('GET', path`/v1/projects/${id}/reports`);
    for (const report of items.slice(0, listedReports - resources.length))
      resources.push({
        uri: reportUri(id, report.id),
        name: report.title,
        mimeType: 'text/markdown',
        description: `A report of ${name}, revision ${report.revision}.`,
      });
    if (resources.length === listedReports) break;
  }
  return resources;
}

/** Something that is not there, or not the caller's, and any other refusal are the protocol's own errors. */
async function asked<Answer>(ask: () => Promise<Answer>, uri = ''): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 404) throw new ResourceNotFoundError(uri);
    const code = error.isTransient ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
    throw new ProtocolError(code, String(error.answer['detail']), error.answer);
  }
}

const shortened = (text: string) =>
  text.length > maxAnswer
    ? `${text.slice(0, maxAnswer)}\n… cut after ${maxAnswer} of ${text.length} characters.`
    : text;
