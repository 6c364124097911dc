import type { Command } from 'commander';
import { some } from '../../../typescript/src/index.ts';
import { type Context, collect, contextOf, most } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { documentIn } from '../files/documents.ts';
import { nameIn, sameAs } from '../files/kinds.ts';
import { workflowsKind } from '../files/workflows.ts';
import { plain } from '../output.ts';
import { followed, type Run } from './runs.ts';

/** `city=Porto`; a value that is JSON is that value. */
function paramsOf(given: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf('=');
      if (at < 1)
        throw new Failure('--param must be a name and a value, such as city=Porto.', exitCodes.usage);
      const text = each.slice(at + 1);
      try {
        return [each.slice(0, at), JSON.parse(text)];
      } catch {
        return [each.slice(0, at), text];
      }
    }),
  );
}

/** What was begun is followed to its end, unless the person goes on. */
async function begun(context: Context, run: Run, { wait }: { wait: boolean }): Promise<void> {
  if (wait) return followed(context, run.projectId!, run.id);
  context.output.show(run, () => `Started. Follow it: workspace runs follow ${run.id}`);
}

export function automationCommands(program: Command): void {
  playbookCommands(program);
  workflowCommands(program);
  program
    .command('schedules')
    .description('list schedules and their next runs')
    .action(async (_: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const found = await some(most, (page) =>
        workspace.get('/v1/schedules', {
          params: { query: page },
        }),
      );
      output.list(found, 'There are no schedules. Create them from files: workspace apply DIR', {
        id: ({ id }) => id,
        status: ({ status }) => status,
        next: ({ nextRunAt }) => nextRunAt,
        last: ({ lastRunStatus }) => lastRunStatus,
        description: ({ description }) => description,
      });
    });
  program
    .command('connections')
    .description('list connections to other systems')
    .action(async (_: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const found = await some(most, (page) =>
        workspace.get('/v1/connections/data', {
          params: { query: page },
        }),
      );
      output.list(found, 'There are no connections. Create them from files: workspace apply DIR', {
        id: ({ id }) => id,
        name: ({ name }) => name,
        type: ({ type }) => type,
        tested: ({ lastTestOk }) => lastTestOk,
      });
    });
}

function playbookCommands(program: Command): void {
  const playbooks = program.command('playbooks').description('list and run playbooks');

  playbooks
    .command('list', { isDefault: true })
    .description('list the playbooks of the project')
    .action(async (_: object, command: Command) => {
      const context = await contextOf(command);
      const project_id = await context.project();
      const found = await some(most, (page) =>
        context.workspace.get('/v1/projects/{project_id}/playbooks', {
          params: {
            path: { project_id },
            query: page,
          },
        }),
      );
      context.output.list(
        found,
        'The project has no playbooks. Create them from files: workspace apply DIR',
        {
          id: ({ id }) => id,
          title: ({ title }) => title,
          parameters: ({ parameters }) => Object.keys(parameters).join(', '),
        },
      );
    });

  playbooks
    .command('run')
    .description('run a playbook and wait for the result')
    .argument('<id>')
    .option('--param <name=value>', 'value of a parameter (repeatable)', collect)
    .option('--no-wait', 'start the run without waiting')
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
      await begun(context, run, options);
    });
}

function workflowCommands(program: Command): void {
  const workflows = program.command('workflows').description('list, apply, activate and run workflows');

  workflows
    .command('list', { isDefault: true })
    .description('list your workflows')
    .action(async (_: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const found = await some(most, (page) =>
        workspace.get('/v1/workflows', {
          params: { query: page },
        }),
      );
      output.list(found, 'You have no workflows. Create one from a file: workspace workflows apply FILE', {
        id: ({ id }) => id,
        status: ({ status }) => status,
        title: ({ title }) => title,
        revision: ({ revision }) => revision,
      });
    });

  workflows
    .command('apply')
    .description(
      'create a draft from a JSON file of title, graph and triggers, or update the workflow with the same title',
    )
    .argument('<file>')
    .action(async (file: string, _: object, command: Command) => {
      const context = await contextOf(command);
      const { workspace, output } = context;
      const wanted = await documentIn(file);
      const kind = workflowsKind(workspace, await context.project());
      const before = sameAs(kind, await kind.list(), nameIn(kind, wanted, file));
      const { id, shownOnce = [] } =
        before === undefined ? await kind.create(wanted) : await kind.update(before, wanted);
      const { data } = await workspace.get('/v1/workflows/{workflow_id}', {
        params: { path: { workflow_id: id } },
      });
      output.show({ ...data, shownOnce }, () =>
        [
          `Saved ${plain(data.title)} as draft ${data.revision} of ${id}. Activate it: workspace workflows activate ${id}`,
          ...shownOnce,
        ].join('\n'),
      );
    });

  workflows
    .command('activate')
    .description('make the draft a version that its triggers can start')
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
    .description('run the active version and wait for the result')
    .argument('<id>')
    .option('--param <name=value>', 'value of a parameter (repeatable)', collect)
    .option('--no-wait', 'start the run without waiting')
    .action(async (id: string, options: { param?: string[]; wait: boolean }, command: Command) => {
      const context = await contextOf(command);
      const { data: run } = await context.workspace.post('/v1/workflows/{workflow_id}/runs', {
        params: { path: { workflow_id: id } },
        body: { params: paramsOf(options.param) },
      });
      await begun(context, run, options);
    });

  workflows
    .command('logs')
    .description('list the newest runs of a workflow')
    .argument('<id>')
    .action(async (id: string, _: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const found = await some(50, (page) =>
        workspace.get('/v1/workflows/{workflow_id}/runs', {
          params: {
            path: { workflow_id: id },
            query: page,
          },
        }),
      );
      output.list(found, `The workflow hasn't run yet. Run it: workspace workflows run ${id}`, {
        id: (run) => run.id,
        status: ({ status }) => status,
        trigger: ({ trigger }) => trigger.type,
        began: ({ createdAt }) => createdAt.slice(0, 19),
        error: ({ error }) => error?.message,
      });
    });
}
