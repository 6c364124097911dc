import type { Command } from 'commander';
import { accessToken, createWorkspace, deviceLogin } from '../../../typescript/src/index.ts';
import { contextOf, outputOf, urlOf } from '../context.ts';
import { plain } from '../output.ts';
import { folder, readProfile, removeProfile, writeProfile } from '../profile.ts';

export function loginCommands(program: Command): void {
  program
    .command('login')
    .description('log in by a page in your browser; the tokens are kept in a file of yours')
    .option('--scope <scopes>', 'what the login may do, separated by spaces')
    .action(async (options: { scope?: string }, command: Command) => {
      const [baseUrl, output] = [await urlOf(command), outputOf(command)];
      const tokens = await deviceLogin({
        baseUrl,
        ...options,
        onCode: ({ userCode, completeUrl }) =>
          output.hint(`Open ${plain(completeUrl)}\nand approve the code ${output.bold(plain(userCode))}.`),
      });
      const before = await readProfile();
      const kept =
        before?.url === baseUrl && before.projectId !== undefined ? { projectId: before.projectId } : {};
      await writeProfile({ url: baseUrl, tokens, ...kept });
      const { data: me } = await createWorkspace({ baseUrl, auth: accessToken(tokens.accessToken) }).get(
        '/v1/me',
      );
      output.show(me, () => `Logged in to ${baseUrl} as ${plain(me.name)}. Kept in ${folder()}.`);
    });

  program
    .command('logout')
    .description('end the login, here and at the service')
    .action(async (_: object, command: Command) => {
      const profile = await readProfile();
      // A login that the service does not know any more has ended already.
      if (profile?.tokens !== undefined)
        await (await contextOf(command)).workspace.post('/v1/auth/logout').catch(() => undefined);
      await removeProfile();
      outputOf(command).show({ loggedOut: true }, () => 'Logged out.');
    });

  program
    .command('status')
    .description('who you are, and where')
    .action(async (_: object, command: Command) => {
      const context = await contextOf(command);
      const { workspace, output } = context;
      const [{ data: me }, { data: organization }] = await Promise.all([
        workspace.get('/v1/me'),
        workspace.get('/v1/organization'),
      ]);
      const projectId = (await readProfile())?.projectId ?? null;
      output.show({ url: workspace.baseUrl, me, organization, projectId }, () =>
        [
          `${output.dim('Service')}       ${workspace.baseUrl}`,
          `${output.dim('Organization')}  ${plain(organization.name)}`,
          `${output.dim('You')}           ${plain(me.name)}${me.role === null ? '' : `, ${me.role}`}`,
          `${output.dim('Scopes')}        ${me.scopes.join(' ')}`,
          `${output.dim('Project')}       ${projectId ?? 'none chosen'}`,
        ].join('\n'),
      );
    });
}
