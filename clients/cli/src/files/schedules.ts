import type { components, Workspace } from '../../../typescript/src/index.ts';
import { some } from '../../../typescript/src/index.ts';
import { most } from '../context.ts';
import { Failure } from '../failure.ts';
import { type Document, says, snakeCase, withoutNulls } from './documents.ts';
import { type Kind, nameOf, type Stored } from './kind.ts';

const nameFields = ['playbook', 'description'];

/** Schedules have no name: a file finds one by the title of its playbook and its description. */
export function schedulesKind(workspace: Workspace, project_id: string): Kind {
  const playbooks = () =>
    some(most, (query) =>
      workspace.get('/v1/projects/{project_id}/playbooks', { params: { path: { project_id }, query } }),
    );

  /** The body of a schedule, with the playbook's id instead of its title. */
  async function bodyOf({ playbook, description, schedule, config }: Document) {
    const [found, another] = (await playbooks()).filter(({ title }) => title === playbook);
    if (found === undefined) throw new Failure(`There is no playbook called ${playbook}.`);
    if (another !== undefined)
      throw new Failure(`Several playbooks are called ${playbook}. Rename all but one.`);
    const target = { project_id, playbook_id: found.id };
    return { kind: 'playbook', target, description, schedule, config } as never;
  }

  async function become(id: string, status: unknown): Promise<void> {
    const params = { path: { schedule_id: id } };
    if (status === 'paused') await workspace.post('/v1/schedules/{schedule_id}/pause', { params });
    if (status === 'active') await workspace.post('/v1/schedules/{schedule_id}/resume', { params });
  }

  return {
    folder: 'schedules',
    nameFields,
    async list() {
      const titles = new Map((await playbooks()).map(({ id, title }) => [id, title]));
      const found = await some(most, (page) =>
        workspace.get('/v1/schedules', { params: { query: { project_id, ...page } } }),
      );
      return found
        .filter(({ target }) => titles.has(target.playbookId))
        .map((schedule) => scheduleOf(schedule, titles.get(schedule.target.playbookId)!));
    },
    async create(document) {
      const { data } = await workspace.post('/v1/schedules', { body: await bodyOf(document) });
      if (document['status'] === 'paused') await become(data.id, 'paused');
      return { id: data.id };
    },
    async update({ id, document: before }, document) {
      const after = { ...before, ...document };
      const params = { path: { schedule_id: id } };
      // Settings that stay are not sent: a cadence may be of a kind that can only be read.
      if (['schedule', 'config'].some((field) => !says(after[field], before[field])))
        await workspace.put('/v1/schedules/{schedule_id}', { params, body: await bodyOf(after) });
      if (after['status'] !== before['status']) await become(id, after['status']);
      return { id };
    },
  };
}

function scheduleOf(given: components['schemas']['Schedule'], playbook: string): Stored {
  const { id, description, schedule, config, status } = given;
  const isOver = status === 'done';
  const document = {
    playbook,
    description,
    schedule: withoutNulls(snakeCase(schedule)),
    config: {
      // Their names are the playbook's own.
      params: config.params,
      output_folder: config.outputFolder,
      email_recipients: config.emailRecipients,
    },
    // It was active until it fired for the last time, and does not become so again.
    status: isOver ? 'active' : status,
  };
  return { id, name: nameOf(nameFields, document), document, isOver };
}
