import type { Command } from 'commander';
import { type components, some, wait } from '../../../typescript/src/index.ts';
import { type Context, contextOf } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { plain, progressBar } from '../output.ts';
import { variable } from '../profile.ts';

export type Run = components['schemas']['Run'];

const inProject = (projectId: string, runId: string) => ({
  params: { path: { project_id: projectId, run_id: runId } },
});

export function runCommands(program: Command): void {
  const runs = program.command('runs').description('list, follow and cancel runs');

  runs
    .command('list', { isDefault: true })
    .description('list the newest runs of the project')
    .option('--kind <kind>', 'import, export, report, playbook, workflow and more')
    .option('--status <status>', 'queued, running, waiting, succeeded, failed or cancelled')
    .action(async (options: { kind?: Run['kind']; status?: Run['status'] }, command: Command) => {
      const context = await contextOf(command);
      const projectId = await context.project();
      const found = await some(50, (page) =>
        context.workspace.get('/v1/projects/{project_id}/runs', {
          params: { path: { project_id: projectId }, query: { ...options, ...page } },
        }),
      );
      context.output.list(found, 'This project has no such runs.', {
        id: ({ id }) => id,
        kind: ({ kind }) => kind,
        status: ({ status }) => status,
        title: ({ title }) => title,
        began: ({ createdAt }) => createdAt.slice(0, 19),
      });
    });

  runs
    .command('show')
    .description('show a run with its steps')
    .argument('<id>')
    .action(async (id: string, _: object, command: Command) => {
      const context = await contextOf(command);
      const { data } = await context.workspace.get(
        '/v1/projects/{project_id}/runs/{run_id}',
        inProject(await context.project(), id),
      );
      context.output.show(data, () => described(data));
    });

  runs
    .command('follow')
    .description('wait for a run to end, and show its steps as they finish')
    .argument('<id>')
    .action(async (id: string, _: object, command: Command) => {
      const context = await contextOf(command);
      await followed(context, await context.project(), id);
    });

  runs
    .command('cancel')
    .description('cancel a run in progress')
    .argument('<id>')
    .action(async (id: string, _: object, command: Command) => {
      const context = await contextOf(command);
      const { params } = inProject(await context.project(), id);
      const { data } = await context.workspace.post('/v1/projects/{project_id}/runs/{run_id}/cancel', {
        params: { ...params, query: { confirm: 'true' } },
      });
      context.output.show(data, () => `${plain(data.title)}: ${data.status}.`);
    });

  program
    .command('open')
    .description('print the address of a run in the Temporal UI, for operators')
    .argument('<run>')
    .action(async (id: string, _: object, command: Command) => {
      const context = await contextOf(command);
      const { data } = await context.workspace.get(
        '/v1/projects/{project_id}/runs/{run_id}',
        inProject(await context.project(), id),
      );
      const url = `${await workflowsUrl(context)}${encodeURIComponent(data.workflowId)}`;
      context.output.show({ url }, () => url);
    });
}

/** As the service knows it, or as it is set here. */
async function workflowsUrl({ workspace }: Context): Promise<string> {
  const ui = variable('WORKSPACE_TEMPORAL_UI');
  const namespace = variable('WORKSPACE_TEMPORAL_NAMESPACE') ?? 'default';
  if (ui !== undefined) return `${ui.replace(/\/$/, '')}/namespaces/${namespace}/workflows/`;
  const { data } = await workspace.get('/v1/temporal-ui');
  if (data.workflowsUrl !== null) return data.workflowsUrl;
  throw new Failure(
    "The service doesn't know the address of its Temporal UI. Set WORKSPACE_TEMPORAL_UI, or ask the operator to set TEMPORAL_UI_URL.",
  );
}

function described({ title, kind, status, id, steps, output, error }: Run): string {
  const lines = steps.map(
    ({ name, status: ended, detail }) =>
      `  ${plain(name)}: ${ended}${detail === null ? '' : `, ${plain(detail)}`}`,
  );
  const end = error !== null ? plain(error.message) : output === null ? '' : plain(output);
  return [`${plain(title)} (${kind} ${id}): ${status}`, ...lines, ...(end === '' ? [] : [end])].join('\n');
}

/** Follows a run to its end; a failure of the run is one of the command. */
export async function followed(context: Context, projectId: string, runId: string): Promise<void> {
  const { workspace, output, signal } = context;
  const bar = progressBar(runId, output);
  const reported = new Set<string>();
  const look = async () =>
    (await workspace.get('/v1/projects/{project_id}/runs/{run_id}', inProject(projectId, runId))).data;
  const onProgress = ({ steps, progress, title }: Run) => {
    for (const { id, name, status } of steps) {
      if (status === 'running' || reported.has(id)) continue;
      reported.add(id);
      bar.end();
      if (!output.json) output.hint(output.dim(`· ${plain(name)}: ${status}`));
    }
    bar.at(progress, plain(title));
  };
  const run = await wait(look, { signal, onProgress })
    .catch((error: unknown) => {
      if (signal.aborted) output.hint(`The run continues. Follow it: workspace runs follow ${runId}`);
      throw error;
    })
    .finally(bar.end);
  output.show(run, () => described(run));
  if (run.status !== 'succeeded')
    throw new Failure(`The run ended with the status ${run.status}.`, exitCodes.failed);
}
