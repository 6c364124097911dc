import type { Command } from 'commander';
import { contextOf, some } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { documentIn } from '../files/documents.ts';
import { kindsOf } from '../files/kinds.ts';
import { plain, table } from '../output.ts';
import { followed } from './runs.ts';

/** Beyond it a list is not for reading. */
const most = 10_000;
const collect = (each: string, all: string[] = []) => [...all, each];

/** `city=Porto`; a value that is JSON is that value. */
function paramsOf(given: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf('=');
      if (at < 1) throw new Failure('--param is a name and a value: city=Porto', exitCodes.usage);
      const text = each.slice(at + 1);
      try {
        return [each.slice(0, at), JSON.parse(text)];
      } catch {
        return [each.slice(0, at), text];
      }
    }),
  );
}

export function automationCommands(program: Command): void {
  playbookCommands(program);
  workflowCommands(program);
  program
    .command('schedules')
    .description('the schedules, and when they fire next')
    .action(async (_: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const found = await some(most, (cursor) =>
        workspace.get('/v1/schedules', {
          params: { query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) } },
        }),
      );
      output.show(found, () =>
        table(
          ['id', 'status', 'next', 'last', 'description'],
          found.map(({ id, status, nextRunAt, lastRunStatus, description }) => [
            id,
            status,
            nextRunAt,
            lastRunStatus,
            description,
          ]),
        ),
      );
    });
  program
    .command('connections')
    .description('the connections to other systems')
    .action(async (_: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const found = await some(most, (cursor) =>
        workspace.get('/v1/connections/data', {
          params: { query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) } },
        }),
      );
      output.show(found, () =>
        table(
          ['id', 'name', 'type', 'tested'],
          found.map(({ id, name, type, lastTestOk }) => [id, name, type, lastTestOk]),
        ),
      );
    });
}

function playbookCommands(program: Command): void {
  const playbooks = program.command('playbooks').description('list and run playbooks');

  playbooks
    .command('list', { isDefault: true })
    .description('the playbooks of the project')
    .action(async (_: object, command: Command) => {
      const context = await contextOf(command);
      const project_id = await context.project();
      const found = await some(most, (cursor) =>
        context.workspace.get('/v1/projects/{project_id}/playbooks', {
          params: {
            path: { project_id },
            query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) },
          },
        }),
      );
      context.output.show(found, () =>
        table(
          ['id', 'title', 'parameters'],
          found.map(({ id, title, parameters }) => [id, title, Object.keys(parameters).join(', ')]),
        ),
      );
    });

  playbooks
    .command('run')
    .description('have the analyst carry out a playbook, and wait for it')
    .argument('<id>')
    .option('--param <name=value>', 'a parameter; again for each', collect)
    .option('--no-wait', 'begin it, and go on')
    .action(async (id: string, options: { param?: string[]; wait: boolean }, command: Command) => {
      const context = await contextOf(command);
      const project_id = await context.project();
      const { data: run } = await context.workspace.post(
        '/v1/projects/{project_id}/playbooks/{playbook_id}/runs',
        {
          params: { path: { project_id, playbook_id: id } },
          body: { params: paramsOf(options.param) },
        },
      );
      if (options.wait) await followed(context, project_id, run.id);
      else context.output.show(run, () => `Begun: workspace runs follow ${run.id}`);
    });
}

function workflowCommands(program: Command): void {
  const workflows = program.command('workflows').description('list, apply, activate and run workflows');

  workflows
    .command('list', { isDefault: true })
    .description('your workflows')
    .action(async (_: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const found = await some(most, (cursor) =>
        workspace.get('/v1/workflows', {
          params: { query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) } },
        }),
      );
      output.show(found, () =>
        table(
          ['id', 'status', 'title', 'revision'],
          found.map(({ id, status, title, revision }) => [id, status, title, revision]),
        ),
      );
    });

  workflows
    .command('apply')
    .description(
      'make a draft of a file, or the next one of the workflow with its title; JSON of title, graph, triggers',
    )
    .argument('<file>')
    .action(async (file: string, _: object, command: Command) => {
      const context = await contextOf(command);
      const { workspace, output } = context;
      const wanted = await documentIn(file);
      const kind = (await kindsOf(context)).find(({ folder }) => folder === 'workflows')!;
      if (typeof wanted['title'] !== 'string') throw new Failure(`${file} has no title.`);
      const same = (await kind.list()).filter(({ name }) => name === wanted['title']);
      if (same.length > 1)
        throw new Failure(
          `Several workflows are called ${plain(wanted['title'])}; archive or rename the others.`,
        );
      const [before] = same;
      const { id, shownOnce } =
        before === undefined ? await kind.create(wanted) : await kind.update(before, wanted);
      const { data } = await workspace.get('/v1/workflows/{workflow_id}', {
        params: { path: { workflow_id: id } },
      });
      output.show({ ...data, shownOnce }, () =>
        [
          `${plain(data.title)} is draft ${data.revision} of ${id}. Activate it: workspace workflows activate ${id}`,
          ...shownOnce,
        ].join('\n'),
      );
    });

  workflows
    .command('activate')
    .description('freeze the draft as a version, and let its triggers start it')
    .argument('<id>')
    .action(async (id: string, _: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const at = { params: { path: { workflow_id: id } } };
      const { data: draft } = await workspace.get('/v1/workflows/{workflow_id}', at);
      const { data } = await workspace.post('/v1/workflows/{workflow_id}/activation', {
        ...at,
        body: { expected_revision: draft.revision },
      });
      output.show(data, () => `${plain(data.title)} is ${data.status}, version ${data.activeVersionId}.`);
    });

  workflows
    .command('run')
    .description('run the active version, and wait for it')
    .argument('<id>')
    .option('--param <name=value>', 'a parameter; again for each', collect)
    .option('--no-wait', 'begin it, and go on')
    .action(async (id: string, options: { param?: string[]; wait: boolean }, command: Command) => {
      const context = await contextOf(command);
      const { data: run } = await context.workspace.post('/v1/workflows/{workflow_id}/runs', {
        params: { path: { workflow_id: id } },
        body: { params: paramsOf(options.param) },
      });
      if (options.wait) await followed(context, run.projectId!, run.id);
      else context.output.show(run, () => `Begun: workspace runs follow ${run.id}`);
    });

  workflows
    .command('logs')
    .description('the newest runs of a workflow')
    .argument('<id>')
    .action(async (id: string, _: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const found = await some(50, (cursor) =>
        workspace.get('/v1/workflows/{workflow_id}/runs', {
          params: {
            path: { workflow_id: id },
            query: { limit: 50, ...(cursor === undefined ? {} : { cursor }) },
          },
        }),
      );
      output.show(found, () =>
        table(
          ['id', 'status', 'trigger', 'began', 'error'],
          found.map(({ id: run, status, trigger, createdAt, error }) => [
            run,
            status,
            trigger.type,
            createdAt.slice(0, 19),
            error?.message,
          ]),
        ),
      );
    });
}
