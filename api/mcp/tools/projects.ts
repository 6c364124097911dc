import { z } from 'zod';
import { defineTool, fields } from '../tool.ts';

export const listProjects = defineTool({
  name: 'list_projects',
  title: 'List projects',
  description:
    'Lists the projects of the workspace, newest first. Reports, playbooks, runs and conversations belong to a project.',
  scope: 'agent:read',
  input: z.strictObject({ limit: fields.limit(200, 50), cursor: fields.cursor }),
  run: async ({ limit, cursor }, { json }) => ({
    data: await json('GET', '/v1/projects', { query: { limit, cursor } }),
  }),
});
