import type { Workspace } from '../../../typescript/src/index.ts';
import { some } from '../../../typescript/src/index.ts';
import { most } from '../context.ts';
import type { Kind } from './kind.ts';

export const playbooksKind = (workspace: Workspace, project_id: string): Kind => ({
  folder: 'playbooks',
  nameFields: ['title'],
  async list() {
    const path = { project_id };
    const found = await some(most, (page) =>
      workspace.get('/v1/projects/{project_id}/playbooks', { params: { path, query: page } }),
    );
    return found.map((playbook) => {
      const { id, title, description, instructions, parameters, output, model, effort } = playbook;
      return {
        id,
        name: title,
        document: { title, description, instructions, parameters, output, model, effort },
      };
    });
  },
  async create(document) {
    const { data } = await workspace.post('/v1/projects/{project_id}/playbooks', {
      params: { path: { project_id } },
      body: document as never,
    });
    return { id: data.id };
  },
  async update({ id }, document) {
    await workspace.patch('/v1/projects/{project_id}/playbooks/{playbook_id}', {
      params: { path: { project_id, playbook_id: id } },
      body: document as never,
    });
    return { id };
  },
});
