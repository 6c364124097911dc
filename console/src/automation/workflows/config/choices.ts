import { queryOptions } from '@tanstack/react-query';
import { some } from '../../../../../clients/typescript/src/index.ts';
import { workspace } from '../../../session/login.ts';
import type { Choices } from './members.ts';

/** More are not offered. */
const most = 500;

export interface Choice {
  id: string;
  name: string;
}

/** What a member of a config may name, with the names that people know. */
export const choicesQuery = (of: Choices, projectId: string) =>
  queryOptions({
    queryKey: ['config-choices', of, projectId],
    queryFn: () => fetched[of](projectId),
  });

const fetched: Record<Choices, (projectId: string) => Promise<Choice[]>> = {
  async playbooks(projectId) {
    const found = await some(most, (page) =>
      workspace.get('/v1/projects/{project_id}/playbooks', {
        params: { path: { project_id: projectId }, query: page },
      }),
    );
    return found.map(({ id, title }) => ({ id, name: title }));
  },
  async tables() {
    const { tables } = await workspace.get('/v1/tables');
    return tables.map(({ id, name }) => ({ id, name }));
  },
  async datasets() {
    const connections = await some(most, (page) =>
      workspace.get('/v1/connections/data', { params: { query: page } }),
    );
    const found: Choice[] = [];
    for (const connection of connections) {
      const datasets = await some(most, (page) =>
        workspace.get('/v1/connections/data/{connection_id}/datasets', {
          params: { path: { connection_id: connection.id }, query: page },
        }),
      );
      found.push(...datasets.map(({ id, name }) => ({ id, name: `${name} (${connection.name})` })));
    }
    return found;
  },
};
