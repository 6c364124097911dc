import type { Command } from 'commander';
import { some } from '../../../typescript/src/index.ts';
import { contextOf, most } from '../context.ts';
import { plain } from '../output.ts';
import { changeProfile } from '../profile.ts';

export function projectCommands(program: Command): void {
  const projects = program.command('projects').description('list, create and choose projects');

  projects
    .command('list', { isDefault: true })
    .description('list projects, newest first')
    .action(async (_: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const found = await some(most, (page) =>
        workspace.get('/v1/projects', {
          params: { query: page },
        }),
      );
      output.list(found, 'There are no projects. Create one: workspace projects create NAME', {
        id: ({ id }) => id,
        name: ({ name }) => name,
        created: ({ createdAt }) => createdAt.slice(0, 10),
      });
    });

  projects
    .command('create')
    .description('create a project')
    .argument('<name>')
    .action(async (name: string, _: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const { data } = await workspace.post('/v1/projects', { body: { name } });
      output.show(data, () => `Created ${plain(data.name)} (${data.id}).`);
    });

  projects
    .command('use')
    .description('choose the project that commands use by default')
    .argument('<id>')
    .action(async (id: string, _: object, command: Command) => {
      const { workspace, output } = await contextOf(command);
      const { data } = await workspace.get('/v1/projects/{project_id}', {
        params: { path: { project_id: id } },
      });
      const url = workspace.baseUrl;
      await changeProfile((before) => ({ ...(before?.url === url ? before : { url }), projectId: data.id }));
      output.show(data, () => `Commands now use the project ${plain(data.name)}.`);
    });
}
